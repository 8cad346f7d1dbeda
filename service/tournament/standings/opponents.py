"""The terms that depend on the opponents' scores and ratings (C.07 8 to 10, 14 to 16)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from engine.phrase import Phrase, phrase
from service.tournament.standings.entrant_records import (
    NOTHING,
    VOLUNTARY,
    EntrantRecord,
    EntrantRecords,
    RoundScore,
)
from service.tournament.standings.part import Part, part_of
from service.tournament.standings.regulations import Regulations
from service.tournament.standings.term import Edition, RankTerm
from service.tournament.table import BYES, EntrantId, Mark, Table, TournamentKind

REQUESTED: Final = frozenset({Mark.HALF_BYE, Mark.ZERO_BYE})
FORFEITS: Final = frozenset({Mark.FORFEIT_WIN, Mark.FORFEIT_LOSS})

OPPONENT: Final = phrase("the opponent's score")
ADJUSTED: Final = phrase("C.07 16.3: the opponent's score, its last byes counted as draws")
FORFEITED: Final = phrase("C.07 15.2: the opponent's score, a forfeit being a regular game here")
DUMMY: Final = phrase("C.07 16.4: not played, so the entrant's own score")
OPPONENT_CEILING: Final = phrase(
    "C.07 16.4.1: forfeited, so no more than the scheduled opponent's score"
)
DRAWS_CEILING: Final = phrase("C.07 16.4.2: not played, so no more than draws in all rounds")
LOWEST: Final = phrase("C.07 14.1: cut, the lowest")
LOWEST_VOLUNTARY: Final = phrase("C.07 16.5: cut, the lowest of the voluntarily unplayed rounds")
HIGHEST: Final = phrase("C.07 14.3: cut, the highest")


@dataclass(frozen=True, slots=True)
class Faced:
    """An opponent in one entry of a record, and the score that the opponent counts with."""

    entry: RoundScore
    score: Decimal
    note: Phrase


class Opposition:
    """What opponents are worth to those who met them, each computed once."""

    def __init__(self, table: Table, regulations: Regulations, records: EntrantRecords) -> None:
        self._table = table
        self._regulations = regulations
        self._records = records
        self._adjusted = {
            entrant: self._adjust(record) if table.kind is TournamentKind.SWISS else record.score
            for entrant, record in records.items()
        }

    def faced(self, record: EntrantRecord) -> list[Faced]:
        """The opponents of all rounds; in a Swiss a dummy stands in for those not played."""
        swiss = self._table.kind is TournamentKind.SWISS
        found = []
        for entry in record.entries:
            if swiss and not entry.played:
                found.append(self._dummy(record, entry))
            elif entry.opponent is not None:
                found.append(Faced(entry, *self._met(entry.opponent, entry.played)))
        return found

    def yields(self, entry: RoundScore) -> bool:
        """Whether cuts take this entry first: a voluntarily unplayed round of a Swiss (16.5)."""
        return self._table.kind is TournamentKind.SWISS and entry.mark in VOLUNTARY

    def _met(self, opponent: EntrantId, played: bool) -> tuple[Decimal, Phrase]:
        score = self._adjusted[opponent]
        if not played:
            return score, FORFEITED
        return score, OPPONENT if score == self._records[opponent].score else ADJUSTED

    def _adjust(self, record: EntrantRecord) -> Decimal:
        """The score that counts for the opponents: trailing requested byes are draws (16.3)."""
        draw = self._draw
        if draw is None:
            return record.score
        raised = (
            draw - entry.score
            for entry in record.entries
            if entry.mark in REQUESTED and entry.round > record.present
        )
        return record.score + sum(raised, NOTHING)

    def _dummy(self, record: EntrantRecord, entry: RoundScore) -> Faced:
        """The opponent of a round that was not played: the entrant itself (16.4)."""
        own = record.score
        if self._regulations.edition is Edition.AUGUST_2024:
            return Faced(entry, own, DUMMY)
        if entry.mark in FORFEITS and entry.opponent is not None:
            ceiling: Decimal | None = self._adjusted[entry.opponent]
            note = OPPONENT_CEILING
        else:
            ceiling = None if self._draw is None else self._draw * self._table.rounds
            note = DRAWS_CEILING
        if ceiling is None or own <= ceiling:
            return Faced(entry, own, DUMMY)
        return Faced(entry, ceiling, note)

    @property
    def _draw(self) -> Decimal | None:
        """What a draw adds to the score; None for game points, where there is no such number."""
        if self._regulations.score is RankTerm.GAME_POINTS:
            return None
        return self._regulations.scheme.match[Mark.DRAW]

    def rating(self, entrant: EntrantId) -> int | None:
        """An entrant's rating."""
        return self._records[entrant].entrant.rating


def buchholz(opposition: Opposition, record: EntrantRecord, term: RankTerm) -> list[Part]:
    """The opponents' scores; those that `term` cuts are marked as not counted (8.1, 14, 16.5)."""
    faced = opposition.faced(record)
    parts = [part_of(each.entry, each.score, each.note) for each in faced]
    if term is RankTerm.BUCHHOLZ or not parts:
        return parts
    yielding = [at for at, each in enumerate(faced) if opposition.yields(each.entry)]
    cut = min(yielding or range(len(parts)), key=lambda at: parts[at].value)
    note = LOWEST_VOLUNTARY if yielding else LOWEST
    parts[cut] = replace(parts[cut], counted=False, note=note)
    rest = [at for at, part in enumerate(parts) if part.counted]
    if term is RankTerm.BUCHHOLZ_MEDIAN and rest:
        top = max(rest, key=lambda at: parts[at].value)
        parts[top] = replace(parts[top], counted=False, note=HIGHEST)
    return parts


def sonneborn_berger(opposition: Opposition, record: EntrantRecord) -> list[Part]:
    """Each opponent's score times the points that the round brought (9.1)."""
    return [
        part_of(
            each.entry,
            each.score * each.entry.score,
            phrase("{note}, times the points", note=each.note),
        )
        for each in opposition.faced(record)
    ]


def opponent_ratings(opposition: Opposition, record: EntrantRecord) -> list[Part]:
    """The ratings of opponents met over the board; unrated ones are left out (10.1)."""
    return [
        part_of(entry, Decimal(rating), phrase("the opponent's rating"))
        for entry in record.entries
        if entry.played and entry.opponent is not None and entry.mark not in BYES
        for rating in (opposition.rating(entry.opponent),)
        if rating is not None
    ]


def mean(parts: list[Part]) -> Decimal:
    """The mean of all, rounded to a whole number with halves up; 0 if there are none (10.1)."""
    if not parts:
        return NOTHING
    total = sum((part.value for part in parts), NOTHING)
    return (total / len(parts)).quantize(Decimal(1), ROUND_HALF_UP)
