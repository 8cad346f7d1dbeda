"""What may be known of a position of Kerd (rules page `kerd.md`, Knowledge).

The kernel holds each side's choice as far as the keeper of the position knows it: in play the
whole truth, in a record from over the board perhaps nothing.
"""

from __future__ import annotations

from collections.abc import Collection

from engine.kerd.action import Deed, deed
from engine.kerd.board import UNKNOWN, VOID, is_square
from engine.kerd.kernel import Position
from engine.outcome import Outcome
from engine.position import Action
from engine.side import Side


def is_hidden(position: Position, side: Side) -> bool:
    """Whether only its owner may know the side's choice: it is not revealed, be it void or not."""
    choice = position.choice_of(side)
    return is_square(choice) or choice == VOID


def view(position: Position, hidden: Collection[Side]) -> Position:
    """A copy of the position as seen by somebody to whom these sides' choices are hidden.

    They are unknown in it, unless revealed. Its `legal()` is that of an unknown choice; the real
    actions that may be shown are in `visible_actions`.
    """
    seen = position.copy()
    for side in hidden:
        if is_hidden(position, side):
            seen.choose(side, UNKNOWN)
    return seen


def visible_actions(position: Position, hidden: Collection[Side]) -> list[Action]:
    """The legal actions that may be shown to somebody to whom these sides' choices are hidden.

    All except the reveal of a hidden choice. The possible reveals of a choice that nobody knows
    may be shown to everybody.
    """
    side = Side(position.side)
    actions = position.legal()
    if side not in hidden or not is_hidden(position, side):
        return actions
    return [action for action in actions if deed(action) is not Deed.REVEAL]


def claimable_outcome(position: Position) -> Outcome | None:
    """The end that a record may claim here although the position is not over, or None.

    Ruling R32: where only possible reveals of an unknown infiltrator are left, there may be no
    infiltrator to reveal, and the side to move is mated (Ruling R60: or stalemated).
    """
    if position.choice_of(position.side) != UNKNOWN or not can_only_reveal(position):
        return None
    return position.outcome_without_actions()


def can_only_reveal(position: Position) -> bool:
    """Whether there are legal actions and all of them are reveals."""
    legal = position.legal()
    return bool(legal) and all(deed(action) is Deed.REVEAL for action in legal)


def may_be_unwinnable(position: Position) -> bool:
    """Whether a side could win only by an unknown infiltrator, which it may not have.

    A loss on time by the other side may then be a draw (Ruling R36), for the record to state.
    """
    return any(
        position.choice_of(side) == UNKNOWN
        and not position.has_army(side)
        and position.may_reveal(side)
        for side in Side
    )
