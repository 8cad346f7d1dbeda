"""Perft, nodes a second: compiled against pure, and against python-chess on chess.

All of them count the last ply instead of playing it. The pure kernel runs in a separate process
(`MOVELOG_PURE`), which answers on its standard output.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import chess

from benchmarks.turns import Measurement, measure_in_turn
from engine.position import Position
from engine.registry import find_variant
from engine.source import PURE_VARIABLE, is_compiled
from notation.registry import find_dialect

CHESS_DEPTH = 4
TABLE = Path(__file__).parents[1] / "tests" / "data" / "perft.txt"


@dataclass(frozen=True, slots=True)
class PerftCase:
    """What one game's perft counts: positions and the depth from each."""

    variant: str
    fens: tuple[str, ...]
    depth: int


def nodes_a_second(positions: Sequence[Position], depth: int) -> float:
    """Perft over positions, in nodes a second of processor time."""
    begun = time.process_time()
    nodes = sum(position.perft(depth) for position in positions)
    return nodes / (time.process_time() - begun)


def chess_nodes_a_second() -> float:
    """The same for python-chess from the start of chess."""
    begun = time.process_time()
    nodes = chess_perft(chess.Board(), CHESS_DEPTH)
    return nodes / (time.process_time() - begun)


def chess_perft(board: chess.Board, depth: int) -> int:
    """Perft of chess, the last ply counted and not played."""
    if depth == 1:
        return board.legal_moves.count()
    nodes = 0
    for move in board.legal_moves:
        board.push(move)
        nodes += chess_perft(board, depth - 1)
        board.pop()
    return nodes


class PureProcess:
    """A process whose kernels are plain Python and that measures one rate at a time."""

    def __init__(self, tree: PerftCase) -> None:
        self.tree = tree

    def __enter__(self) -> PureProcess:
        environment = {**os.environ, PURE_VARIABLE: "1"}
        command = [sys.executable, "-m", "benchmarks.perft", self.tree.variant]
        self.process = subprocess.Popen(
            [*command, str(self.tree.depth), *self.tree.fens],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        return self

    def __exit__(self, *raised: object) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def rate(self) -> float:
        """One measurement, in nodes a second of its processor time."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


def positions_of(tree: PerftCase) -> list[Position]:
    """The positions that a tree begins in."""
    texts = find_dialect(tree.variant)
    return [texts.read_fen(fen) for fen in tree.fens]


def figures(tree: PerftCase, deeper: int, chess_bar: float, rounds: int) -> list[Measurement]:
    """Both comparisons for one game; against python-chess `deeper` plies deeper."""
    positions = positions_of(tree)
    if not is_compiled(type(find_variant(tree.variant).start())):
        raise SystemExit("the kernels are not compiled here: there is nothing to compare")
    with PureProcess(tree) as pure:
        compiled, slow, ratio = measure_in_turn(
            f"{tree.variant} perft, compiled and pure",
            lambda: nodes_a_second(positions, tree.depth),
            pure.rate,
            rounds,
        )
    against_pure = Measurement(
        f"{tree.variant} perft at depth {tree.depth}, compiled against pure",
        f"compiled {millions(compiled)} nodes/s",
        f"pure {millions(slow)} nodes/s",
        ratio,
        bar=25,
    )
    ours, theirs, ratio = measure_in_turn(
        f"{tree.variant} perft and python-chess",
        lambda: nodes_a_second(positions, tree.depth + deeper),
        chess_nodes_a_second,
        rounds,
    )
    against_chess = Measurement(
        f"{tree.variant} perft at depth {tree.depth + deeper}, against python-chess on chess",
        f"movelog {millions(ours)} nodes/s",
        f"python-chess {millions(theirs)} nodes/s (depth {CHESS_DEPTH})",
        ratio,
        bar=chess_bar,
    )
    return [against_pure, against_chess]


def millions(rate: float) -> str:
    """A rate written in millions."""
    return f"{rate / 1e6:.2f} M"


def listed(name: str, depth: int) -> tuple[str, ...]:
    """The positions of a game that the perft table has at this depth."""
    lines = (line.split(" ", 3) for line in TABLE.read_text().splitlines() if line[:1] != "#")
    return tuple(line[3] for line in lines if line[0] == name and int(line[1]) == depth)


def answer() -> None:
    """Run as the pure process: answer every line of standard input with a measurement."""
    _, name, depth, *fens = sys.argv
    positions = positions_of(PerftCase(name, tuple(fens), int(depth)))
    for _ in sys.stdin:
        print(nodes_a_second(positions, int(depth)), flush=True)


if __name__ == "__main__":
    answer()
