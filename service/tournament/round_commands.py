"""Commands on rounds: an arbiter requests one or takes it back, the pairer makes it."""

from __future__ import annotations

from collections.abc import Sequence

from engine.phrase import phrase
from service.errors import BadValue
from service.game.permissions import require_pairer
from service.game.setup import check_reason
from service.log.values import Event
from service.player.actor import Actor
from service.tournament import commands, events
from service.tournament.errors import RoundBegun, RoundPending
from service.tournament.next_round import check
from service.tournament.pairing.board import PairedBoard
from service.tournament.permissions import require_arbiter, require_unfinished
from service.tournament.state import TournamentState
from service.tournament.table import EntrantId
from service.tournament.values import Round, Stage


def request_round(
    command: commands.PairRound, state: TournamentState, actor: Actor
) -> Sequence[Event]:
    """Request the next round.

    Raises RoundPending, TournamentOver, BadValue for the number of another round, and what `check`
    raises.
    """
    require_arbiter(state, actor)
    require_unfinished(state)
    if state.pending is not None:
        raise RoundPending(state.pending.number)
    number = len(state.rounds) + 1
    if command.round not in (None, number):
        raise BadValue("round", phrase("the next round to pair is {number}", number=number))
    boards = command.boards
    given = None if boards is None else [PairedBoard(EntrantId(a), EntrantId(b)) for a, b in boards]
    check(state, given)
    told = None if boards is None else tuple({"first": a, "second": b} for a, b in boards)
    return (events.RoundAsked(round=number, boards=told),)


def unpair_round(
    command: commands.UnpairRound, state: TournamentState, actor: Actor
) -> Sequence[Event]:
    """Take the last round back before play; raises BadValue, RoundBegun or TournamentOver."""
    require_arbiter(state, actor)
    require_unfinished(state)
    check_reason(command.reason)
    if not state.rounds or command.round != len(state.rounds):
        raise BadValue("round", "only the last round can be taken back")
    if any(pairing.begun for pairing in state.rounds[-1].pairings):
        raise RoundBegun(command.round)
    return (events.RoundUnpaired(round=command.round, reason=command.reason),)


def find_pending(state: TournamentState, asked: int, stage: Stage, actor: Actor) -> Round | None:
    """Find the round that a worker refers to; None if it is gone or past this stage.

    Raises MissingScope.
    """
    require_pairer(actor)
    pending = state.pending
    if pending is None or (pending.version, pending.stage) != (asked, stage):
        return None
    return pending


def settle_round(
    command: commands.SettleRound, state: TournamentState, actor: Actor
) -> Sequence[Event]:
    """Record a requested round's pairings; no events if it is already paired or gone."""
    pending = find_pending(state, command.asked, Stage.ASKED, actor)
    if pending is None:
        return ()
    boards, byes = tuple(command.boards), tuple(command.byes)
    return (events.RoundPaired(round=pending.number, boards=boards, byes=byes),)


def refuse_round(
    command: commands.RefuseRound, state: TournamentState, actor: Actor
) -> Sequence[Event]:
    """Record why a requested round cannot be paired; no events if it is already paired or gone."""
    pending = find_pending(state, command.asked, Stage.ASKED, actor)
    if pending is None:
        return ()
    refused = events.RoundRefused(round=pending.number, code=command.code, detail=command.detail)
    return (refused,)


def confirm_round(
    command: commands.ConfirmRound, state: TournamentState, actor: Actor
) -> Sequence[Event]:
    """Open a paired round once its games exist; no events if it is already open or gone."""
    pending = find_pending(state, command.asked, Stage.PAIRED, actor)
    if pending is None:
        return ()
    return (events.RoundReady(round=pending.number),)
