"""Minimax by its definition, using only `engine.position.Position`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import engine
from engine.kerd.evaluation import evaluate as evaluate_kerd
from engine.learned.files import read_network
from engine.learned.network import Accumulator, Network
from engine.outcome import decide_by_points
from engine.position import Action, Position
from engine.random_play import random_play
from engine.registry import VARIANTS
from engine.search import WIN
from engine.variant import Variant
from training.seen import SEEN

EVALUATE: dict[str, Callable[..., int]] = {
    "kerd-draft": lambda position: evaluate_kerd(position.state),
}


def evaluate(variant: str, position: Any) -> int:
    """The static evaluation, with a network's sums computed afresh."""
    if variant in EVALUATE:
        return EVALUATE[variant](position)
    seen = SEEN[variant]
    accumulator = Accumulator(network_of(variant))
    for view in range(2):
        for feature in seen.list_features(position, view):
            accumulator.add(view, feature)
    return seen.base(position) + accumulator.output(position.side)


@cache
def network_of(variant: str) -> Network:
    """The variant's network that comes with the engine."""
    seen = SEEN[variant]
    folder = Path(engine.__file__).parent / variant
    network = read_network(folder, seen.layout, seen.features, seen.most)
    assert network is not None
    return network


LONGEST = {"katruji": 90, "kerak": 200}
USUAL = 150
"""Maximum plies of the other variants' random games."""


def score(
    variant: Variant, position: Position, depth: int, ply: int, *, draw_by_points: bool = False
) -> int:
    """The value for the side to act, `ply` actions from the root."""
    outcome = position.outcome()
    if outcome is not None:
        points = position.points()
        if draw_by_points and points is not None:
            outcome = decide_by_points(outcome, points)
        if outcome.winner is None:
            return 0
        return WIN - ply if outcome.winner == position.side else ply - WIN
    if depth == 0:
        return evaluate(variant.name, position)
    found = scores(variant, position, depth, ply, draw_by_points=draw_by_points)
    return max(value for _, value in found)


def scores(
    variant: Variant,
    position: Position,
    depth: int,
    ply: int = 0,
    *,
    draw_by_points: bool = False,
) -> list[tuple[Action, int]]:
    """Each legal action with its value for the side to act."""
    found = []
    side = position.side
    for action in position.legal():
        position.make(action)
        value = score(variant, position, depth - 1, ply + 1, draw_by_points=draw_by_points)
        found.append((action, value if position.side == side else -value))
        position.unmake()
    return found


def positions(name: str, count: int, seed: int = 0) -> Iterator[Position]:
    """Yield positions from random games that are not over, with all secret choices filled in."""
    variant = VARIANTS[name]
    random = Random(f"{name} {seed}")
    while count:
        start = variant.worlds(variant.start(), 1, random)[0].position.copy()
        for _ in random_play(start, random, random.randrange(LONGEST.get(name, USUAL))):
            pass
        if start.outcome() is None:
            yield start
            count -= 1
