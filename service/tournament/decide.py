"""`decide(state, command, actor)`: the events of a command to a tournament, or an error."""

from __future__ import annotations

from collections.abc import Sequence

from service.game.permissions import require_scope
from service.log.dispatch import DispatchTable, handle
from service.log.values import Event
from service.player.actor import Actor
from service.player.scopes import ARBITER
from service.tournament import commands, corrections, entries, events, results, round_commands
from service.tournament.commands import TournamentCommand
from service.tournament.errors import RoundPending, TournamentOver
from service.tournament.pairing.board import require_results
from service.tournament.permissions import require_arbiter, require_directing_scope
from service.tournament.reporting import derive_events
from service.tournament.setup import check_tag_count, make_rules_event
from service.tournament.state import TournamentState, table
from service.tournament.table import TournamentKind


def create(command: commands.NewTournament, actor: Actor) -> Sequence[Event]:
    """The events of a new tournament.

    Any player may set up a tournament of casual games, but rated ones need an arbiter's token.
    Raises MissingScope, what `setup.make_rules_event` and `setup.check_tag_count` raise, and
    Inconsistent for a bad report.
    """
    if isinstance(command, commands.ImportReport):
        require_scope(actor, ARBITER)
        tournament = command.tournament
        happened = derive_events(command.report, TournamentKind(tournament.kind), command.players)
        return (make_rules_event(tournament), *happened)
    require_directing_scope(actor, command.rated)
    agreed = make_rules_event(command)
    check_tag_count(agreed.tags)
    return (agreed, events.SelfEntryOpened()) if command.self_entry else (agreed,)


def decide(command: TournamentCommand, state: TournamentState, actor: Actor) -> Sequence[Event]:
    """Return the events that a command causes; raises a ServiceError if it is not allowed."""
    return DECISIONS(command, state, actor)


def finish_tournament(
    command: commands.Finish, state: TournamentState, actor: Actor
) -> Sequence[Event]:
    """End the tournament; no events if it is finished.

    Raises RoundPending, UnfinishedRound, or TournamentOver if it was cancelled.
    """
    require_arbiter(state, actor)
    if state.cancelled:
        raise TournamentOver(state.status)
    if state.pending is not None:
        raise RoundPending(state.pending.number)
    require_results(table(state))
    return () if state.finished else (events.TournamentFinished(),)


DECISIONS = DispatchTable[TournamentState, Actor, Sequence[Event]](
    "a command on a tournament",
    handle(commands.AppointArbiter, entries.appoint_arbiter),
    handle(commands.DismissArbiter, entries.dismiss_arbiter),
    handle(commands.Enter, entries.enter_player),
    handle(commands.Withdraw, entries.withdraw_player),
    handle(commands.OpenSelfEntry, entries.open_self_entry),
    handle(commands.CloseSelfEntry, entries.close_self_entry),
    handle(commands.GrantBye, entries.grant_bye),
    handle(commands.CancelBye, entries.cancel_bye),
    handle(commands.PairRound, round_commands.request_round),
    handle(commands.UnpairRound, round_commands.unpair_round),
    handle(commands.SettleRound, round_commands.settle_round),
    handle(commands.RefuseRound, round_commands.refuse_round),
    handle(commands.ConfirmRound, round_commands.confirm_round),
    handle(commands.CountGame, results.count_game),
    handle(commands.Join, results.join_game),
    handle(commands.Rule, results.rule_result),
    handle(commands.EnterResults, results.enter_results),
    handle(commands.LiftRuling, results.lift_ruling),
    handle(commands.Finish, finish_tournament),
    handle(commands.Amend, corrections.amend_tournament),
    handle(commands.CorrectEntry, corrections.correct_entry),
    handle(commands.RemoveEntry, corrections.remove_entry),
    handle(commands.Cancel, corrections.cancel_tournament),
)
"""The events of each command on a tournament."""
