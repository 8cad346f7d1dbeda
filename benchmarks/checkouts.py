"""The engine of this checkout against that of another one, measured in turn.

    python -m benchmarks.checkouts FOLDER [ROUNDS]

FOLDER is another checkout, such as a `git worktree` of the commit before, whose kernels have been
compiled there (`python setup.py build_ext --inplace`). Each game's perft, replay, reading and
search is timed ROUNDS times (9 by default) in one process for each checkout, one after the other,
by processor time. For each, the medians of both rates and of their ratios are printed; above 1,
this checkout is faster.
"""

from __future__ import annotations

import io
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from engine.position import Position
from engine.random_play import random_play
from engine.registry import VARIANTS
from engine.replay import replay
from engine.search import Limits, Search
from notation.reader import read

PERFT = {"katruji": (5, 20), "kerak": (3, 40), "kerd": (3, 12), "kerd-draft": (3, 12)}
"""Depth, and how many random actions lead to the second position; the first is the start."""
OPENINGS = {
    "katruji": (0, 6, 12, 18),
    "kerak": (18, 44, 60, 80),
    "kerd": (0, 12, 28, 48),
    "kerd-draft": (0, 12, 28, 48),
}
"""How many random actions lead to each position that is searched."""
NODES = 20_000
PLIES = {"replay": 100_000, "read": 10_000}
"""About how many plies a measurement plays."""
MEASURES = [f"{what} {game}" for what in ("perft", "replay", "read", "search") for game in PERFT]

Work = Callable[[], int]
"""The timed work; returns how many nodes or plies it was."""


def prepare(measure: str) -> Work:
    """The work of one of MEASURES."""
    what, game = measure.split(" ")
    if what == "perft":
        depth, plies = PERFT[game]
        positions = [position_after(game, count) for count in (0, plies)]
        return lambda: sum(position.perft(depth) for position in positions)
    if what == "search":
        return prepare_search(game)
    data = Path("tests", "data", "records", f"{game}.pgn").read_bytes()
    games = [verdict.game for verdict in read(io.BytesIO(data))]
    if what == "read":
        return repeat(lambda: sum(len(one.game.moves) for one in read(io.BytesIO(data))), what)
    actions = [one.actions for one in games if "FEN" not in one.tags]
    start = VARIANTS[game].start

    def replay_all() -> int:
        for one in actions:
            replay(start(), one)
        return sum(map(len, actions))

    return repeat(replay_all, what)


def repeat(work: Work, what: str) -> Work:
    """Work repeated until it is about PLIES plies."""
    times = max(1, PLIES[what] // work())
    return lambda: sum(work() for _ in range(times))


def prepare_search(game: str) -> Work:
    """The search of a game's positions, each with an empty table."""
    rules = VARIANTS[game]
    starts = [position_after(game, plies) for plies in OPENINGS[game]]

    def search() -> int:
        nodes = 0
        for start in starts:
            *_, last = Search(rules, table_mebibytes=4).iterate(start, Limits(nodes=NODES))
            nodes += last.nodes
        return nodes

    return search


def position_after(game: str, plies: int) -> Position:
    """The position after `plies` random actions, with nothing unknown, the same in every run."""
    random = Random(plies)
    rules = VARIANTS[game]
    position = rules.worlds(rules.start(), 1, random)[0].position.copy()
    for _ in random_play(position, random, plies):
        pass
    return position


class Checkout:
    """A process that runs a checkout's engine and measures one rate at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> Checkout:
        program = (
            "import runpy, sys; sys.path.insert(0, '.'); runpy.run_path(sys.argv[1])['answer']()"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", program, str(Path(__file__).resolve())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=self.folder,
        )
        return self

    def __exit__(self, *raised: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()

    def rate(self, measure: str) -> float:
        """One measurement, in nodes or plies a second of its processor time."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{measure}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


def answer() -> None:
    """Run as a checkout's process: answer each measure named on standard input with its rate."""
    works: dict[str, Work] = {}
    for line in sys.stdin:
        measure = line.strip()
        work = works[measure] = works.get(measure) or prepare(measure)
        begun = time.process_time()
        done = work()
        print(done / (time.process_time() - begun), flush=True)


def compare(folder: Path, rounds: int, measures: list[str]) -> None:
    """Print a line for each measure."""
    with Checkout(Path()) as this, Checkout(folder) as other:
        for measure in measures:
            pairs = [(this.rate(measure), other.rate(measure)) for _ in range(rounds + 1)][1:]
            ratios = sorted(one / two for one, two in pairs)
            rates, others = zip(*pairs, strict=True)
            print(
                f"{measure:18} {statistics.median(rates):12,.0f}/s, "
                f"there {statistics.median(others):12,.0f}/s: ratio "
                f"{statistics.median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f})",
                flush=True,
            )


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4 or not Path(sys.argv[1], "engine").is_dir():
        raise SystemExit(__doc__)
    wanted = sys.argv[3] if len(sys.argv) == 4 else ""
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    compare(Path(sys.argv[1]), rounds, [one for one in MEASURES if wanted in one])
