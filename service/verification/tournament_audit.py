"""Checks a tournament of the archive against its rules, and against the logs of its games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from service.game.evolve import fold as fold_game
from service.game.repository import stream_of as stream_of_game
from service.log.errors import LogError
from service.log.interface import EventLog
from service.log.values import StreamId
from service.tournament.counted_games import summarise_game
from service.tournament.state import TournamentState
from service.tournament.values import Pairing, Tallied, result_of
from service.verification.audit import check_chain
from service.verification.errors import Wrong
from service.verification.tournament import replay_tournament


@dataclass(frozen=True, slots=True)
class TournamentFinding:
    """One tournament, and the first thing in it that its rules or its games contradict."""

    tournament: str
    fault: Wrong | None

    def as_json(self) -> dict[str, Any]:
        """The finding for programs; `event` is None where no one event diverges."""
        return {
            "tournament": self.tournament,
            "diverges": self.fault is not None,
            "event": self.fault.place.event if self.fault else None,
            "reason": self.fault.reason if self.fault else None,
        }

    def __str__(self) -> str:
        verdict = f"diverges at {self.fault}" if self.fault else "agrees"
        return f"{self.tournament} (tournament) {verdict}"


def audit_tournament(log: EventLog, stream: StreamId) -> TournamentFinding:
    """Follow a tournament's chain, replay its events, and compare its results with its games."""
    try:
        entries = log.read(stream)
        check_chain(stream, entries)
        state = replay_tournament(stream.id, entries)
        for round in state.rounds:
            for pairing in round.pairings:
                if pairing.tallied is not None and pairing.game is not None:
                    check_counted_game(log, state, pairing, pairing.game, pairing.tallied)
    except LogError as error:
        return TournamentFinding(stream.id, Wrong(str(error)))
    except Wrong as wrong:
        return TournamentFinding(stream.id, wrong)
    return TournamentFinding(stream.id, None)


def check_counted_game(
    log: EventLog, state: TournamentState, pairing: Pairing, id: str, tallied: Tallied
) -> None:
    """Raise Wrong unless a game ended as its tournament counted it at that version."""
    board = f"round {pairing.round}, board {pairing.board}: "
    recorded = log.read(stream_of_game(id), limit=tallied.version)
    game = fold_game(id, recorded)
    if game is None or game.version < tallied.version:
        raise Wrong(f"{board}the game {id} has no version {tallied.version}")
    ended = summarise_game(game)
    result = result_of(ended.result, ended.termination)
    counted = (tallied.result, tallied.termination, tallied.points, tallied.plies)
    if counted != (result, ended.termination, ended.points, ended.plies):
        raise Wrong(
            f"{board}counted as {tallied.result or '*'}, the game {id} says {result or '*'}"
        )
    if ended.variant != state.rules.variant:
        raise Wrong(f"{board}the game {id} is one of {ended.variant}")
