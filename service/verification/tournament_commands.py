"""The commands behind a tournament's events: what must have been requested for each of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Final

from service.log.values import Event, Recorded
from service.tournament import commands, events
from service.tournament.entries import can_renumber
from service.tournament.state import TournamentState
from service.tournament.table import Result, TournamentKind
from service.tournament.values import FORFEITS, Finished, TournamentStatus

COMMANDS: Final[Mapping[type[Event], type[commands.TournamentCommand]]] = {
    events.ArbiterAppointed: commands.AppointArbiter,
    events.ArbiterDismissed: commands.DismissArbiter,
    events.PlayerEntered: commands.Enter,
    events.PlayerWithdrawn: commands.Withdraw,
    events.SelfEntryOpened: commands.OpenSelfEntry,
    events.SelfEntryClosed: commands.CloseSelfEntry,
    events.ByeGranted: commands.GrantBye,
    events.ByeCancelled: commands.CancelBye,
    events.RoundAsked: commands.PairRound,
    events.RoundRefused: commands.RefuseRound,
    events.RoundPaired: commands.SettleRound,
    events.RoundReady: commands.ConfirmRound,
    events.RoundUnpaired: commands.UnpairRound,
    events.GameJoined: commands.Join,
    events.ResultTallied: commands.CountGame,
    events.ResultRuled: commands.Rule,
    events.RulingLifted: commands.LiftRuling,
    events.TournamentFinished: commands.Finish,
    events.TournamentAmended: commands.Amend,
    events.EntryCorrected: commands.CorrectEntry,
    events.EntryRemoved: commands.RemoveEntry,
    events.TournamentCancelled: commands.Cancel,
}
"""The command behind each event after the first. Most have the fields of the event."""


def command_behind(event: Event, state: TournamentState) -> commands.TournamentCommand:
    """The command that produces this event in a tournament of this state; raises KeyError."""
    kind = COMMANDS[type(event)]
    given = {field.name: getattr(event, field.name) for field in fields(event)}
    given |= special_fields(event, state)
    return kind(**{field.name: given[field.name] for field in fields(kind) if field.name in given})


def special_fields(event: Event, state: TournamentState) -> Mapping[str, Any]:
    """The fields of the command that the event has in another form, or not at all."""
    match event:
        case events.PlayerEntered():
            return find_given_seeding(event, state)
        case events.RoundAsked(boards=boards) if boards is not None:
            return {"boards": [(board["first"], board["second"]) for board in boards]}
        case events.RoundRefused() | events.RoundPaired() | events.RoundReady():
            return {"asked": 0 if state.pending is None else state.pending.version}
        case events.EntryCorrected(changes=changes):
            return {
                "rating": changes.get("rating"),
                "seed": changes.get("seed"),
                "replacement": changes.get("player"),
            }
        case events.GameJoined():
            # The event after it says how it ended.
            game = finished_game(state, event.game, Result.DRAW)
            return {"game": game, "seats": (event.first, event.second)}
        case events.ResultTallied():
            return {"game": tallied_game(state, event)}
    return {}


def find_given_seeding(
    event: events.PlayerEntered, state: TournamentState
) -> Mapping[str, int | None]:
    """The rating and the seed that an entry's command must have given.

    A player who returns keeps both, and need not give them: players who enter by themselves may
    not, and nobody may for a round robin that is scheduled.
    """
    given = {"rating": event.rating, "seed": event.seed}
    if is_scheduled(state):
        return dict.fromkeys(given)
    if not can_renumber(state):
        # A seed is that of a player who returns, or was given before it was refused.
        given["seed"] = None
    if (known := state.entries.get(event.player)) is None:
        return given
    return {name: None if new == getattr(known, name) else new for name, new in given.items()}


def return_behind(corrected: Recorded, entered: Recorded) -> commands.Enter | None:
    """The command that made both an entry and the event after it; None if these were two commands.

    It is that of a player who entered with a new rating once pairing numbers stayed, which is
    recorded as a correction.
    """
    first, second = entered.event, corrected.event
    if not isinstance(first, events.PlayerEntered) or not isinstance(second, events.EntryCorrected):
        return None
    if (entered.by, entered.at, first.player) != (corrected.by, corrected.at, second.player):
        return None
    return commands.Enter(player=first.player, rating=second.changes.get("rating"))


def is_scheduled(state: TournamentState) -> bool:
    """Whether all rounds of a round robin are fixed, so that players can only return to it."""
    running = state.status is not TournamentStatus.OPEN
    return running and state.rules.kind is TournamentKind.ROUND_ROBIN


def is_earlier_entry(due: Event, event: Event, state: TournamentState) -> bool:
    """Whether an entry is one that only earlier versions of the service recorded.

    With these a player who returned lost rating and seed, and a rating and a seed that changed the
    pairing numbers could be given at any time.
    """
    if not (isinstance(due, events.PlayerEntered) and isinstance(event, events.PlayerEntered)):
        return False
    if is_scheduled(state):
        return False
    return replace(due, rating=event.rating, seed=event.seed) == event


def as_paired_earlier(state: TournamentState) -> TournamentState:
    """The tournament by the rules of earlier versions of the service, as far as they pair it.

    A forfeit brought no game points in the tie of a knockout.
    """
    rules = state.rules
    if rules.kind is not TournamentKind.KNOCKOUT or not rules.knockout.by_game_points:
        return state
    scheme = replace(rules.regulations.scheme, game={})
    regulations = replace(rules.regulations, scheme=scheme)
    return replace(state, rules=replace(rules, regulations=regulations))


def tallied_game(state: TournamentState, event: events.ResultTallied) -> Finished:
    """The game whose result an event counts, according to the event."""
    # A game lost by forfeit counts as unplayed, and its termination says so.
    results = {forfeit.value: result for result, forfeit in FORFEITS.items()}
    result = results.get(event.result, event.result)
    return finished_game(
        state,
        event.game,
        result,
        version=event.version,
        termination=event.termination,
        points=event.points,
        plies=event.plies,
    )


def finished_game(state: TournamentState, id: str, result: str, **more: Any) -> Finished:
    """A game of the tournament's variant that ended with this result."""
    given = {"version": 1, "termination": None, "points": None, "plies": 0}
    seats = (None, None)
    return Finished(
        id=id, variant=state.rules.variant, creator="", seats=seats, result=result, **given | more
    )


def creation_behind(event: events.TournamentCreated) -> commands.CreateTournament:
    """The command that sets up the tournament of an event."""
    given = {field.name: getattr(event, field.name) for field in fields(event)}
    given["secret_choice"] = given.pop("infiltrators")
    del given["edition"]
    return commands.CreateTournament(**given)
