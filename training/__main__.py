"""`python -m training STEP …`: the steps from games to weights."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from engine.registry import VARIANTS
from training.errors import TrainingError
from training.evaluations import EVALUATIONS
from training.game_files import GameFolder, Header
from training.plan import Plan
from training.positions import read_shards, write_shards
from training.producing import produce


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    steps = made.add_subparsers(dest="step", required=True, metavar="STEP")
    games = steps.add_parser(
        "games",
        help="play games of the search against itself",
        description="Play games of the search against itself until each variant has so many "
        "positions with a score. It can be stopped or killed at any time, and goes on where "
        "it is called again.",
    )
    games.add_argument("folder", type=Path, help="where the files of games are")
    games.add_argument("variants", nargs="*", metavar="VARIANT", help="(default: all)")
    games.add_argument("--positions", type=int, default=1_000_000, metavar="N", help="[1,000,000]")
    games.add_argument("--processes", type=int, default=1, metavar="N", help="[1]")
    games.add_argument("--nodes", type=int, default=Plan().nodes, metavar="N", help="[2,000]")
    games.add_argument("--seed", type=int, default=0, metavar="N", help="[0]")
    games.set_defaults(run=play_games)
    positions = steps.add_parser(
        "positions",
        help="take the quiet positions of the games, in random order",
        description="Take the quiet positions of the games there are by now, with the score and "
        "the result of each, and write them in random order.",
    )
    positions.add_argument("games", type=Path, help="where the files of games are")
    positions.add_argument("folder", type=Path, help="where the positions go")
    positions.add_argument("variants", nargs="*", metavar="VARIANT", help="(default: all)")
    positions.add_argument("--seed", type=int, default=0, metavar="N", help="[0]")
    positions.set_defaults(run=take_positions)
    weights = steps.add_parser(
        "weights",
        help="fit the weights of the evaluation's terms to the positions",
        description="Fit the weights of each evaluation's terms to positions, and print them with "
        "their standard errors beside those in use.",
    )
    weights.add_argument("folder", type=Path, help="where the positions are")
    weights.add_argument("variants", nargs="*", metavar="VARIANT", help="(default: all)")
    weights.add_argument(
        "--positions", type=int, default=300_000, metavar="N", help="at most so many [300,000]"
    )
    weights.add_argument(
        "--results",
        type=float,
        default=0.5,
        metavar="SHARE",
        help="what counts the games' results, from 0 to 1; the rest the search's scores [0.5]",
    )
    weights.set_defaults(run=print_weights)
    return made


def play_games(given: argparse.Namespace) -> None:
    """The step `games`."""
    begun = time.monotonic()

    def report(header: Header) -> None:
        print(
            f"{time.monotonic() - begun:.0f} s: {header.variant} {header.number}, "
            f"{header.games} games, {header.positions} positions",
            flush=True,
        )

    plan = Plan(given.seed, given.nodes)
    variants = given.variants or list(VARIANTS)
    produce(GameFolder(given.folder), plan, variants, given.positions, given.processes, report)


def take_positions(given: argparse.Namespace) -> None:
    """The step `positions`."""
    for variant in given.variants or VARIANTS:
        taken = write_shards(GameFolder(given.games), variant, given.folder, given.seed)
        print(f"{variant}: {taken} quiet positions", flush=True)


def print_weights(given: argparse.Namespace) -> None:
    """The step `weights`."""
    from training.weights import fit_weights, read_samples, report  # NumPy takes a while to load

    for variant in given.variants or VARIANTS:
        evaluation = EVALUATIONS[variant]
        positions = islice(read_shards(given.folder, variant), given.positions)
        samples = read_samples(variant, positions)
        games = len(set(samples.games))
        print(f"{variant}: {len(samples.games)} positions of {games} games")
        print(report(evaluation, fit_weights(evaluation, samples, given.results)), flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a step; the exit status."""
    command_line = parser()
    given = command_line.parse_args(arguments)
    unknown = [name for name in given.variants if name not in VARIANTS]
    if unknown:
        command_line.error(f"no variant {unknown[0]!r}; there is {', '.join(VARIANTS)}")
    try:
        given.run(given)
    except TrainingError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
