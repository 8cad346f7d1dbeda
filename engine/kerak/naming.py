"""Actions named by only a part of them; compiled with `naming.pxd`.

Readings and descriptions are those of `engine.naming`. Files are the letters of spaces and ranks
their numbers, from 1.
"""

from __future__ import annotations

from typing import Final

from engine import bits
from engine.kerak import action as packing
from engine.kerak import board as geometry
from engine.kerak import pieces as table
from engine.kerak.kernel import Position
from engine.naming import (
    CAPTURE,
    END,
    FILE,
    FROM_FILE,
    FROM_RANK,
    RANK,
    SEVERAL,
    TARGET,
    TOLD,
)

EMPTY: Final = table.EMPTY
RED: Final = table.RED
CASTLE: Final = int(table.PieceKind.CASTLE)
PIECE_KIND: Final = table.KIND
SPACES: Final = geometry.SPACES
PASS: Final = int(packing.PASS)
FIRST_PLACEMENT: Final = 1 << 12
"""The smallest placement; smaller actions are moves."""
EVERYWHERE: Final = geometry.EVERYWHERE
BIT: Final = [*geometry.BIT, 0, 0, 0]
LETTERS: Final = [letter for letter, _ in geometry.BOARD.coordinates]
NUMBERS: Final = [number for _, number in geometry.BOARD.coordinates]
# The spaces of each letter and of each number; entry 0 is all of them.
OF_LETTER: Final = [EVERYWHERE] + [
    sum(BIT[space] for space in range(SPACES) if LETTERS[space] == letter)
    for letter in range(1, 16)
]
OF_NUMBER: Final = [EVERYWHERE] + [
    sum(BIT[space] for space in range(SPACES) if NUMBERS[space] == number)
    for number in range(1, 16)
]


def find_action(position: Position, reading: int) -> int:
    """The one legal action that fits a reading; 0 where none fits, SEVERAL where several do."""
    if reading <= 0:
        return -reading if -PASS <= reading < 0 and position.is_allowed(-reading) else 0
    side = position.side
    target = reading >> TARGET & 255
    if position.unplaced[side] or target >= SPACES or position.is_decided():
        return 0
    among = OF_LETTER[reading >> FROM_FILE & 15] & OF_NUMBER[reading >> FROM_RANK & 15]
    found = list_origins(position, RED << side | reading & PIECE_KIND, target, among)
    if found == 0:
        return 0
    if found & found - 1:
        return SEVERAL
    return bits.first(found) << 6 | target


def list_origins(position: Position, piece: int, target: int, among: int) -> int:
    """The spaces of `among` from which a `piece` could go to `target` in its turn."""
    found = 0
    same = position.men[piece] & among
    while same:
        origin = bits.first(same)
        same &= same - 1
        if position.find_targets(origin) & BIT[target]:
            found |= BIT[origin]
    return found


def describe(position: Position, action: int, alone: bool = False) -> int:
    """The description of a legal action (`engine.naming`).

    `alone` says that no other piece of its kind has a move to its target.
    """
    if action >= FIRST_PLACEMENT:
        return action
    origin = action >> 6
    target = action & 63
    piece = position.board[origin]
    captured = position.board[target]
    about = piece & PIECE_KIND
    if captured != EMPTY:
        about |= CAPTURE
        if captured & PIECE_KIND == CASTLE:
            about |= END
    if alone:
        return action | about << TOLD
    rivals = list_origins(position, piece, target, EVERYWHERE ^ BIT[origin])
    if rivals == 0:
        return action | about << TOLD
    # As in PGN: the letter if that is enough, else the number if that is, else both.
    if not rivals & OF_LETTER[LETTERS[origin]]:
        about |= FILE
    elif not rivals & OF_NUMBER[NUMBERS[origin]]:
        about |= RANK
    else:
        about |= FILE | RANK
    return action | about << TOLD


def names_no_origin(reading: int) -> bool:
    """Whether a reading names a move without its origin; a move that fits it has no rivals."""
    return reading > 0 and reading >> FROM_FILE & 255 == 0


def play_readings(
    position: Position,
    readings: list[int],
    start: int,
    end: int,
    actions: list[int],
    told: list[int] | None,
    turns: list[int] | None,
    packed: list[bytes] | None,
) -> None:
    """Play for good what the readings from `start` up to but not including `end` mean, in order.

    Playing stops at the first reading that fits no action or several. Each action is added to
    `actions`. To those of the other lists that are given, each action adds its description
    (`told`), twice the number of its full move, plus 1 if the second side acts (`turns`), and the
    position after it as `Position.pack` packs it (`packed`).
    """
    for i in range(start, min(end, len(readings))):
        action = find_action(position, readings[i])
        if action <= 0:
            return
        if told is not None:
            told.append(describe(position, action, names_no_origin(readings[i])))
        if turns is not None:
            turns.append(position.number << 1 | position.side)
        position.push(action)
        position.depth = 0
        actions.append(action)
        if packed is not None:
            packed.append(position.pack())
