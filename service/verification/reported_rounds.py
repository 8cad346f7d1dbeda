"""The events of a tournament that come from a report: its rounds, which nobody requested here."""

from __future__ import annotations

from service.log.values import Event
from service.tournament import events
from service.tournament.reporting import KINDS, REPORTED
from service.tournament.state import TournamentState
from service.tournament.table import BYES, Mark, Result, TournamentKind
from service.tournament.values import Stage
from service.verification.errors import Wrong


def is_of_report(event: Event, state: TournamentState) -> bool:
    """Whether an event comes from a report and not from a command; raises Wrong if it cannot.

    A report's players enter by the ordinary event; its rounds were requested by nobody.
    """
    if state.rules.kind not in KINDS:
        return False
    match event:
        case events.RoundPaired() if state.pending is None:
            check_reported(event, state)
            return True
        case events.RoundReady(round=round):
            pending = state.pending
            return pending is not None and (pending.stage, pending.number) == (Stage.PAIRED, round)
        case events.ByeGranted(player=player, round=round, bye=bye):
            return player in state.entries and round > len(state.rounds) and Mark(bye) in BYES
    return False


def check_reported(event: events.RoundPaired, state: TournamentState) -> None:
    """Raise Wrong unless a reported round seats players of the tournament, each only once."""
    if event.round != len(state.rounds) + 1:
        raise Wrong(f"round {event.round} where {len(state.rounds) + 1} is due")
    seated = [board[side] for board in event.boards for side in ("first", "second")]
    seated += [bye["player"] for bye in event.byes]
    if unknown := [player for player in seated if player not in state.entries]:
        raise Wrong(f"{unknown[0]} has not entered")
    if len(set(seated)) < len(seated) and state.rules.kind is not TournamentKind.FREE:
        raise Wrong("a player is seated twice")
    for number, board in enumerate(event.boards, 1):
        if board["board"] != number or "game" in board or board["first"] == board["second"]:
            raise Wrong(f"board {number} is none that a report brings")
        if "result" in board and (Result(board["result"]), board.get("reason")) != (
            board["result"],
            REPORTED,
        ):
            raise Wrong(f"board {number} has a result that a report does not bring")
    for bye in event.byes:
        if Mark(bye["bye"]) not in BYES:
            raise Wrong(f"{bye['bye']} is no bye")
