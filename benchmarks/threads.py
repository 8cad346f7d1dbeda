"""A search on two cores against one: nodes a second, and the time to reach a depth.

Both are by the clock, so nothing else may run. The positions are those of `benchmarks.deepening`;
every search begins with an empty table, and the helpers are running before it begins.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.deepening import DEPTHS, positions
from benchmarks.turns import Measurement, measure_in_turn
from engine.position import Position
from engine.registry import find_variant
from engine.search import Limits, Search
from service.helpers.pool import HelperPool

SECONDS = 0.5
"""The seconds of each search that counts nodes."""
DEEPER = 2
"""How many actions deeper the searches to a depth are than those that compare techniques."""


def figures(name: str, rounds: int) -> list[Measurement]:
    """Two threads against one in a game."""
    begun = positions(name)
    variant = find_variant(name)
    with HelperPool(2) as pool:
        alone, helped = Search(variant), Search(variant, helpers=pool)
        pool.wait()
        two, one, faster = measure_in_turn(
            f"{name}, nodes of two threads and one",
            lambda: rate(helped, begun),
            lambda: rate(alone, begun),
            rounds,
        )
        limits = Limits(depth=DEPTHS[name] + DEEPER)
        short, long, sooner = measure_in_turn(
            f"{name}, depth of two threads and one",
            lambda: 1 / seconds(helped, begun, limits),
            lambda: 1 / seconds(alone, begun, limits),
            rounds,
        )
    return [
        Measurement(
            f"{name}, two threads against one",
            f"two threads {two / 1e3:,.0f} k nodes/s",
            f"one {one / 1e3:,.0f} k nodes/s",
            faster,
            bar=1.6,
        ),
        Measurement(
            f"{name}, speed to depth {limits.depth}, two threads against one",
            f"two threads {1 / short:.2f} s",
            f"one {1 / long:.2f} s",
            sooner,
        ),
    ]


def rate(search: Search, begun: Sequence[Position]) -> float:
    """Nodes a second by the clock."""
    nodes, taken = 0, 0.0
    for position in begun:
        search.forget()
        *_, last = search.iterate(position, Limits(seconds=SECONDS))
        nodes += last.nodes
        taken += last.seconds
    return nodes / taken


def seconds(search: Search, begun: Sequence[Position], limits: Limits) -> float:
    """Seconds by the clock until all positions are searched."""
    taken = 0.0
    for position in begun:
        search.forget()
        *_, last = search.iterate(position, limits)
        taken += last.seconds
    return taken
