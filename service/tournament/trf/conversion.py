"""Converts between a tournament and its report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final, NoReturn

from engine.side import Side
from service.tournament.scheme import SCHEMES, STANDARD, ScoringScheme
from service.tournament.standings import RankTerm, Regulations, Standing, standings
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
from service.tournament.trf.errors import Inconsistent, NotReportable
from service.tournament.trf.report import (
    Details,
    Report,
    ReportedPlayer,
    ReportedRound,
    RequestedBye,
)

MARKS: Final[Mapping[Mark, str]] = {
    Mark.WIN: "1", Mark.DRAW: "=", Mark.LOSS: "0",
    Mark.FORFEIT_WIN: "+", Mark.FORFEIT_LOSS: "-",
    Mark.PAIRING_BYE: "U", Mark.FULL_BYE: "F", Mark.HALF_BYE: "H", Mark.ZERO_BYE: "Z",
}  # fmt: skip
UNRATED: Final[Mapping[Mark, str]] = {Mark.WIN: "W", Mark.DRAW: "D", Mark.LOSS: "L"}
BYES: Final[Mapping[str, Mark]] = {MARKS[mark]: mark for mark in Mark if MARKS[mark] in "UFHZ"}
RESULTS: Final[Mapping[tuple[str, str], Result | None]] = {
    ("1", "0"): Result.FIRST, ("=", "="): Result.DRAW, ("0", "1"): Result.SECOND,
    ("W", "L"): Result.FIRST, ("D", "D"): Result.DRAW, ("L", "W"): Result.SECOND,
    ("+", "-"): Result.FIRST_FORFEIT, ("-", "+"): Result.SECOND_FORFEIT,
    ("-", "-"): Result.BOTH_FORFEIT, ("", ""): None,
}  # fmt: skip
"""A pairing's result by the results of the first and the second side."""

CODES: Final[Mapping[Mark, str]] = {
    Mark.WIN: "W", Mark.DRAW: "D", Mark.LOSS: "L",
    Mark.FORFEIT_WIN: "FW", Mark.FORFEIT_LOSS: "FL",
    Mark.PAIRING_BYE: "PAB", Mark.FULL_BYE: "FPB",
    Mark.HALF_BYE: "HPB", Mark.ZERO_BYE: "ZPB",
}  # fmt: skip
TERMS: Final[Mapping[RankTerm, str | None]] = {
    RankTerm.MATCH_POINTS: "PTS", RankTerm.DIRECT_ENCOUNTER: "DE", RankTerm.BUCHHOLZ: "BH",
    RankTerm.BUCHHOLZ_CUT_1: "BH/C1", RankTerm.BUCHHOLZ_MEDIAN: "BH/M1",
    RankTerm.SONNEBORN_BERGER: "SB", RankTerm.PROGRESSIVE: "PS", RankTerm.WINS: "WIN",
    RankTerm.GAMES_WON: "WON", RankTerm.WINS_SECOND: "BWG", RankTerm.GAMES_SECOND: "BPG",
    RankTerm.OPPONENT_RATING: "ARO", RankTerm.GAME_POINTS: None, RankTerm.POINT_DIFFERENCE: None,
}  # fmt: skip
"""FIDE's code of each term, or None: an order with such a term is left out of the report."""

TYPES: Final[Mapping[TournamentKind, str]] = {
    TournamentKind.SWISS: "Individual: Swiss-System",
    TournamentKind.ROUND_ROBIN: "Individual: Round-Robin",
    TournamentKind.KNOCKOUT: "Individual: Knockout",
    TournamentKind.FREE: "Individual: League",
}


def report_of(
    table: Table,
    regulations: Regulations,
    details: Details,
    planned: int | None = None,
    first_round_first: bool | None = None,
) -> Report:
    """The report of a tournament so far; players are numbered by seed from 1.

    A round of a Swiss in which a player took no part is a zero-point bye; byes of later rounds are
    reported as granted in advance. Raises `NotReportable` if someone plays twice in a round.
    """
    entrants = sorted(table.entrants, key=lambda entrant: entrant.seed)
    numbers = {entrant.id: number for number, entrant in enumerate(entrants, 1)}
    rounds = _rounds(table, numbers)
    ranked = standings(table, regulations)
    points = _match_points(table, regulations, ranked)
    places = {each.entrant: each.place for each in ranked}
    codes = [code for term in regulations.order if (code := TERMS[term])]
    return Report(
        replace(details, type=details.type or TYPES[table.kind]),
        tuple(
            ReportedPlayer(
                numbers[each.id],
                each.name or each.id,
                each.rating,
                points[each.id],
                places[each.id],
                tuple(rounds[each.id]),
            )
            for each in entrants
        ),
        planned,
        first_round_first,
        _points(regulations.scheme),
        tuple(codes) if len(codes) == len(regulations.order) else (),
        tuple(
            RequestedBye(MARKS[bye.kind], bye.round, numbers[bye.entrant])
            for bye in sorted(
                table.byes, key=lambda each: (each.round, MARKS[each.kind], numbers[each.entrant])
            )
            if bye.round > table.rounds
        ),
    )


