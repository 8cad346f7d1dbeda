"""Actions named by only a part of them; compiled with `naming.pxd`.

Readings and descriptions are those of `engine.naming`. Files and ranks are the low and the high
four bits of squares. The partner of a Commander in a joint advance is numbered as in the action;
it is also where the Pawn ends, seen from where the Commander does.
"""

from __future__ import annotations

from typing import Final

from engine.errors import IllegalAction
from engine.kerd import board as tables
from engine.kerd.action import Deed
from engine.kerd.attacks import in_check
from engine.kerd.generation import list_moves_to, mover_in_check
from engine.kerd.kernel import Position
from engine.kerd.legality import is_safe, push_if_legal
from engine.kerd.making import pop, push
from engine.naming import (
    CAPTURE,
    CHECK,
    END,
    FILE,
    FROM_FILE,
    MADE,
    PARTNER,
    RANK,
    SEVERAL,
    SHORT,
    TARGET,
    TOLD,
)

EMPTY: Final = tables.EMPTY
PAWN: Final = tables.PAWN
PIECE_KIND: Final = tables.KIND
KING_HOME: Final = list(tables.KING_HOME)
KING_CASTLED: Final = list(tables.KING_CASTLED)
CASTLE: Final = int(Deed.CASTLE) << 24
LARGEST: Final = 1 << 26


def find_action(position: Position, reading: int) -> int:
    """The one legal action that fits a reading; 0 where none fits, SEVERAL where several do.

    A Pawn's move brings nothing back unless the reading says so.
    """
    state = position.state
    kind = reading & PIECE_KIND
    if reading <= 0 or kind >= SHORT:
        action = -reading
        if reading > 0:
            n = 2 * state.side + kind - SHORT
            action = KING_HOME[n] | KING_CASTLED[n] << 8 | CASTLE
        if not (0 < action < LARGEST and push_if_legal(state, action, position.actions)):
            return 0
        pop(state)
        return action
    origin = reading >> FROM_FILE & 255
    if kind == EMPTY:
        kind = state.board[origin] & PIECE_KIND
    return find_move(position, kind, reading >> TARGET & 255, origin, reading)


def find_move(position: Position, kind: int, target: int, origin: int, reading: int) -> int:
    """As `find_action`, among the moves of a kind of piece to a square from this file and rank."""
    state = position.state
    actions = position.actions
    file = origin & 15
    rank = origin >> 4
    made = reading >> MADE & 15
    partner = reading >> PARTNER & 15
    list_moves_to(state, kind, target, actions)
    attacked = mover_in_check(state)
    found = 0
    for i in range(actions.count):
        action = actions.items[i]
        if (action >> 8) & 255 != target or (action >> 20) & 15 != partner:
            continue
        if (file and action & 15 != file) or (rank and (action >> 4) & 15 != rank):
            continue
        if (action >> 16) & 15 == made and is_safe(state, action, attacked):
            if found:
                return SEVERAL
            found = action
    return found


def describe(position: Position, action: int, alone: bool = False) -> int:
    """The description of a legal action, without what it does to the enemy King.

    `alone` says that no other piece of its kind has a move to its target.
    """
    state = position.state
    target = (action >> 8) & 255
    kind = state.board[action & 255] & PIECE_KIND
    about = kind
    if state.board[target] != EMPTY:
        about |= CAPTURE
    # These never name an origin: a Pawn, a joint advance, a castling, a reveal, an execution.
    if alone or kind == PAWN or action >> 20:
        return action | about << TOLD
    actions = position.actions
    list_moves_to(state, kind, target, actions)
    attacked = mover_in_check(state)
    rivals = 0
    same_file = 0
    same_rank = 0
    for i in range(actions.count):
        rival = actions.items[i]
        if (rival >> 8) & 255 != target or (rival >> 20) & 15 or (rival ^ action) & 255 == 0:
            continue
        if is_safe(state, rival, attacked):
            rivals += 1
            same_file += (rival ^ action) & 15 == 0
            same_rank += (rival ^ action) & 240 == 0
    if rivals == 0:
        return action | about << TOLD
    # As in PGN: the file if that is enough, else the rank if that is, else both.
    if same_file == 0:
        about |= FILE
    elif same_rank == 0:
        about |= RANK
    else:
        about |= FILE | RANK
    return action | about << TOLD


def describe_attack(position: Position) -> int:
    """The description of what the action just played has done to the enemy King."""
    state = position.state
    side = state.side
    attack = 0
    if state.kings[side] == 0:
        attack = END
    elif in_check(state, side):
        attack = CHECK if state.king_is_captured or position.can_act() else END
    return attack << TOLD


def play_described(position: Position, action: int) -> int:
    """Play a legal action for good and return its description. Raises IllegalAction."""
    told = describe(position, action)
    if not (0 < action < LARGEST and push_if_legal(position.state, action, position.actions)):
        raise IllegalAction(action)
    position.state.depth = 0
    return told | describe_attack(position)


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
    state = position.state
    for i in range(start, min(end, len(readings))):
        action = find_action(position, readings[i])
        if action <= 0:
            return
        if turns is not None:
            turns.append(state.number << 1 | state.side)
        about = 0 if told is None else describe(position, action, names_no_origin(readings[i]))
        push(state, action)
        state.depth = 0
        actions.append(action)
        if told is not None:
            told.append(about | describe_attack(position))
        if packed is not None:
            packed.append(position.pack())
