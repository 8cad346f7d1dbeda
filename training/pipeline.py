"""All steps in one: from no games to a network and its match against material alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from engine.learned.files import FOLDER_VARIABLE, NAME
from engine.registry import find_variant
from engine.search import build_id
from service.cli.progress import make_progress_bar, say
from training.errors import MatchFailed, NoNetwork
from training.game_files import GameFolder, Header, write_bytes
from training.network import Training
from training.network_files import write
from training.plan import Plan
from training.positions import read_shards, write_shards
from training.producing import produce

OPENINGS: Final = {"katruji": 4, "kerak": 42}
"""The number of random plies that begin a game of the match, where it is not `OPENING`."""
OPENING: Final = 8


@dataclass(frozen=True, slots=True)
class Budget:
    """The size of a run: `positions` searched for each variant, and `games` of a match.

    `later` is the λ of the positions' outlooks (`training.positions`). Each action of the match is
    searched for `nodes` nodes.
    """

    plan: Plan
    training: Training
    positions: int
    later: float
    games: int
    nodes: int
    processes: int


class Pipeline:
    """The steps of one folder; what exists is made again only if its inputs have changed.

    `done/VARIANT.json` records what each step was made from, and the digests of its files.
    """

    def __init__(self, folder: Path, budget: Budget) -> None:
        self.folder = folder
        self.budget = budget
        self.games = GameFolder(folder / "games")

    def run(self, variants: Sequence[str]) -> None:
        """Play games of all variants, then make and measure the network of each.

        Raises TrainingError.
        """
        self._play(variants)
        for variant in variants:
            self._take(variant)
            self._fit(variant)
            self._measure(variant)

    def networks(self, variant: str) -> Path:
        """The folder of a variant's network, in the form that `FOLDER_VARIABLE` takes."""
        return self.folder / "networks" / variant

    def _play(self, variants: Sequence[str]) -> None:
        budget = self.budget
        with make_progress_bar(budget.positions * len(variants), "positions") as bar:
            bar.set_description_str("games")
            for variant in variants:
                found = sum(header.positions for header in self.games.headers(variant))
                bar.update(min(found, budget.positions))

            def report(header: Header) -> None:
                bar.update(header.positions)

            produce(self.games, budget.plan, variants, budget.positions, budget.processes, report)

    def _take(self, variant: str) -> None:
        made_of = {
            "games": asdict(self.budget.plan),
            "positions": self.budget.positions,
            "lambda": self.budget.later,
            "build": build_id(),
        }
        folder = self.folder / "positions"

        def take() -> str:
            budget = self.budget
            taken = write_shards(
                self.games,
                variant,
                folder,
                budget.plan.seed,
                budget.positions,
                budget.later,
                budget.processes,
            )
            return f"{taken} quiet positions"

        self._once(variant, "positions", made_of, folder / variant, take)

    def _fit(self, variant: str) -> None:
        made_of = {
            "of": self._made(variant)["positions"],
            "fit": asdict(self.budget.training),
            "build": build_id(),
        }
        target = self.networks(variant) / game_of(variant)

        def fit() -> str:
            positions = read_shards(self.folder / "positions", variant)
            return write(target, variant, positions, self.budget.training, self.budget.processes)

        self._once(variant, "network", made_of, target, fit)

    def _measure(self, variant: str) -> None:
        nodes = f"nodes={self.budget.nodes}"
        options = [nodes, f"{nodes} without=evaluation"]
        options += ["--games", str(self.budget.games)]
        options += ["--opening", str(OPENINGS.get(variant, OPENING))]
        options += ["--seed", str(self.budget.plan.seed)]
        made_of = {"of": self._made(variant)["network"], "match": options, "build": build_id()}
        target = self.folder / "matches" / f"{variant}.json"

        def measure() -> str:
            processes = ["--processes", str(self.budget.processes)]
            report = play_match(self.networks(variant), variant, [*options, *processes])
            target.parent.mkdir(exist_ok=True)
            write_bytes(target, report.encode())
            value, low, high = json.loads(report)["score"]
            return f"{value:.1%} ({low:.1%} to {high:.1%}) against material alone"

        self._once(variant, "match", made_of, target, measure)

    def _once(
        self,
        variant: str,
        step: str,
        made_of: dict[str, Any],
        target: Path,
        make: Callable[[], str],
    ) -> None:
        """Carry out a step that makes `target`, a file or a folder, and print its result.

        Nothing is done if it was done with the same inputs and its files are still those it made.
        """
        done = self._made(variant)
        files = digest_files(target)
        if files and done.get(step) == {"made_of": made_of, "files": files}:
            return
        # From now until it is done again, what the step has made may be of old and new inputs.
        self._record(variant, {name: of for name, of in done.items() if name != step})
        say(f"{variant}: {step}: {make()}")
        self._record(variant, done | {step: {"made_of": made_of, "files": digest_files(target)}})

    def _record(self, variant: str, made: dict[str, Any]) -> None:
        path = self.folder / "done" / f"{variant}.json"
        path.parent.mkdir(exist_ok=True)
        write_bytes(path, json.dumps(made, indent=2, sort_keys=True).encode())

    def _made(self, variant: str) -> dict[str, Any]:
        path = self.folder / "done" / f"{variant}.json"
        found: dict[str, Any] = json.loads(path.read_bytes()) if path.exists() else {}
        return found


def game_of(variant: str) -> str:
    """The name of the engine's folder that has a variant's game."""
    return type(find_variant(variant).start()).__module__.split(".")[1]


def digest_files(target: Path) -> dict[str, str]:
    """The SHA-256 of a file, or of each file in a folder; none if it does not exist."""
    files = [target] if target.is_file() else sorted(filter(Path.is_file, target.rglob("*")))
    return {
        path.relative_to(target.parent).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def play_match(networks: Path, variant: str, options: Sequence[str]) -> str:
    """The report in JSON of `movelog selfplay` with the network that a folder has for a variant.

    The match ends with this process, however that ends. Raises MatchFailed, and NoNetwork, since
    the installed network would play in place of one that is missing.
    """
    if not (networks / game_of(variant) / NAME).exists():
        raise NoNetwork(networks, variant)
    arguments = [variant, *options]
    # JAX has threads, so this process cannot tie its child to itself: the child does.
    tied = [sys.executable, "-m", "service.operations.parent_death", str(os.getpid())]
    command = [*tied, "service.cli", "selfplay", *arguments, "--json"]
    environment = os.environ | {FOLDER_VARIABLE: str(networks.absolute())}
    played = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)
    if played.returncode:
        raise MatchFailed(" ".join(arguments), played.returncode)
    return played.stdout.decode()
