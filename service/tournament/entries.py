"""Commands on participation: arbiters, entries, withdrawals and byes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.phrase import phrase
from service.computer.levels import seats_computer
from service.errors import BadValue
from service.game.errors import ComputerIsCasual
from service.game.permissions import directs
from service.log.values import Event
from service.player.actor import Actor
from service.tournament import commands, events
from service.tournament.errors import AlreadyEntered, EntriesClosed
from service.tournament.permissions import (
    require_arbiter,
    require_entered,
    require_entering,
    require_unfinished,
)
from service.tournament.setup import most_entries
from service.tournament.state import TournamentState
from service.tournament.table import MOST_ROUNDS, Mark, TournamentKind
from service.tournament.values import Entry, TournamentStatus

BYES = (Mark.FULL_BYE, Mark.HALF_BYE, Mark.ZERO_BYE)
"""The byes that an arbiter can grant."""
LATE = (TournamentKind.SWISS, TournamentKind.FREE)
"""The kinds that players may enter after the start, and in which they may sit a round out."""
MOST_RATING = 10_000
LAST_RENUMBERING: Final = 3
"""The round of a Swiss up to which corrected ratings and given seeds change pairing numbers."""


def appoint_arbiter(
    command: commands.AppointArbiter, state: TournamentState, actor: Actor
) -> Sequence[Event]:
    """Appoint an arbiter; no events if the player already is one."""
    require_arbiter(state, actor)
    if command.player in state.arbiters:
        return ()
    return (events.ArbiterAppointed(player=command.player),)


def dismiss_arbiter(
    command: commands.DismissArbiter, state: TournamentState, actor: Actor
) -> Sequence[Event]:
    """Dismiss an arbiter; no events if the player is none. Raises BadValue for the last one."""
    require_arbiter(state, actor)
    if command.player not in state.arbiters:
        return ()
    if len(state.arbiters) == 1:
        raise BadValue("player", "is the only arbiter")
    return (events.ArbiterDismissed(player=command.player),)


def open_self_entry(
    command: commands.OpenSelfEntry, state: TournamentState, actor: Actor
) -> Sequence[Event]:
    """Open self-entry; no events if it is open.

    Raises TournamentOver, or EntriesClosed where nobody can enter any more.
    """
    require_arbiter(state, actor)
    require_unfinished(state)
    if state.status is not TournamentStatus.OPEN and state.rules.kind not in LATE:
        raise EntriesClosed(state.rules.kind)
    return () if state.self_entry else (events.SelfEntryOpened(),)


def close_self_entry(
    command: commands.CloseSelfEntry, state: TournamentState, actor: Actor
) -> Sequence[Event]:
    """Close self-entry; no events if it is closed."""
    require_arbiter(state, actor)
    return (events.SelfEntryClosed(),) if state.self_entry else ()


def enter_player(command: commands.Enter, state: TournamentState, actor: Actor) -> Sequence[Event]:
    """A player enters from the next round on, or comes back after withdrawing.

    A player who comes back keeps rating and seed unless others are given. Once pairing numbers
    stay, a new rating does not change them. An arbiter enters them, or they do so by themselves
    while self-entry is open, without rating and seed. Raises
    SelfEntryRefused, TournamentOver, AlreadyEntered, EntriesClosed, ComputerIsCasual where the
    computer would play rated games, or BadValue where the tournament is full, or for a seed once
    pairing numbers stay.
    """
    require_entering(state, actor, command.player)
    require_unfinished(state)
    if not directs(state.arbiters, actor, state.rules.rated):
        refuse_seeding(command, "is given by an arbiter; leave it out")
    if state.rules.rated and seats_computer([command.player]):
        raise ComputerIsCasual("player", "the computer plays in casual tournaments only")
    if command.player in state.entries and command.player not in state.withdrawn:
        raise AlreadyEntered
    if state.status is not TournamentStatus.OPEN and state.rules.kind not in LATE:
        return (make_return_event(state, command),)
    if command.seed is not None and not can_renumber(state):
        raise BadValue("seed", "pairing numbers stay as they are from now on")
    known = state.entries.get(command.player)
    most = most_entries(state.rules.kind, state.rules.cycles)
    if known is None and len(state.entries) >= most:
        raise BadValue("player", phrase("at most {most} players", most=most))
    return make_entry(command, state, known)


def make_entry(
    command: commands.Enter, state: TournamentState, known: Entry | None
) -> Sequence[Event]:
    """Enter a player with the rating and seed of the command, if any.

    Those of a player who had withdrawn are `known`. Once pairing numbers stay (C.04.2), another
    rating is recorded as a correction that does not change them, as `corrections.correct_entry`
    does: a player who was not known gets the last number.
    """
    player, number = command.player, len(state.rounds) + 1
    before, seed = (None, None) if known is None else (known.rating, known.seed)
    rating = before if command.rating is None else command.rating
    seed = seed if command.seed is None else command.seed
    if rating == before or can_renumber(state):
        return (events.PlayerEntered(player=player, round=number, rating=rating, seed=seed),)
    return (
        events.PlayerEntered(player=player, round=number, rating=before, seed=seed),
        events.EntryCorrected(player=player, changes={"rating": rating}, renumbers=False),
    )


def can_renumber(state: TournamentState) -> bool:
    """Whether pairing numbers still follow from corrected ratings and given seeds."""
    last = LAST_RENUMBERING if state.rules.kind in LATE else 0
    return len(state.rounds) <= last and not state.over


def refuse_seeding(command: commands.Enter, why: str) -> None:
    """Raise BadValue if the command gives a rating or a seed."""
    for field, given in (("rating", command.rating), ("seed", command.seed)):
        if given is not None:
            raise BadValue(field, why)


def make_return_event(state: TournamentState, command: commands.Enter) -> events.PlayerEntered:
    """Make the event of a player who returns to a round robin that was scheduled with them.

    They keep their place in the schedule, so a new rating or seed raises BadValue. Raises
    EntriesClosed for anybody else: in a knockout, a player who withdrew has lost.
    """
    player = command.player
    known = state.entries.get(player)
    if (
        state.rules.kind is not TournamentKind.ROUND_ROBIN
        or known is None
        or state.withdrawn[player] <= 1
    ):
        raise EntriesClosed(state.rules.kind)
    refuse_seeding(command, "stays as it was for a player who comes back; leave it out")
    number = len(state.rounds) + 1
    return events.PlayerEntered(player=player, round=number, rating=known.rating, seed=known.seed)


def withdraw_player(
    command: commands.Withdraw, state: TournamentState, actor: Actor
) -> Sequence[Event]:
    """Withdraw a player from the next round on.

    An arbiter does so, or the player while self-entry is open. Raises SelfEntryRefused,
    TournamentOver or BadValue.
    """
    require_entering(state, actor, command.player)
    require_unfinished(state)
    require_entered(state, command.player)
    return (events.PlayerWithdrawn(player=command.player, round=len(state.rounds) + 1),)


def grant_bye(command: commands.GrantBye, state: TournamentState, actor: Actor) -> Sequence[Event]:
    """Grant a bye in a future round, or in one that a late entrant missed.

    No events if the player already has this bye. Raises TournamentOver or BadValue.
    """
    require_arbiter(state, actor)
    require_unfinished(state)
    require_entered(state, command.player)
    if state.rules.kind is not TournamentKind.SWISS:
        raise BadValue("bye", phrase("a {kind} has no byes to grant", kind=state.rules.kind))
    if command.bye not in BYES:
        raise BadValue("bye", phrase("one of {byes}", byes=", ".join(BYES)))
    missed = command.round < state.entries[command.player].entered
    if not missed and not len(state.rounds) < command.round <= MOST_ROUNDS:
        raise BadValue(
            "round",
            "must be a round not paired yet, or one missed by entering late",
        )
    if state.granted.get((command.player, command.round)) == command.bye:
        return ()
    bye = events.ByeGranted(player=command.player, round=command.round, bye=command.bye)
    return (bye,)


def cancel_bye(
    command: commands.CancelBye, state: TournamentState, actor: Actor
) -> Sequence[Event]:
    """Cancel a granted bye; no events if there is none.

    Raises BadValue once its round is paired.
    """
    require_arbiter(state, actor)
    require_unfinished(state)
    if (command.player, command.round) not in state.granted:
        return ()
    late = command.player in state.entries and command.round < state.entries[command.player].entered
    if command.round <= len(state.rounds) and not late:
        raise BadValue("round", "is paired already")
    return (events.ByeCancelled(player=command.player, round=command.round),)
