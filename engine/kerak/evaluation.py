"""What a position of Kerak is worth; compiled with `evaluation.pxd`.

The unit is a point of the rule book's table of pieces, scores are hundredths of it. A score is the
sum of the terms, each times its weight; how the weights were measured is in
`docs/evaluation.md`. While the armies are being placed the same terms judge the placements; for a
Castle still in hand, they use the middle of its side's back row.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from engine import bits
from engine.kerak import board as geometry
from engine.kerak import pieces as table
from engine.kerak.field import strength, supporters, takes
from engine.kerak.kernel import Position


class Term(IntEnum):
    """What is counted: Red's less Blue's."""

    MATERIAL = 0
    """Points of the pieces on the board and in hand."""
    CAPTORS = 1
    """Infantry and Archers, which alone capture a Castle, on the board and in hand."""
    INFANTRY_NEAR = 2
    """How near the Infantry stand to the enemy Castle: for each, eight less the distance."""
    ARCHERS_NEAR = 3
    """The same of the Archers."""
    RIDERS_NEAR = 4
    """The same of Cavalry, Knights and Hero."""
    SUPPORT = 5
    """Pairs of a piece and another that would support it against an attack from anywhere:
    next to it, or an Archer within two."""
    ASSAULT = 6
    """Strength of the pieces that would support an attack on the enemy Castle."""
    GUARD = 7
    """Strength of the pieces that could support the own Castle."""
    SHELTER = 8
    """Spaces next to the own Castle that are off the board or held by own pieces."""
    THREATS = 9
    """Points of the enemy pieces that pieces next to them can take; a Castle counts four."""
    CASTLE_ROW = 10
    """Rows between the own Castle and the own edge."""
    TURN = 11
    """The turn."""


WEIGHTS: Final = (100, 0, 10, 8, 5, 3, 40, 2, 3, 12, -14, 5)
"""Hundredths of a point for one of each term."""
SCALE: Final = 212
"""Hundredths of a point for each unit of the logarithm of winning's odds."""

WEIGHT: Final = list(WEIGHTS)
TERMS: Final[int] = len(Term)
MATERIAL: Final[int] = Term.MATERIAL
CAPTORS: Final[int] = Term.CAPTORS
INFANTRY_NEAR: Final[int] = Term.INFANTRY_NEAR
ARCHERS_NEAR: Final[int] = Term.ARCHERS_NEAR
RIDERS_NEAR: Final[int] = Term.RIDERS_NEAR
SUPPORT: Final[int] = Term.SUPPORT
ASSAULT: Final[int] = Term.ASSAULT
GUARD: Final[int] = Term.GUARD
SHELTER: Final[int] = Term.SHELTER
THREATS: Final[int] = Term.THREATS
CASTLE_ROW: Final[int] = Term.CASTLE_ROW
TURN: Final[int] = Term.TURN

INFANTRY: Final = int(table.PieceKind.INFANTRY)
ARCHER: Final = int(table.PieceKind.ARCHER)
CASTLE: Final = int(table.PieceKind.CASTLE)
KIND: Final = 7
RED: Final = table.RED
BOTH: Final = table.RED | table.BLUE
SPACES: Final = geometry.SPACES
FARTHEST: Final = 8
VALUE: Final = [*table.VALUE, 0]
PRIZE: Final = [*table.VALUE[:CASTLE], 4, 0]
NEXT_TO: Final = list(geometry.NEXT_TO)
WITHIN_TWO: Final = list(geometry.WITHIN_TWO)
NEIGHBOURS: Final = [space.bit_count() for space in geometry.NEXT_TO]
DISTANCE: Final = [
    geometry.BOARD.distance(one, other) for one in range(SPACES) for other in range(SPACES)
]
ROWS: Final = [
    next(n for n, row in enumerate(geometry.BOARD.rows) if space in row) for space in range(SPACES)
]
BACK: Final = [row[2] for row in geometry.BOARD.rows if len(row) == 5]


def material(position: Position) -> int:
    """The points of the pieces alone, on the board and in hand, as the side to act sees them."""
    total = 100 * (army_value(position, RED, VALUE) - army_value(position, RED ^ BOTH, VALUE))
    return -total if position.side else total


def evaluate(position: Position) -> int:
    """The score of a position that is not over, from the view of the side to act."""
    counted = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    count_terms(position, counted)
    score: int = 0
    for term in range(TERMS):
        score += counted[term] * WEIGHT[term]
    return -score if position.side else score


def terms(position: Position) -> list[int]:
    """What is counted in a position, by `Term`."""
    counted = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    count_terms(position, counted)
    return [counted[term] for term in range(TERMS)]


def army_value(position: Position, own: int, value: list[int]) -> int:
    """The total worth of a side's pieces, on the board and in hand; `value` is by kind."""
    total: int = 0
    for kind in range(INFANTRY, CASTLE):
        total += value[kind] * (bits.size(position.men[own | kind]) + position.hand[own | kind])
    return total


def count_terms(position: Position, counted: list[int]) -> None:
    """Count the terms in a list of zeros."""
    for side in range(2):
        own = RED << side
        sign = 1 - 2 * side
        counted[MATERIAL] += sign * army_value(position, own, VALUE)
        for kind in range(INFANTRY, ARCHER + 1):
            captors = bits.size(position.men[own | kind]) + position.hand[own | kind]
            counted[CAPTORS] += sign * captors
        count_pieces(position, side, counted)
        count_castle(position, side, counted)
    counted[TURN] = 1 - 2 * position.side


def castle_space(position: Position, side: int) -> int:
    """Where a side's Castle stands, or is assumed to stand while it is in hand."""
    standing = position.men[RED << side | CASTLE]
    return bits.first(standing) if standing else BACK[side]


def count_pieces(position: Position, side: int, counted: list[int]) -> None:
    """Count where a side's pieces stand, support each other, and can take what is next to them."""
    own = RED << side
    sign = 1 - 2 * side
    aim = castle_space(position, 1 - side)
    movers = position.movers(own)
    enemies = position.movers(own ^ BOTH) | position.men[(own ^ BOTH) | CASTLE]
    while movers:
        at = bits.first(movers)
        movers &= movers - 1
        near = sign * (FARTHEST - DISTANCE[SPACES * at + aim])
        kind = position.board[at] & KIND
        if kind == INFANTRY:
            counted[INFANTRY_NEAR] += near
        elif kind == ARCHER:
            counted[ARCHERS_NEAR] += near
        else:
            counted[RIDERS_NEAR] += near
        counted[SUPPORT] += sign * bits.size(supporters(position, own, NEXT_TO[at], WITHIN_TWO[at]))
        targets = NEXT_TO[at] & enemies
        while targets:
            target = bits.first(targets)
            targets &= targets - 1
            if takes(position, at, at, target):
                counted[THREATS] += sign * PRIZE[position.board[target] & KIND]


def count_castle(position: Position, side: int, counted: list[int]) -> None:
    """Count how safe a side's Castle is."""
    own = RED << side
    sign = 1 - 2 * side
    at = castle_space(position, side)
    near = NEXT_TO[at]
    far = WITHIN_TWO[at]
    counted[GUARD] += sign * strength(position, supporters(position, own, near, far))
    assault = strength(position, supporters(position, own ^ BOTH, near, far))
    counted[ASSAULT] -= sign * assault
    counted[SHELTER] += sign * (6 - NEIGHBOURS[at] + bits.size(position.movers(own) & near))
    row = ROWS[at]
    counted[CASTLE_ROW] += sign * (FARTHEST - row if side else row)
