"""Every entrant's record of every round: the one pass over a tournament that all terms share."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from engine.side import Side
from service.tournament.scheme import ScoringScheme
from service.tournament.standings.regulations import Regulations
from service.tournament.standings.term import RankTerm
from service.tournament.table import (
    PLAYED,
    Bye,
    Entrant,
    EntrantId,
    Mark,
    Meeting,
    Result,
    Table,
    TournamentKind,
)

NOTHING: Final = Decimal(0)

SIDES: Final = (Side.FIRST, Side.SECOND)

VOLUNTARY: Final = frozenset({Mark.HALF_BYE, Mark.ZERO_BYE, Mark.FORFEIT_LOSS})
"""Voluntarily unplayed rounds (C.07 16.1): requested byes and forfeit losses."""


@dataclass(frozen=True, slots=True)
class RoundScore:
    """One game or bye of one entrant: what it was and what it brought.

    `score` is what it adds to the score that tie-breaks use, match or game points; `against` are
    the opponent's game points. A forfeit names the scheduled opponent.
    """

    round: int
    mark: Mark
    match: Decimal
    points: int
    against: int
    score: Decimal
    opponent: EntrantId | None = None
    side: Side | None = None
    game: str | None = None

    @property
    def played(self) -> bool:
        """Whether there was a game."""
        return self.mark in PLAYED


@dataclass(slots=True)
class EntrantRecord:
    """All entries of one entrant, by round.

    `present` is the last round that the entrant was there for: paired and not absent, or without an
    opponent involuntarily. A running game counts.
    """

    entrant: Entrant
    entries: list[RoundScore] = field(default_factory=list)
    score: Decimal = NOTHING
    present: int = 0


EntrantRecords = dict[EntrantId, EntrantRecord]


def collect_records(table: Table, regulations: Regulations) -> EntrantRecords:
    """The records of all entrants, the same for any order of meetings and byes; in linear time."""
    records = {entrant.id: EntrantRecord(entrant) for entrant in table.entrants}
    by_game_points = regulations.score is RankTerm.GAME_POINTS
    for meeting in table.meetings:
        for side in SIDES:
            record = records[meeting.first if side is Side.FIRST else meeting.second]
            if meeting.result is None:
                record.present = max(record.present, meeting.round)
            else:
                entry = _of_meeting(
                    meeting, meeting.result, side, regulations.scheme, by_game_points
                )
                _add(record, entry)
    for bye in [*table.byes, *_absences(table)]:
        if bye.round <= table.rounds:
            _add(records[bye.entrant], _of_bye(bye, regulations.scheme, by_game_points))
    for record in records.values():
        record.entries.sort(key=lambda entry: (entry.round, entry.opponent or "", entry.game or ""))
    return records


def _add(record: EntrantRecord, entry: RoundScore) -> None:
    record.entries.append(entry)
    record.score += entry.score
    if entry.mark not in VOLUNTARY:
        record.present = max(record.present, entry.round)


def _of_meeting(
    meeting: Meeting, result: Result, side: Side, scheme: ScoringScheme, by_game_points: bool
) -> RoundScore:
    other = SIDES[1 - side]
    mark = result.mark(side)
    both = scheme.count_game_points(result, meeting.points)
    match = scheme.match[mark]
    return RoundScore(
        meeting.round,
        mark,
        match,
        both[side],
        both[other],
        Decimal(both[side]) if by_game_points else match,
        meeting.second if side is Side.FIRST else meeting.first,
        side,
        meeting.game,
    )


def _of_bye(bye: Bye, scheme: ScoringScheme, by_game_points: bool) -> RoundScore:
    match, points = scheme.match[bye.kind], scheme.game.get(bye.kind, 0)
    score = Decimal(points) if by_game_points else match
    return RoundScore(bye.round, bye.kind, match, points, 0, score)


def _absences(table: Table) -> list[Bye]:
    """The rounds of a Swiss in which an entrant took no part: zero-point byes (C.07 16.1)."""
    if table.kind is not TournamentKind.SWISS:
        return []
    there = {(bye.round, bye.entrant) for bye in table.byes}
    for meeting in table.meetings:
        there.add((meeting.round, meeting.first))
        there.add((meeting.round, meeting.second))
    return [
        Bye(round, entrant.id, Mark.ZERO_BYE)
        for entrant in table.entrants
        for round in range(1, table.rounds + 1)
        if (round, entrant.id) not in there
    ]
