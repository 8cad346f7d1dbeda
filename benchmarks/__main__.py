"""`python -m benchmarks [NAME…]`: measure, print a report, exit 1 where a bar is missed."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Sequence

from benchmarks import (
    analysing,
    deepening,
    exporting,
    importing,
    memory,
    perft,
    reading,
    replaying,
    searching,
    submitting,
    tallying,
)
from benchmarks.rounds import Figure
from engine.registry import VARIANTS

ROUNDS = 5

KATRUJI = perft.Tree("katruji", ("1SOO/1PSO/1PPS/4/4/SPP1/OSP1/OOS1 s 0-0 - 0 1",), 4)
# With both armies placed and nothing captured, it is move 19.
PLACED = tuple(fen for fen in perft.listed("kerak", 3) if fen.endswith(" - 0-0 19"))
KERAK = perft.Tree("kerak", PLACED, 3)
# The start, with its executions, and the middle of a game, with much to bring back.
KERD = perft.Tree(
    "kerd",
    tuple(fen for fen in perft.listed("kerd", 3) if fen.endswith(("?/? 0 - 1", " 50"))),
    3,
)

BENCHMARKS: dict[str, Callable[[], Sequence[Figure]]] = {
    "perft-katruji": lambda: perft.figures(KATRUJI, deeper=1, chess_bar=10, rounds=ROUNDS),
    "perft-kerak": lambda: perft.figures(KERAK, deeper=1, chess_bar=5, rounds=ROUNDS),
    "perft-kerd": lambda: perft.figures(KERD, deeper=1, chess_bar=10, rounds=ROUNDS),
    "replay": lambda: [replaying.figure(name, ROUNDS) for name in VARIANTS],
    "read": lambda: [reading.figure(name, ROUNDS) for name in VARIANTS],
    "search-katruji": lambda: deepening.figures("katruji", rounds=3),
    "search-kerak": lambda: deepening.figures("kerak", rounds=3),
    "search-kerd": lambda: deepening.figures("kerd", rounds=3),
    "submit": lambda: submitting.rates(ROUNDS),
    "late-moves": lambda: [submitting.late_moves(games=5)],
    "import": lambda: importing.figures(rounds=3),
    "export": lambda: exporting.figures(rounds=3),
    "search": lambda: searching.figures(),
    "memory": lambda: memory.figures(),
    "analysis": lambda: analysing.figures(rounds=3),
    "tally": lambda: tallying.figures(),
}


def main(names: Sequence[str]) -> int:
    """Run the benchmarks named, or all; the exit status."""
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"no benchmark {unknown[0]!r}; there is {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    print(f"Python {platform.python_version()} on {platform.machine()}")
    missed = 0
    for name in names or BENCHMARKS:
        for figure in BENCHMARKS[name]():
            print(figure, flush=True)
            missed += figure.met is False
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
