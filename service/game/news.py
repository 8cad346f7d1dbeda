"""What players want to know about a running game: whose turn it is, what is offered.

Pure, and only for games whose players act themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.side import Side
from notation.time_control import TimeControl
from service.game import events
from service.game.clock import first_left
from service.game.deadlines import list_awaited
from service.game.state import GameState
from service.game.terms import DAY, MINUTE
from service.game.values import GameStatus, Mode
from service.log.values import Event, Recorded

PLAYED: Final = frozenset({Mode.CHALLENGE, Mode.ARBITER, Mode.TOURNAMENT})
"""The modes in which players act themselves, and so may have to be notified of their turn."""
TURNS: Final = (
    events.GameCreated,
    events.ChallengeAccepted,
    events.GameBegun,
    events.ChoiceSealed,
    events.ActionEvent,
    events.ActionsRetracted,
    events.GameReopened,
)
"""The events after which somebody else may have to act."""
CLOCKS: Final = (*TURNS, events.ClocksSet, events.OutageCredited)
"""The events that may change when a clock runs low."""
NEWS: Final = (*CLOCKS, events.DrawOffered)
"""The events of which somebody may have to be notified."""
LOW_SHARE: Final = 10
"""A clock is low when it has less than its first time divided by this left."""
LOW: Final = (10_000, 5 * MINUTE)
"""Bounds of what a low clock has left, in milliseconds, if there are no days a move."""


class Turn(NamedTuple):
    """The sides that have to act since the event of this version."""

    version: int
    sides: tuple[Side, ...]


def is_news(event: Event) -> bool:
    """Whether somebody may have to be notified of an event."""
    return isinstance(event, NEWS)


def find_turn(state: GameState, newest: Sequence[Recorded]) -> Turn | None:
    """Whose turn one of the newest events of a game has begun; None if nobody's.

    A player who has just acted and is to act again need not be notified.
    """
    awaited = list_to_act(state)
    turns = [entry for entry in newest if isinstance(entry.event, TURNS)]
    if not awaited or not turns:
        return None
    last = turns[-1]
    if isinstance(last.event, events.ChoiceSealed) and state.status is GameStatus.CHOOSING:
        # Both were notified when they had to choose.
        return None
    acted = isinstance(last.event, events.ActionEvent | events.ChoiceSealed)
    sides = tuple(side for side in awaited if not (acted and state.seats[side] == last.by))
    return Turn(last.version, sides) if sides else None


def list_to_act(state: GameState) -> tuple[Side, ...]:
    """The sides whose players have to act: in turn, or to choose in secret."""
    if state.mode not in PLAYED:
        return ()
    if state.status is GameStatus.CHOOSING:
        return tuple(list_awaited(state))
    return () if state.to_act is None else (state.to_act,)


def find_draw_offer(state: GameState, newest: Sequence[Recorded]) -> int | None:
    """The version of the standing draw offer, if it is among the newest events of a game."""
    if state.mode not in PLAYED or state.draw_offer is None:
        return None
    offers = [entry.version for entry in newest if isinstance(entry.event, events.DrawOffered)]
    return offers[-1] if offers else None


def find_low_time(state: GameState) -> int | None:
    """When the running clock runs low in this turn, in milliseconds since 1970 UTC.

    None if no clock runs, or if the clock was already low when the turn began.
    """
    clock = state.clock
    if state.mode not in PLAYED or clock is None or clock.running is None or clock.due is None:
        return None
    mark = find_low_mark(clock.control)
    return clock.due - mark if clock.sides[clock.running].left > mark else None


def find_low_mark(control: TimeControl) -> int:
    """What a clock has left when it becomes low, in milliseconds.

    With days a move that is a quarter of them, at most a day; else a tenth of the first time.

    >>> from notation.time_control import parse_time_control
    >>> [find_low_mark(parse_time_control(text)) // 1000 for text in ("1/259200", "600+5", "60")]
    [64800, 60, 10]
    """
    given = first_left(control)
    if control.days_a_move:
        return min(DAY, given // 4)
    least, most = LOW
    return min(most, max(least, given // LOW_SHARE))
