"""The search: nodes a second, compiled against pure, and what each technique costs or saves.

The positions are those of random games, the same in every run. Rates are in nodes a second of
processor time; the pure search runs in a separate process (`MOVELOG_PURE`), which answers on its
standard output. A technique is judged by the nodes needed to reach a depth without it, against
those with it; what that is worth in games is measured by `movelog selfplay` (`docs/search.md`).
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from benchmarks.turns import Measurement, measure_in_turn
from engine.position import Position
from engine.random_play import random_play
from engine.registry import find_variant
from engine.search import Limits, Search, Techniques
from engine.search.techniques import NAMES
from engine.source import PURE_VARIABLE

PLIES = {
    "katruji": (0, 3, 6, 9, 12, 15, 18, 21),
    "kerak": (18, 36, 44, 52, 60, 70, 80, 90),
    "kerd": (0, 6, 12, 20, 28, 36, 48, 60),
    "kerd-draft": (0, 6, 12, 20, 28, 36, 48, 60),
}
"""How many random actions lead to each position."""
DEPTHS = {"katruji": 7, "kerak": 5, "kerd": 5, "kerd-draft": 5}
COMPILED_NODES = 30_000
PURE_NODES = 600


def positions(name: str) -> list[Position]:
    """The positions searched in a game; none is over, and nothing in them is unknown."""
    game = find_variant(name)
    found = []
    for seed, plies in enumerate(PLIES[name]):
        random = Random(seed)
        position = game.worlds(game.start(), 1, random)[0].position.copy()
        for _ in random_play(position, random, plies):
            pass
        found.append(position)
    return found


def spent(
    name: str, begun: Sequence[Position], limits: Limits, techniques: Techniques
) -> tuple[int, float]:
    """Nodes and seconds of processor time of one search from each position."""
    nodes, seconds = 0, 0.0
    for position in begun:
        search = Search(find_variant(name), techniques=techniques, clock=time.process_time)
        *_, last = search.iterate(position, limits)
        nodes += last.nodes
        seconds += last.seconds
    return nodes, seconds


def rate(name: str, begun: Sequence[Position], nodes: int) -> float:
    """Nodes a second."""
    counted, seconds = spent(name, begun, Limits(nodes=nodes), find_variant(name).techniques)
    return counted / seconds


def pure_rate(name: str) -> float:
    """The same in a process whose kernels are plain Python."""
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.deepening", name],
        env={**os.environ, PURE_VARIABLE: "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(run.stdout)


def figures(name: str, rounds: int) -> list[Measurement]:
    """Compiled against pure, then the depth without each technique against the depth with it."""
    begun = positions(name)
    compiled, pure, ratio = measure_in_turn(
        f"{name} search, compiled and pure",
        lambda: rate(name, begun, COMPILED_NODES),
        lambda: pure_rate(name),
        rounds,
    )
    speed = Measurement(
        f"{name} search, compiled against pure",
        f"compiled {compiled / 1e3:,.0f} k nodes/s",
        f"pure {pure / 1e3:.1f} k nodes/s",
        ratio,
        bar=30,
    )
    limits = Limits(depth=DEPTHS[name])
    own = spent(name, begun, limits, find_variant(name).techniques)
    return [speed, *(technique(name, begun, one, own) for one in NAMES if one != "evaluation")]


def technique(
    name: str, begun: Sequence[Position], technique: str, usual: tuple[int, float]
) -> Measurement:
    """What reaching a depth costs without one technique, against with it.

    `usual` is the cost with the game's own techniques.
    """
    own = find_variant(name).techniques
    limits = Limits(depth=DEPTHS[name])
    added, reduced = replace(own, **{technique: True}), own.without(technique)
    nodes, seconds = usual if own == added else spent(name, begun, limits, added)
    more, longer = usual if own == reduced else spent(name, begun, limits, reduced)
    used = "" if getattr(own, technique) else ", which is off"
    return Measurement(
        f"{name} to depth {limits.depth} without {technique.replace('_', ' ')}{used}",
        f"with it {nodes:,} nodes in {seconds:.2f} s",
        f"without {more:,} in {longer:.2f} s",
        more / nodes,
    )


if __name__ == "__main__":
    print(rate(sys.argv[1], positions(sys.argv[1]), PURE_NODES))
