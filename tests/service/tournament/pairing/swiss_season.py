"""Random Swiss tournaments: late entries, withdrawals, byes, forfeits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from service.tournament.pairing.board import PairedRound
from service.tournament.pairing.errors import NoPairing
from service.tournament.pairing.swiss import pair_swiss
from service.tournament.scheme import STANDARD, THREE_POINTS
from service.tournament.table import (
    Bye,
    Entrant,
    EntrantId,
    Mark,
    Meeting,
    Result,
    Table,
    TournamentKind,
)
from tests.service.tournament.pairing.swiss_rules import Player, Round

RESULTS = [Result.FIRST] * 8 + [Result.DRAW] * 6 + [Result.SECOND] * 7
RARE = [Result.FIRST_FORFEIT, Result.SECOND_FORFEIT, Result.BOTH_FORFEIT]
WORTH = {
    "1-0": (Mark.WIN, Mark.LOSS),
    "0-1": (Mark.LOSS, Mark.WIN),
    "1/2-1/2": (Mark.DRAW, Mark.DRAW),
    "+/-": (Mark.FORFEIT_WIN, Mark.FORFEIT_LOSS),
    "-/+": (Mark.FORFEIT_LOSS, Mark.FORFEIT_WIN),
    "-/-": (Mark.FORFEIT_LOSS, Mark.FORFEIT_LOSS),
}


@dataclass(frozen=True)
class PlayedRound:
    """A paired round, as the tests' rules see it; the last one may be `refused`."""

    round: Round
    pairs: list[tuple[int, int]]
    byes: list[int]
    refused: bool = False


def season(seed: int, most: int) -> Iterator[PlayedRound]:
    """The rounds of tournament number `seed`, which has at most `most` players."""
    random = Random(seed)
    size = random.randint(4, most)
    planned = random.randint(2, min(11, size - 1))
    scheme = random.choice([STANDARD, STANDARD, THREE_POINTS])
    worth = {mark: int(points * 10) for mark, points in scheme.match.items()}
    lot = random.random() < 0.5
    trouble = random.choice([0.0, 0.0, 0.05, 0.15])
    late = {each for each in range(1, size + 1) if random.random() < trouble / 2}
    entrants = tuple(
        Entrant(EntrantId(f"e{each}"), each, entered=2 if each in late else 1)
        for each in range(1, size + 1)
    )
    players = {each: Player(each) for each in range(1, size + 1)}
    table = Table(TournamentKind.SWISS, 0, entrants)
    for number in range(1, planned + 1):
        table = replace(table, byes=table.byes + _requests(random, table, number, trouble))
        table = replace(table, withdrawn={**table.withdrawn, **_leaving(random, table, trouble)})
        away = {bye.entrant for bye in table.byes if bye.round == number} | set(table.withdrawn)
        there = {each.seed for each in entrants if each.id not in away and each.entered <= number}
        if len(there) < 2:
            return
        present = {each: players[each] for each in there}
        round = Round(present, number, planned, worth[Mark.WIN], lot)
        try:
            paired = pair_swiss(table, scheme, planned, lot)
        except NoPairing:
            yield PlayedRound(round, [], [], refused=True)
            return
        pairs = [(_seed(board.first), _seed(board.second)) for board in paired.boards]
        byes = [_seed(each) for each in paired.resting]
        yield PlayedRound(round, pairs, byes)
        table = _played(random, table, paired, number, trouble)
        _enter(players, table, number, worth)


def _requests(random: Random, table: Table, round: int, trouble: float) -> tuple[Bye, ...]:
    kinds = [Mark.HALF_BYE, Mark.ZERO_BYE, Mark.FULL_BYE]
    return tuple(
        Bye(round, each.id, random.choice(kinds))
        for each in table.entrants
        if random.random() < trouble and each.id not in table.withdrawn
    )


def _leaving(random: Random, table: Table, trouble: float) -> dict[EntrantId, int]:
    return {
        each.id: table.rounds + 1
        for each in table.entrants
        if each.id not in table.withdrawn and random.random() < trouble / 5
    }


def _played(random: Random, table: Table, paired: PairedRound, round: int, trouble: float) -> Table:
    meetings = tuple(
        Meeting(
            round,
            board.first,
            board.second,
            random.choice(RARE if random.random() < trouble else RESULTS),
        )
        for board in paired.boards
    )
    byes = tuple(Bye(round, each, Mark.PAIRING_BYE) for each in paired.resting)
    return replace(table, rounds=round, meetings=table.meetings + meetings, byes=table.byes + byes)


def _enter(players: dict[int, Player], table: Table, round: int, worth: dict[Mark, int]) -> None:
    """Record the round's outcome for each player of the tests' rules."""
    outcome = dict.fromkeys(players, (0, "", worth[Mark.ZERO_BYE]))
    for bye in table.byes:
        if bye.round == round:
            outcome[_seed(bye.entrant)] = (0, "", worth[bye.kind])
            players[_seed(bye.entrant)].had_bye |= bye.kind is Mark.PAIRING_BYE
    for meeting in table.meetings:
        if meeting.round == round:
            white, black = _seed(meeting.first), _seed(meeting.second)
            assert meeting.result
            played = meeting.result.value in ("1-0", "1/2-1/2", "0-1")
            first, second = WORTH[meeting.result.value]
            outcome[white] = (black if played else 0, "w" if played else "", worth[first])
            outcome[black] = (white if played else 0, "b" if played else "", worth[second])
            players[white].had_bye |= meeting.result is Result.FIRST_FORFEIT
            players[black].had_bye |= meeting.result is Result.SECOND_FORFEIT
    for seed, (met, colour, score) in outcome.items():
        player = players[seed]
        player.met.append(met)
        player.colours.append(colour)
        player.scores.append(score)


def _seed(entrant: EntrantId) -> int:
    return int(entrant[1:])
