"""The next round of a tournament, by its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.errors import BadValue
from service.ids import derived_id
from service.tournament.commands import PairRound
from service.tournament.events import RoundPaired
from service.tournament.pairing.berger import berger
from service.tournament.pairing.board import Board, PairedRound, check_boards, require_results
from service.tournament.pairing.errors import NothingToPair
from service.tournament.pairing.knockout import pair_knockout
from service.tournament.pairing.swiss import pair_swiss
from service.tournament.state import TournamentState, entrants, table
from service.tournament.table import EntrantId, Kind, Mark, Result


def paired(state: TournamentState, command: PairRound) -> RoundPaired:
    """The next round, its games named.

    Raises UnfinishedRound where it depends on open games, NothingToPair after the last, BadValue,
    and what the pairing rules raise.
    """
    if (command.boards is not None) != (state.rules.kind is Kind.FREE):
        raise BadValue("boards", "given in free pairing alone")
    round = len(state.rounds) + 1
    match state.rules.kind:
        case Kind.FREE:
            found = given(state, command)
        case Kind.ROUND_ROBIN:
            found = scheduled(state, round)
        case Kind.KNOCKOUT:
            require_results(table(state))
            rules = state.rules
            found = pair_knockout(table(state), rules.regulations.scheme, rules.knockout)
        case Kind.SWISS:
            found = drawn(state, round)
    boards = tuple(
        numbered(state, command.salt, round, number, board)
        for number, board in enumerate(found.boards, 1)
    )
    resting = found.resting if state.rules.kind is Kind.SWISS else ()
    byes = tuple({"player": str(id), "bye": Mark.PAIRING_BYE.value} for id in resting)
    return RoundPaired(round=round, boards=boards, byes=byes)


def numbered(
    state: TournamentState, salt: str, round: int, number: int, board: Board
) -> Mapping[str, Any]:
    """A board of the round: with its game, or forfeited by who has withdrawn."""
    told: dict[str, Any] = {"board": number, "first": board.first, "second": board.second}
    first, second = (
        state.withdrawn.get(id, round + 1) > round for id in (board.first, board.second)
    )
    if first and second:
        return {**told, "game": derived_id(salt.encode(), str(round), str(number))}
    if first or second:
        return {**told, "result": Result.FIRST_FORFEIT if first else Result.SECOND_FORFEIT}
    return {**told, "result": Result.BOTH_FORFEIT}


def given(state: TournamentState, command: PairRound) -> PairedRound:
    """The pairings of free pairing as the arbiter gave them."""
    boards = tuple(Board(EntrantId(a), EntrantId(b)) for a, b in command.boards or ())
    if not boards:
        raise NothingToPair
    check_boards(table(state), len(state.rounds) + 1, boards)
    return PairedRound(boards)


def scheduled(state: TournamentState, round: int) -> PairedRound:
    """A round of the round robin's schedule, made for those who were there at its start."""
    takes_part = [e.id for e in entrants(state, {}) if state.withdrawn.get(e.id, 2) > 1]
    rounds = berger(takes_part, state.rules.cycles)
    if round > len(rounds):
        raise NothingToPair
    return rounds[round - 1]


def drawn(state: TournamentState, round: int) -> PairedRound:
    """The next round of a Swiss."""
    rules = state.rules
    assert rules.rounds is not None
    if round > rules.rounds:
        raise NothingToPair
    require_results(table(state))
    return pair_swiss(table(state), rules.regulations.scheme, rules.rounds, rules.first_round_first)
