"""The next round of a tournament, by its kind: whether there can be one, and who meets whom.

`check` makes the quick checks when an arbiter requests the round. Pairing itself may take minutes,
so a worker does it (`pair_next_round`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from service.errors import BadValue
from service.game.state import GameState
from service.ids import derived_id
from service.tournament.commands import RefuseRound
from service.tournament.errors import RoundBegun
from service.tournament.pairing.berger import berger, number_of_rounds
from service.tournament.pairing.board import (
    PairedBoard,
    PairedRound,
    available,
    check_boards,
    require_results,
)
from service.tournament.pairing.errors import NothingToPair, PairingError, TooFewEntrants
from service.tournament.pairing.knockout import pair_knockout
from service.tournament.pairing.swiss import pair_swiss
from service.tournament.state import TournamentState, entrants, table
from service.tournament.table import MOST_ROUNDS, EntrantId, Mark, Result, TournamentKind


def check(state: TournamentState, boards: Sequence[PairedBoard] | None) -> None:
    """Raise if the next round cannot be requested; `boards` are those of free pairing.

    Raises UnfinishedRound if the pairing depends on open games, NothingToPair after the last round,
    TooFewEntrants, NotEntered, SeatedTwice or BadValue. Only the worker finds out, when it pairs
    the round, whether any pairing satisfies the rules.
    """
    rules, number = state.rules, len(state.rounds) + 1
    if number > MOST_ROUNDS:
        raise NothingToPair
    if (boards is not None) != (rules.kind is TournamentKind.FREE):
        raise BadValue("boards", "only for free pairing")
    match rules.kind:
        case TournamentKind.FREE:
            if not boards:
                raise NothingToPair
            check_boards(table(state), number, boards)
        case TournamentKind.ROUND_ROBIN:
            there = len(list_scheduled(state))
            if there < 2:
                raise TooFewEntrants(there)
            if number > number_of_rounds(there, rules.cycles):
                raise NothingToPair
        case TournamentKind.KNOCKOUT:
            pair_knockout(table(state), rules.regulations.scheme, rules.knockout)
        case TournamentKind.SWISS:
            require_results(table(state))
            if number > count_rounds(state):
                raise NothingToPair
            there = len(available(table(state), number))
            if there < 2:
                raise TooFewEntrants(there)


def check_unplayed(state: TournamentState, games: Iterable[GameState]) -> None:
    """Raise RoundBegun if the last round's `games` include one with an action or an end."""
    if state.rounds[-1].ready and any(game.plies or game.ending is not None for game in games):
        raise RoundBegun(len(state.rounds))


def pair_next_round(state: TournamentState, wish: Sequence[PairedBoard] | None) -> PairedRound:
    """Pair the next round of a tournament; `wish` are the requested boards of free pairing.

    Raises what the pairing rules raise.
    """
    rules = state.rules
    match rules.kind:
        case TournamentKind.FREE:
            return PairedRound(tuple(wish or ()))
        case TournamentKind.ROUND_ROBIN:
            return list_schedules(state)[0][len(state.rounds)]
        case TournamentKind.KNOCKOUT:
            return pair_knockout(table(state), rules.regulations.scheme, rules.knockout)
        case TournamentKind.SWISS:
            scheme = rules.regulations.scheme
            return pair_swiss(table(state), scheme, count_rounds(state), rules.first_round_first)


def make_refusal(asked: int, error: PairingError) -> RefuseRound:
    """Make the command that refuses the round requested at version `asked`, for this error."""
    return RefuseRound(asked=asked, code=error.code, detail=str(error))


def list_scheduled(state: TournamentState) -> list[EntrantId]:
    """The entrants a round robin was scheduled for: those at its start, by seed."""
    return [e.id for e in entrants(state, {}) if state.withdrawn.get(e.id, 2) > 1]


def list_schedules(state: TournamentState) -> list[tuple[PairedRound, ...]]:
    """The schedules that the paired rounds of a round robin fit; the first is the one to follow.

    There may be two: four players who meet three or four times had another order of rounds earlier,
    and a tournament begun in it goes on in it.
    """
    players, cycles = list_scheduled(state), state.rules.cycles
    newest = berger(players, cycles)
    found = [newest, berger(players, cycles, earlier=True)]
    paired = [{(one.first, one.second) for one in round.pairings} for round in state.rounds]

    def fits(schedule: tuple[PairedRound, ...]) -> bool:
        due = [{(b.first, b.second) for b in each.boards} for each in schedule[: len(paired)]]
        return due == paired

    return [schedule for schedule in found if fits(schedule)] or [newest]


def count_rounds(state: TournamentState) -> int:
    """The number of rounds planned for a Swiss."""
    assert state.rules.rounds is not None
    return state.rules.rounds


def plan_rounds(state: TournamentState) -> int | None:
    """The number of rounds of the tournament; None if it only shows as the tournament goes on.

    A round robin's number follows from the number of players, at least two.
    """
    match state.rules.kind:
        case TournamentKind.SWISS:
            return count_rounds(state)
        case TournamentKind.ROUND_ROBIN:
            there = len(list_scheduled(state))
            return number_of_rounds(there, state.rules.cycles) if there > 1 else None
        case _:
            return None


def is_last_round(state: TournamentState) -> bool:
    """Whether no round follows the existing ones, whatever results are still to come."""
    if state.rules.kind is TournamentKind.KNOCKOUT:
        try:
            pair_knockout(table(state), state.rules.regulations.scheme, state.rules.knockout)
        except PairingError as error:
            return isinstance(error, NothingToPair)
        return False
    planned = plan_rounds(state)
    return bool(state.rounds) and planned is not None and len(state.rounds) >= planned


def name_boards(
    state: TournamentState, found: PairedRound, salt: str, asked: int
) -> list[Mapping[str, Any]]:
    """The boards of the next round as its event has them, with ids for their games.

    `salt` is secret, so that nobody can guess the games' ids. `asked` is the version at which the
    round was requested, so that a round that is paired again has other games. So has one with other
    players: a backup may have the games of a round, but not its request.
    """
    number = len(state.rounds) + 1

    def game(place: int, board: PairedBoard) -> str:
        parts = (number, asked, place, board.first, board.second)
        return derived_id(salt.encode(), *map(str, parts))

    return [
        _name_board(state, number, place, board, game(place, board))
        for place, board in enumerate(found.boards, 1)
    ]


def _name_board(
    state: TournamentState, round: int, number: int, board: PairedBoard, game: str
) -> Mapping[str, Any]:
    """A board of the round: forfeited by a withdrawn player, or with a game to be played here."""
    told: dict[str, Any] = {"board": number, "first": board.first, "second": board.second}
    first, second = (
        state.withdrawn.get(id, round + 1) > round for id in (board.first, board.second)
    )
    if first and second:
        return told if state.rules.over_the_board else {**told, "game": game}
    if first or second:
        return {**told, "result": Result.FIRST_FORFEIT if first else Result.SECOND_FORFEIT}
    return {**told, "result": Result.BOTH_FORFEIT}


def list_pairing_byes(state: TournamentState, found: PairedRound) -> list[Mapping[str, str]]:
    """The pairing-allocated byes as the round's event stores them; only a Swiss has any."""
    resting = found.resting if state.rules.kind is TournamentKind.SWISS else ()
    return [{"player": str(id), "bye": Mark.PAIRING_BYE.value} for id in resting]
