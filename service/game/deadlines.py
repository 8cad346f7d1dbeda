"""What falls due by time alone: a flag fall, a challenge's expiry, a loss by not showing up.

A challenge that nobody answers expires. In a game with a rule for no-shows, each side has the time
of `no_show` for its first action from when it could act: the first side from the beginning, the
second from the first side's action. Both have the same time for the secret choices before that.
Pure: the time is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.outcome import Outcome, Termination
from engine.side import Side
from notation.game import UNFINISHED
from service.errors import MissingScope
from service.game import commands, events
from service.game.commands import Command
from service.game.endings import make_end
from service.game.errors import NotOffered
from service.game.state import GameState
from service.game.timekeeping import PATIENCE, TIMEKEEPER, Moment, has_flag_fallen
from service.game.values import GameStatus
from service.log.values import Event
from service.player.actor import Actor

DUE: Final = (commands.FlagFall, commands.ExpireChallenge, commands.ForfeitNoShow)
"""The commands that the service itself sends when they are due."""


def is_timed(state: GameState) -> bool:
    """Whether decisions on commands to the game depend on the time."""
    terms = state.terms
    return state.clock is not None or (terms.expires_after, terms.no_show) != (None, None)


def find_alarm(state: GameState) -> int | None:
    """When to check whether something is due; 0 for never, None for a game without times."""
    if not is_timed(state):
        return None
    flag = None if state.clock is None else state.clock.due
    times = [state.expires_at, find_no_show(state), None if flag is None else flag + PATIENCE]
    return min((time for time in times if time is not None), default=0)


def choose_due_command(state: GameState) -> Command:
    """The command that may be due in this game."""
    if state.status is GameStatus.OFFERED:
        return commands.ExpireChallenge()
    if state.clock is not None and state.clock.running is not None:
        return commands.FlagFall()
    return commands.ForfeitNoShow()


def is_due(command: Command, state: GameState, moment: Moment) -> bool:
    """Whether it is time for one of the commands of DUE."""
    match command:
        case commands.FlagFall():
            return has_flag_fallen(state, moment)
        case commands.ExpireChallenge():
            return state.expires_at is not None and moment.now >= state.expires_at
        case _:
            due = find_no_show(state)
            if due is None:
                return False
            # Outages extend the time: nobody could act while the service was down.
            since = find_waiting_since(state)
            due += sum(max(0, each.ended - max(each.begun, since)) for each in moment.outages)
            return moment.now >= due and moment.alive >= due


def find_waiting_since(state: GameState) -> int:
    """Since when the side that has not come could have acted."""
    return max(state.waiting_since, state.played[-1].at if state.played else 0)


def list_awaited(state: GameState) -> list[Side]:
    """The sides that have yet to come: to choose in secret, or to play their first action."""
    if state.status is GameStatus.CHOOSING:
        return [side for side in state.choosers if state.choices[side] is None]
    side = state.to_act
    if side is None or any(played.side is side for played in state.played):
        return []
    return [side]


def find_no_show(state: GameState) -> int | None:
    """When a side that has not come loses; None if both have come or nobody is waited for."""
    if state.terms.no_show is None or not list_awaited(state):
        return None
    return find_waiting_since(state) + state.terms.no_show


def refuse_expired(command: Command, state: GameState, moment: Moment) -> None:
    """Raise NotOffered for the acceptance of a challenge that has expired."""
    if isinstance(command, commands.AcceptChallenge) and is_due(
        commands.ExpireChallenge(), state, moment
    ):
        raise NotOffered(GameStatus.EXPIRED)


def expire_challenge(
    command: commands.ExpireChallenge, state: GameState, actor: Actor
) -> Sequence[Event]:
    """End a challenge by expiry; no events if it does not expire. Raises MissingScope."""
    require_timekeeper(actor)
    return () if state.expires_at is None else (events.ChallengeExpired(),)


def forfeit_no_show(
    command: commands.ForfeitNoShow, state: GameState, actor: Actor
) -> Sequence[Event]:
    """End the game because a player has not come; raises MissingScope.

    If neither has made a secret choice, it ends without a result, and an arbiter rules on it.
    """
    require_timekeeper(actor)
    if find_no_show(state) is None:
        return ()
    late, *others = list_awaited(state)
    if others:
        return (events.GameEnded(result=UNFINISHED, termination=Termination.UNTERMINATED),)
    return (make_end(state, Outcome(late.other, Termination.FORFEIT)),)


def require_timekeeper(actor: Actor) -> None:
    """Raise MissingScope for everybody but the service."""
    if actor.player != TIMEKEEPER:
        raise MissingScope(TIMEKEEPER)
