"""What clocks mean for a game: which events record them, and which commands come too late.

Pure: the time and the outages of the service are given (`Moment`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

from engine.phrase import phrase
from engine.side import Side
from notation.agreement import lost_on_time
from notation.registry import find_dialect
from service.errors import BadValue, MissingScope
from service.game import commands, events
from service.game.clock import MAX_COMPENSATION, MAX_LEFT
from service.game.commands import Command
from service.game.endings import make_end
from service.game.errors import ClockStated, NoClocks, TimeIsUp
from service.game.permissions import require_official, require_undecided, title
from service.game.redaction import STRANGER, seen_position
from service.game.setup import check_reason
from service.game.state import GameState
from service.log.values import Event
from service.player.actor import Actor

TIMEKEEPER: Final = "movelog:timekeeper"
"""The name in the log of the process that lets flags fall."""
GRACE: Final = 100
"""Milliseconds beyond the lag that may be compensated for an action in time to arrive."""
PATIENCE: Final = MAX_COMPENSATION + GRACE
"""Milliseconds from a flag's fall to the game's end: an action already sent still counts."""
TIMED: Final = (
    commands.PlayAction,
    commands.OfferDraw,
    commands.AcceptDraw,
    commands.DeclineDraw,
    commands.Resign,
    commands.OfferRetraction,
    commands.AcceptRetraction,
    commands.DeclineRetraction,
)
"""Players' commands that come too late once a flag has fallen."""


@dataclass(frozen=True, slots=True)
class Outage:
    """A period when the service was down, in milliseconds since 1970 UTC."""

    begun: int
    ended: int


@dataclass(frozen=True, slots=True)
class Moment:
    """The time at which a command is decided, in milliseconds since 1970 UTC.

    `outages` are those of the service that may affect the game, in order. `alive` is when the
    service was last known to accept commands: an outage that is not over began after that.
    """

    now: int
    outages: Sequence[Outage] = ()
    alive: int = 0


def list_credits(state: GameState, moment: Moment) -> Sequence[events.OutageCredited]:
    """The credits for outages during the running turn, each given once."""
    clock = state.clock
    if clock is None or clock.running is None:
        return ()
    return [
        events.OutageCredited(
            side=clock.running, begun=outage.begun, ended=outage.ended, credited=credited
        )
        for outage in moment.outages
        if outage.ended > clock.credited_to
        and (credited := clock.find_credit(outage.begun, outage.ended))
    ]


def refuse_stated_times(command: Command, state: GameState) -> None:
    """Raise ClockStated for times that a client states in a game with clocks."""
    if isinstance(command, commands.PlayAction | commands.AnnotateAction):
        note = command.annotation
        if state.clock is not None and (note.clock, note.elapsed) != (None, None):
            raise ClockStated


def refuse_late_command(command: Command, state: GameState, moment: Moment) -> None:
    """Raise TimeIsUp for a player's command after a flag has fallen."""
    clock = state.clock
    if clock is None or clock.running is None or not isinstance(command, TIMED):
        return
    at = moment.now
    if isinstance(command, commands.PlayAction):
        at = find_received(command, moment)
        lag = clock.admit_lag(clock.running, command.lag)
        at -= clock.spend(clock.running, at, lag, passes=False).compensation
    if clock.is_out_of_time(at):
        raise TimeIsUp(title(state, clock.running))


def find_received(command: commands.PlayAction, moment: Moment) -> int:
    """When an action arrived, as its entry point has recorded, but not later than now."""
    return moment.now if command.received is None else min(command.received, moment.now)


def time_action(
    played: events.ActionPlayed,
    command: commands.PlayAction,
    state: GameState,
    moment: Moment,
) -> events.TimedActionPlayed:
    """The event of an action in a game with clocks, with its times."""
    assert state.clock is not None
    received = find_received(command, moment)
    side = Side(state.position.side)
    after = state.position.copy()
    after.play(find_dialect(state.variant).resolve(seen_position(state, STRANGER), played.action))
    lag = state.clock.admit_lag(side, command.lag)
    spent = state.clock.spend(side, received, lag, passes=after.side != side)
    kept = {each.name: getattr(played, each.name) for each in fields(events.ActionEvent)}
    return events.TimedActionPlayed(
        **kept,
        received=received,
        compensation=spent.compensation,
        used=spent.used,
        left=spent.left,
    )


def let_flag_fall(command: commands.FlagFall, state: GameState, actor: Actor) -> Sequence[Event]:
    """End the game by the fall of the running clock's flag (Ruling R36).

    Raises MissingScope unless the service itself sends it. `has_flag_fallen` says whether it is
    due.
    """
    if actor.player != TIMEKEEPER:
        raise MissingScope(TIMEKEEPER)
    if state.to_act is None or state.clock is None or state.clock.running is None:
        return ()
    return (make_end(state, lost_on_time(state.position.copy(), state.clock.running)),)


def has_flag_fallen(state: GameState, moment: Moment) -> bool:
    """Whether a flag has fallen, and no action that was in time can still arrive.

    The service must have been up after the flag's fall: otherwise an outage may have begun before.
    """
    due = None if state.clock is None else state.clock.due
    return due is not None and moment.now >= due + PATIENCE and moment.alive >= due


def set_clocks(command: commands.SetClocks, state: GameState, actor: Actor) -> Sequence[Event]:
    """Set both clocks, by an arbiter's order; raises NoClocks or BadValue."""
    require_official(state, actor)
    require_undecided(state)
    check_reason(command.reason)
    if state.clock is None:
        raise NoClocks
    for name, time in (("first", command.first), ("second", command.second)):
        if not 0 < time <= MAX_LEFT:
            raise BadValue(name, phrase("1 to {max_left} milliseconds", max_left=MAX_LEFT))
    return (events.ClocksSet(first=command.first, second=command.second, reason=command.reason),)
