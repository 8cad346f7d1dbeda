"""What Kerak's network sees of a position; compiled with `features.pxd`.

A feature is a number; each of the two sides has a view with features of its own. A side's view is
of the board turned so that its own edge is Red's: which piece stands where, seen from the board,
from the enemy Castle and from its own one, and how many pieces of each kind are still in hand. A
Castle in hand is taken to be in the middle of its side's back row
(`engine.kerak.evaluation.castle_space`).
"""

from __future__ import annotations

from typing import Final

from engine.kerak import board as geometry
from engine.kerak import pieces as table
from engine.kerak.evaluation import castle_space
from engine.kerak.kernel import Position
from engine.kerak.layout import (
    FROM_ENEMY,
    FROM_OWN,
    IN_HAND,
    KINDS,
    MOST_IN_HAND,
    OFFSETS,
    WAYS,
)
from engine.learned.network import Accumulator

EMPTY: Final = table.EMPTY
RED: Final = table.RED
KIND: Final = 7
INFANTRY: Final = int(table.PieceKind.INFANTRY)
CASTLE: Final = int(table.PieceKind.CASTLE)
SPACES: Final = geometry.SPACES


def _way(one: int, other: int) -> int:
    (letter, number), (to_letter, to_number) = (
        geometry.BOARD.coordinates[space] for space in (one, other)
    )
    return OFFSETS[to_letter - letter, to_number - number]


WAY: Final = [_way(one, other) for one in range(SPACES) for other in range(SPACES)]
"""The offset from one space to another, by SPACES * one + other."""
NUMBER: Final = [
    (piece & KIND) - 1 + (0 if piece & RED << view else KINDS // 2) if piece & KIND else 0
    for view in range(2)
    for piece in range(32)
]
"""The number of a piece in a view, own pieces first, by view << 5 | piece."""


def piece_feature(view: int, piece: int, space: int) -> int:
    """The first of the three features of a piece: where it stands."""
    return SPACES * NUMBER[view << 5 | piece] + (SPACES - 1 - space if view else space)


def castle_feature(view: int, piece: int, space: int, castle: int) -> int:
    """How a piece stands to a Castle, from `FROM_ENEMY` or `FROM_OWN` on."""
    way = WAY[SPACES * space + castle] if view else WAY[SPACES * castle + space]
    return WAYS * NUMBER[view << 5 | piece] + way


def hand_feature(view: int, piece: int, number: int) -> int:
    """The feature of the piece in hand that is the `number`th of its kind, from 1."""
    return IN_HAND + MOST_IN_HAND * NUMBER[view << 5 | piece] + number - 1


def add_piece(accumulator: Accumulator, piece: int, space: int, red: int, blue: int) -> None:
    """Add the features of a piece on a space, with the Castles on `red` and `blue`."""
    for view in range(2):
        enemy = castle_feature(view, piece, space, red if view else blue)
        own = castle_feature(view, piece, space, blue if view else red)
        accumulator.add(view, piece_feature(view, piece, space))
        accumulator.add(view, FROM_ENEMY + enemy)
        accumulator.add(view, FROM_OWN + own)


def remove_piece(accumulator: Accumulator, piece: int, space: int, red: int, blue: int) -> None:
    """Undo `add_piece`."""
    for view in range(2):
        enemy = castle_feature(view, piece, space, red if view else blue)
        own = castle_feature(view, piece, space, blue if view else red)
        accumulator.remove(view, piece_feature(view, piece, space))
        accumulator.remove(view, FROM_ENEMY + enemy)
        accumulator.remove(view, FROM_OWN + own)


def add_position(position: Position, accumulator: Accumulator) -> None:
    """Add all features of a position to an accumulator that has none yet."""
    red = castle_space(position, 0)
    blue = castle_space(position, 1)
    for space in range(SPACES):
        if position.board[space] != EMPTY:
            add_piece(accumulator, position.board[space], space, red, blue)
    for side in range(2):
        for kind in range(INFANTRY, CASTLE + 1):
            piece = RED << side | kind
            for number in range(1, position.hand[piece] + 1):
                accumulator.add(0, hand_feature(0, piece, number))
                accumulator.add(1, hand_feature(1, piece, number))


def change_features(position: Position, move: int, accumulator: Accumulator) -> None:
    """Apply a move, not yet made, to the features; no placement of a Castle and no pass."""
    red = castle_space(position, 0)
    blue = castle_space(position, 1)
    target = move & 63
    kind = move >> 12
    if kind:
        piece = RED << position.side | kind
        accumulator.remove(0, hand_feature(0, piece, position.hand[piece]))
        accumulator.remove(1, hand_feature(1, piece, position.hand[piece]))
    else:
        piece = position.board[move >> 6]
        remove_piece(accumulator, piece, move >> 6, red, blue)
        if position.board[target] != EMPTY:
            remove_piece(accumulator, position.board[target], target, red, blue)
    add_piece(accumulator, piece, target, red, blue)


def features(position: Position, view: int) -> list[int]:
    """All features of a side's view."""
    own = castle_space(position, view)
    enemy = castle_space(position, 1 - view)
    found: list[int] = []
    for space in range(SPACES):
        piece = position.board[space]
        if piece != EMPTY:
            found.append(piece_feature(view, piece, space))
            found.append(FROM_ENEMY + castle_feature(view, piece, space, enemy))
            found.append(FROM_OWN + castle_feature(view, piece, space, own))
    for piece in range(24):
        for number in range(1, position.hand[piece] + 1):
            found.append(hand_feature(view, piece, number))
    return found
