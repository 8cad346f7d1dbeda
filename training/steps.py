"""What each step of `python -m training` does with its command line arguments."""

from __future__ import annotations

import argparse
import time
from itertools import chain, islice

from engine.registry import VARIANTS, find_variant
from training.errors import NothingSeen
from training.evaluations import EVALUATIONS
from training.folder_lock import locked
from training.game_files import GameFile, GameFolder, Header
from training.openings import write_openings
from training.plan import Plan
from training.positions import choose_variants, read_shards, write_shards
from training.producing import produce
from training.puzzles import write_puzzles
from training.scale import fit_scale
from training.seen import SEEN
from training.tuning import Progress, Terms, Tuning, describe_player, list_names


def play_games(given: argparse.Namespace) -> None:
    """The step `games`."""
    begun = time.monotonic()

    def report(header: Header) -> None:
        print(
            f"{time.monotonic() - begun:.0f} s: {header.variant} {header.number}, "
            f"{header.games} games, {header.positions} positions",
            flush=True,
        )

    plan = Plan(
        given.seed,
        given.nodes,
        given.strays,
        random_actions=given.random_actions,
        without=given.without,
        void_choices=given.void_choices,
    )
    variants = given.variants or list(VARIANTS)
    produce(GameFolder(given.folder), plan, variants, given.positions, given.processes, report)


def take_positions(given: argparse.Namespace) -> None:
    """The step `positions`."""
    games = GameFolder(given.games)
    for variant in games.choose_variants(given.variants):
        taken = write_shards(
            games,
            variant,
            given.folder,
            given.seed,
            later=given.later,
            processes=given.processes,
        )
        print(f"{variant}: {taken} quiet positions", flush=True)


def count_openings(given: argparse.Namespace) -> None:
    """The step `openings`."""
    games = GameFolder(given.games)
    for variant in map(find_variant, games.choose_variants(given.variants)):
        written = write_openings(games, variant, given.folder, given.fewest)
        print(f"{variant.name}: {written} positions", flush=True)


def find_puzzles(given: argparse.Namespace) -> None:
    """The step `puzzles`."""
    games = GameFolder(given.games)
    for variant in games.choose_variants(given.variants):
        found = write_puzzles(games, variant, given.folder, given.count, given.seed, given.anew)
        print(f"{variant}: {found} puzzles", flush=True)


def print_scale(given: argparse.Namespace) -> None:
    """The step `scale`."""
    games = GameFolder(given.games)
    for variant in map(find_variant, games.choose_variants(given.variants)):
        files = map(GameFile.read, games.files(variant.name))
        fit = fit_scale(variant, chain.from_iterable(file.games for file in files))
        print(f"{variant.name}: {fit} ({variant.scale} in use)", flush=True)


def print_weights(given: argparse.Namespace) -> None:
    """The step `weights`."""
    from training.weights import fit_weights, read_samples, report  # NumPy takes a while to load

    for variant in choose_variants(given.folder, given.variants):
        evaluation = EVALUATIONS[variant]
        positions = islice(read_shards(given.folder, variant), given.positions)
        samples = read_samples(variant, positions)
        games = len(set(samples.games))
        print(f"{variant}: {len(samples.games)} positions of {games} games")
        print(report(evaluation, fit_weights(evaluation, samples)), flush=True)


def make_network(given: argparse.Namespace) -> None:
    """The step `network`."""
    from training.network import Training
    from training.network_files import write

    [variant] = given.variants
    positions = islice(read_shards(given.folder, variant), given.positions)
    training = Training(given.epochs, given.rate, given.decay, given.seed)
    print(write(given.target, variant, positions, training, given.processes), flush=True)


def tune_search(given: argparse.Namespace) -> None:
    """The step `tune`."""
    [variant] = given.variants
    terms = Terms(
        given.iterations,
        given.pairs,
        given.nodes,
        given.opening,
        given.balanced,
        given.seed,
        tuple(list_names(variant, given.parameters)),
    )

    def report(progress: Progress) -> None:
        print(f"{progress.done} of {terms.iterations}: {describe_player(progress)}", flush=True)

    with locked(given.folder, f"{variant}.lock"):
        tuned = Tuning(given.folder, variant, terms).run(given.processes, report)
    print(f'to test: movelog selfplay {variant} "{describe_player(tuned)}" "" --sprt 0 30')


def run_all_steps(given: argparse.Namespace) -> None:
    """The command `run`."""
    from training.network import Training
    from training.pipeline import Budget, Pipeline

    variants = given.variants or list(SEEN)
    if unknown := set(variants) - SEEN.keys():
        raise NothingSeen(min(unknown), ", ".join(SEEN))
    budget = Budget(
        Plan(given.seed, given.nodes, without=given.without),
        Training(given.epochs, given.rate, given.decay, given.seed),
        given.positions,
        given.later,
        given.games,
        given.nodes,
        given.processes,
    )
    with locked(given.folder):
        Pipeline(given.folder, budget).run(variants)
