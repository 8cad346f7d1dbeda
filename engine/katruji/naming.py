"""Actions named by only a part of them; compiled with `naming.pxd`.

Readings and descriptions are those of `engine.naming`. Files and ranks count from 1.
"""

from __future__ import annotations

from typing import Final

from engine.katruji import board as packing
from engine.katruji.kernel import Position
from engine.naming import (
    CAPTURE,
    FILE,
    FROM_FILE,
    FROM_RANK,
    KIND,
    MADE,
    RANK,
    SEVERAL,
    TARGET,
    TOLD,
)

EMPTY: Final[int] = packing.EMPTY
KYAN: Final[int] = packing.KYAN
ALKA: Final[int] = packing.ALKA


def find_action(position: Position, reading: int) -> int:
    """The one legal action that fits a reading; 0 where none fits, SEVERAL where several do."""
    if reading <= 0:
        return -reading if reading >= -ALKA and position.is_allowed(-reading) else 0
    piece = reading & KIND
    made = reading >> MADE & KIND
    file = (reading >> FROM_FILE & 15) - 1
    rank = (reading >> FROM_RANK & 15) - 1
    if piece == EMPTY:
        piece = position.piece_at(rank << 3 | file)
    actions = position.actions
    position.list_moves_to(piece, reading >> TARGET & 255, actions)
    found = 0
    for i in range(actions.count):
        action = actions.items[i]
        origin = action >> 6
        if (file >= 0 and origin & 7 != file) or (rank >= 0 and origin >> 3 != rank):
            continue
        if made != EMPTY and position.promotion(action) != made:
            continue
        if found:
            return SEVERAL
        found = action
    return found


def describe(position: Position, action: int, alone: bool = False) -> int:
    """The description of a legal action (`engine.naming`).

    `alone` says that no other piece of its kind has a move to its target.
    """
    if action >= KYAN:
        return action
    origin = action >> 6
    target = action & 63
    piece = position.board[origin]
    about = piece | position.promotion(action) << MADE
    if position.is_capture(action):
        about |= CAPTURE
    if alone:
        return action | about << TOLD
    actions = position.actions
    position.list_moves_to(piece, target, actions)
    if actions.count < 2:
        return action | about << TOLD
    same_file = False
    same_rank = False
    for i in range(actions.count):
        rival = actions.items[i] >> 6
        if rival != origin:
            same_file = same_file or rival & 7 == origin & 7
            same_rank = same_rank or rival >> 3 == origin >> 3
    # As in PGN: the file if that is enough, else the rank if that is, else both.
    if not same_file:
        about |= FILE
    elif not same_rank:
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