def _match_points(
    table: Table, regulations: Regulations, ranked: Sequence[Standing]
) -> dict[EntrantId, Decimal]:
    """Everybody's match points, which are computed only where they do not rank."""
    if RankTerm.MATCH_POINTS not in regulations.order:
        regulations = replace(regulations, order=(RankTerm.MATCH_POINTS,))
        ranked = standings(table, regulations)
    term = regulations.order.index(RankTerm.MATCH_POINTS)
    return {each.entrant: each.values[term] for each in ranked}


def _points(scheme: ScoringScheme) -> dict[str, Decimal]:
    """What results are worth, where that is unusual."""
    if scheme.match == STANDARD.match:
        return {}
    return {code: scheme.match[mark] for mark, code in CODES.items()}


def _rounds(table: Table, numbers: Mapping[EntrantId, int]) -> dict[EntrantId, list[ReportedRound]]:
    absent = ReportedRound(result="Z") if table.kind is TournamentKind.SWISS else ReportedRound()
    rounds = {entrant: [absent] * table.rounds for entrant in numbers}
    seen: set[tuple[EntrantId, int]] = set()
    for entrant, round, played in _played(table, numbers):
        if (entrant, round) in seen:
            raise NotReportable(f"two games of one player in round {round}")
        seen.add((entrant, round))
        rounds[entrant][round - 1] = played
    return rounds


def _played(
    table: Table, numbers: Mapping[EntrantId, int]
) -> Iterator[tuple[EntrantId, int, ReportedRound]]:
    for bye in table.byes:
        if bye.round <= table.rounds:
            yield bye.entrant, bye.round, ReportedRound(result=MARKS[bye.kind])
    for meeting in table.meetings:
        for side, who, other in (
            (Side.FIRST, meeting.first, meeting.second),
            (Side.SECOND, meeting.second, meeting.first),
        ):
            letter = ""
            if meeting.result is not None:
                mark = meeting.result.mark(side)
                letter = MARKS[mark] if meeting.rated else UNRATED.get(mark, MARKS[mark])
            yield who, meeting.round, ReportedRound(numbers[other], side, letter)


def table_of(report: Report, kind: TournamentKind) -> Table:
    """The tournament of a report, its entrants named by their numbers.

    Raises `Inconsistent` if two players disagree about their game, or one names an opponent who is
    not there.
    """
    rounds = {player.number: player.rounds for player in report.players}
    begun = max((len(each) for each in rounds.values()), default=0)
    meetings: list[Meeting] = []
    byes: list[Bye] = []
    for granted in report.byes:
        if granted.number not in rounds:
            _refuse(granted.number, granted.round, "there is no such player")
        if granted.round > begun:  # a bye of an earlier round stands in the player's own line
            byes.append(Bye(granted.round, EntrantId(str(granted.number)), BYES[granted.kind]))
    for number, own in rounds.items():
        for round, played in enumerate(own, 1):
            if played.opponent is not None:
                meetings += _meeting(rounds, number, round, played)
            elif played.result:
                if played.result not in BYES:
                    _refuse(number, round, f"{played.result!r} needs an opponent")
                byes.append(Bye(round, EntrantId(str(number)), BYES[played.result]))
    entrants = tuple(
        Entrant(EntrantId(str(each.number)), each.number, each.name, each.rating)
        for each in report.players
    )
    return Table(kind, begun, entrants, tuple(meetings), tuple(byes))


def _meeting(
    rounds: Mapping[int, tuple[ReportedRound, ...]], number: int, round: int, played: ReportedRound
) -> list[Meeting]:
    """The pairing in the first side's line, once the second's agrees; nothing for a second side."""
    opponent = played.opponent
    if opponent is None or opponent == number or opponent not in rounds:
        _refuse(number, round, f"there is no opponent {opponent}")
    theirs = rounds[opponent][round - 1] if round <= len(rounds[opponent]) else ReportedRound()
    if theirs.opponent != number:
        _refuse(number, round, f"player {opponent} has another opponent")
    if played.side is None or theirs.side is not played.side.other:
        _refuse(number, round, f"the sides of players {number} and {opponent} do not fit")
    letters = (played.result, theirs.result)
    if played.side is Side.SECOND:
        letters = (theirs.result, played.result)
    if letters not in RESULTS:
        _refuse(number, round, f"{letters[0]!r} and {letters[1]!r} do not make a result together")
    if played.side is Side.SECOND:
        return []
    first, second = EntrantId(str(number)), EntrantId(str(opponent))
    unrated = played.result in UNRATED.values()
    return [Meeting(round, first, second, RESULTS[letters], rated=not unrated)]


def _refuse(number: int, round: int, reason: str) -> NoReturn:
    raise Inconsistent(number, round, reason)


def scheme_of(report: Report) -> ScoringScheme:
    """What the report's results are worth: a known scheme, or one named `report`."""
    match = {mark: report.points.get(code, STANDARD.match[mark]) for mark, code in CODES.items()}
    for scheme in SCHEMES.values():
        if scheme.match == match:
            return scheme
    return ScoringScheme("report", 1, match)
