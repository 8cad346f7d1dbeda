"""Which pseudo-legal actions are legal; compiled with `legality.pxd`."""

from __future__ import annotations

from engine.kerd.attacks import in_check
from engine.kerd.generation import list_actions_like, mover_in_check
from engine.kerd.making import pop, push
from engine.kerd.moves import ActionList
from engine.kerd.state import State


def is_safe(state: State, action: int, attacked: bool) -> bool:
    """Whether an action, pseudo-legal here, is legal: it leaves the own King unattacked.

    Ruling R29: reveals and executions, too. `attacked` is whether the King is attacked now.
    """
    if not may_expose_king(state, action, attacked):
        return True
    side = state.side
    push(state, action)
    safe = not in_check(state, side)
    pop(state)
    return safe


def may_expose_king(state: State, action: int, attacked: bool) -> bool:
    """Whether an action might leave the own King attacked where that makes it illegal.

    `attacked` is whether the King is attacked now.
    """
    return not state.king_is_captured and (attacked or may_uncover_king(state, action))


def may_uncover_king(state: State, action: int) -> bool:
    """Whether an action might leave a King attacked that is not attacked now.

    A piece that stands on no line with its King covers nothing, and where it arrives it only
    stands in the way; steps and leaps towards the King cannot be covered at all.
    """
    king = state.kings[state.side]
    origin = action & 255
    across = (origin & 15) - (king & 15)
    along = (origin >> 4) - (king >> 4)
    return across == 0 or along == 0 or across in (along, -along) or (action >> 20) & 15 != 0


def push_if_legal(state: State, action: int, actions: ActionList) -> bool:
    """Push an action if it is legal; otherwise False, and nothing changes.

    The action is above 0 and below 1 << 26; `actions` is overwritten with others like it.
    """
    list_actions_like(state, action, actions)
    if not actions.holds(action):
        return False
    exposing = may_expose_king(state, action, mover_in_check(state))
    side = state.side
    push(state, action)
    if exposing and in_check(state, side):
        pop(state)
        return False
    return True
