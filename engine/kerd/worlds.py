"""Choices of infiltrators that a position with unknown ones may hide.

Each side chose one of twenty enemy pieces, each of them equally likely as far as anybody knows.
The board and the pool say where they are now: some are still on the board, the others have left
it, and a choice of one of those is void. If there are more pieces of a kind on the board than can
be left of the set, one of them has been turned and could never be chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, product
from math import prod
from random import Random
from typing import Final

from engine.kerd.board import (
    BLACK,
    BROUGHT_BACK,
    FULL_SET,
    KIND,
    LAST_ELIGIBLE,
    PAWN,
    SQUARES,
    UNKNOWN,
    VOID,
)
from engine.kerd.kernel import Position
from engine.side import Side
from engine.world import World

ELIGIBLE: Final = range(PAWN, LAST_ELIGIBLE + 1)
CHOOSABLE: Final = sum(FULL_SET[kind] for kind in ELIGIBLE)


def worlds(position: Position, count: int, random: Random) -> Sequence[World]:
    """At most `count` positions with the unknown choices filled in (rules page, Knowledge).

    All of them if there are no more, else a sample in proportion to their weights. Worlds in which
    the game would be over are left out, since it goes on, unless it would be over in all of them.
    Only what `position` says is used.
    """
    unknown = [side for side in Side if position.choice_of(side) == UNKNOWN]
    possible = [
        (filled, prod(weight for _, weight in chosen))
        for chosen in product(*(weigh_choices(position, side) for side in unknown))
        for filled in [_filled(position, unknown, (choice for choice, _ in chosen))]
    ]
    going_on = [world for world in possible if world[0].outcome() is None]
    return _sample(going_on or possible, count, random)


def plain_world(position: Position) -> Position:
    """The position with the unknown choices void, so that none of them is ever revealed."""
    unknown = [side for side in Side if position.choice_of(side) == UNKNOWN]
    return _filled(position, unknown, [VOID] * len(unknown))


def weigh_choices(position: Position, side: Side) -> list[tuple[int, float]]:
    """What the side's unknown choice may be: squares and `VOID`, each with its weight.

    A weight is how many of the twenty pieces the choice may have been at first.
    """
    enemy = BLACK >> side
    standing: dict[int, list[int]] = {kind: [] for kind in ELIGIBLE}
    for at in SQUARES:
        piece = position.piece_at(at)
        if piece & enemy and piece & KIND <= LAST_ELIGIBLE:
            standing[piece & KIND].append(at)
    found: list[tuple[int, float]] = []
    left = float(CHOOSABLE)
    for kind, squares in standing.items():
        most = FULL_SET[kind] - count_removed(position, 1 - side, kind)
        original = min(len(squares), most)
        found += [(at, original / len(squares)) for at in squares if original > 0]
        left -= original
    return [*found, (VOID, left)] if left > 0 else found


def count_removed(position: Position, side: int, kind: int) -> int:
    """How many pieces of a kind a side has lost, as far as a position string tells."""
    return position.pool_of(side, kind) if kind in BROUGHT_BACK else 0


def _filled(position: Position, sides: Sequence[Side], chosen: Iterable[int]) -> Position:
    filled = position.copy()
    for side, choice in zip(sides, chosen, strict=True):
        filled.choose(side, choice)
    return filled


def _sample(
    possible: Sequence[tuple[Position, float]], count: int, random: Random
) -> Sequence[World]:
    """Systematic sampling: the weights are laid end to end in random order and read in steps."""
    if len(possible) > count:
        possible = random.sample(possible, len(possible))
    sums = list(accumulate(weight for _, weight in possible))
    if len(possible) <= count:
        return [World(position, weight / sums[-1]) for position, weight in possible]
    begin = random.random()
    drawn = [0] * len(possible)
    at = 0
    for step in range(count):
        while sums[at] <= (step + begin) * sums[-1] / count and at < len(sums) - 1:
            at += 1
        drawn[at] += 1
    return [
        World(position, times / count)
        for (position, _), times in zip(possible, drawn, strict=True)
        if times
    ]
