"""Making actions and taking them back; compiled with `making.pxd`."""

from __future__ import annotations

from typing import Final

from engine.kerd import board as tables
from engine.kerd.action import Deed
from engine.kerd.board import COLOURS, EMPTY, KIND, KING, PAWN, PIECE, REVEALED, VOID, WHITE
from engine.kerd.generation import has_been_in_check
from engine.kerd.state import State

AROUND: Final = list(tables.AROUND)
TOWER_HOME: Final = list(tables.TOWER_HOME)
TOWER_CASTLED: Final = list(tables.TOWER_CASTLED)
KING_CASTLED: Final = list(tables.KING_CASTLED)
# The castlings that stay possible after a move from or to a square.
KEEPS: Final = [
    sum(
        1 << n
        for n in range(tables.CASTLING_SIDES)
        if cell not in (tables.KING_HOME[n], tables.TOWER_HOME[n])
    )
    for cell in range(256)
]
BIT: Final = [1 << n for n in range(64)]
CASTLE: Final = int(Deed.CASTLE)
REVEAL: Final = int(Deed.REVEAL)
EXECUTE: Final = int(Deed.EXECUTE)


def put_piece(state: State, at: int, piece: int) -> None:
    """Replace what stands on a square by a piece or EMPTY."""
    before = state.board[at]
    state.occupied[(before & COLOURS) >> 2 | at >> 6] ^= BIT[at & 63]
    state.occupied[(piece & COLOURS) >> 2 | at >> 6] ^= BIT[at & 63]
    state.board[at] = piece


def push(state: State, action: int) -> None:
    """Play a legal action, so that `pop` can take it back; at most 65 deep."""
    side = state.side
    depth = state.depth
    origin = action & 255
    target = (action >> 8) & 255
    state.made[depth] = action
    state.moved[depth] = state.board[origin]
    state.stood[depth] = state.board[target]
    state.recapture_before[depth] = state.recapture
    state.rights_before[depth] = state.rights
    state.choices_before[2 * depth] = state.choices[0]
    state.choices_before[2 * depth + 1] = state.choices[1]
    checked = has_been_in_check(state)
    state.checked_before[depth] = state.checked
    state.checked = 1 if checked else 2
    state.depth = depth + 1
    state.recapture = 0
    deed = action >> 24
    if deed == EXECUTE:
        remove_piece(state, target, state.board[target])
        put_piece(state, target, EMPTY)
    elif deed == REVEAL:
        # Ruling R21: it loses its first move, like any piece that is put back on the board.
        put_piece(state, target, state.board[target] & KIND | WHITE << side)
        state.choices[side] = REVEALED
    else:
        move_piece(state, action, origin, target)
        if deed == CASTLE:
            move_tower(state, target)
        state.rights &= KEEPS[origin] & KEEPS[target]
    state.side = 1 - side
    state.number += side


def move_piece(state: State, action: int, origin: int, target: int) -> None:
    """Move a piece, with its partner and its promotion, and take what it captures."""
    board = state.board
    piece = board[origin]
    captured = board[target]
    partner = (action >> 20) & 15
    back = (action >> 16) & 15
    put_piece(state, origin, EMPTY)
    if partner:
        beside = origin + AROUND[partner - 1]
        state.partners[state.depth - 1] = board[beside]
        put_piece(state, beside, EMPTY)
        land_piece(state, beside, beside + target - origin, PAWN, back)
    elif captured:
        remove_piece(state, target, captured)
        if captured & KIND <= PAWN + state.commander_avenged:
            state.recapture = target
    if piece & KIND == KING:
        state.kings[state.side] = target
    land_piece(state, origin, target, piece & KIND, 0 if partner else back)


def land_piece(state: State, origin: int, target: int, kind: int, back: int) -> None:
    """Put a piece of the side to move on its target, or one brought back in its place.

    Ruling R23: the Pawn that is replaced goes where removed Pawns go, and no longer counts.
    """
    other = 1 - state.side
    own = WHITE << state.side
    if back:
        state.pool[own | back] -= 1
    put_piece(state, target, own | (back if back else kind))
    # As it was: in a joint advance one piece may land where the other stood.
    if state.choices_before[2 * state.depth - 2 + other] == origin:
        state.choices[other] = VOID if back else target


def remove_piece(state: State, at: int, piece: int) -> None:
    """Count a piece that leaves the board, and void the choice if it was the one chosen."""
    state.pool[piece & PIECE] += 1
    if state.choices[0] == at:
        state.choices[0] = VOID
    if state.choices[1] == at:
        state.choices[1] = VOID
    if piece & KIND == KING:
        state.kings[1 - state.side] = 0


def move_tower(state: State, target: int) -> None:
    """The Tower's half of a castling whose King goes to the target."""
    for n in range(4):
        if KING_CASTLED[n] == target:
            put_piece(state, TOWER_CASTLED[n], state.board[TOWER_HOME[n]])
            put_piece(state, TOWER_HOME[n], EMPTY)


def pop(state: State) -> None:
    """Take back the last action pushed."""
    depth = state.depth - 1
    side = 1 - state.side
    action = state.made[depth]
    origin = action & 255
    target = (action >> 8) & 255
    captured = state.stood[depth]
    state.depth = depth
    state.side = side
    state.number -= side
    state.recapture = state.recapture_before[depth]
    state.rights = state.rights_before[depth]
    state.choices[0] = state.choices_before[2 * depth]
    state.choices[1] = state.choices_before[2 * depth + 1]
    state.checked = state.checked_before[depth]
    if action >> 24 == EXECUTE:
        state.pool[captured & PIECE] -= 1
    elif action >> 24 != REVEAL:
        move_pieces_back(state, action, origin, target)
    put_piece(state, target, captured)
    put_piece(state, origin, state.moved[depth])


def move_pieces_back(state: State, action: int, origin: int, target: int) -> None:
    """Undo `move_piece` and `move_tower`, except for the pieces on origin and target."""
    depth = state.depth
    captured = state.stood[depth]
    partner = (action >> 20) & 15
    back = (action >> 16) & 15
    if back:
        state.pool[WHITE << state.side | back] += 1
    if partner:
        beside = origin + AROUND[partner - 1]
        put_piece(state, beside + target - origin, EMPTY)
        put_piece(state, beside, state.partners[depth])
    elif captured:
        state.pool[captured & PIECE] -= 1
        if captured & KIND == KING:
            state.kings[1 - state.side] = target
    if state.moved[depth] & KIND == KING:
        state.kings[state.side] = origin
        if action >> 24 == CASTLE:
            for n in range(4):
                if KING_CASTLED[n] == target:
                    put_piece(state, TOWER_HOME[n], state.board[TOWER_CASTLED[n]])
                    put_piece(state, TOWER_CASTLED[n], EMPTY)
