"""The terms that depend only on an entrant's own results (C.07 7)."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Final

from engine.phrase import Phrase, phrase
from engine.side import Side
from service.tournament.standings.entrant_records import EntrantRecord, RoundScore
from service.tournament.standings.part import Part, part_of
from service.tournament.table import Mark

ONE: Final = Decimal(1)
DIFFERENCE: Final = "{own} - {given}"


def match_points(record: EntrantRecord) -> list[Part]:
    """The points of each round."""
    return [part_of(entry, entry.match, phrase(entry.mark.value)) for entry in record.entries]


def game_points(record: EntrantRecord) -> list[Part]:
    """The game points of each round."""
    return [
        part_of(entry, Decimal(entry.points), phrase(entry.mark.value)) for entry in record.entries
    ]


def point_difference(record: EntrantRecord) -> list[Part]:
    """The game points that each round brought and cost."""
    return [
        part_of(entry, Decimal(entry.points - entry.against), _describe_points(entry))
        for entry in record.entries
    ]


def progressive(record: EntrantRecord, rounds: int) -> list[Part]:
    """Each round's points, as often as they are part of a score from there on (C.07 7.5)."""
    return [
        part_of(entry, entry.score * times, _describe_times(times))
        for entry in record.entries
        for times in (rounds - entry.round + 1,)
    ]


def _describe_times(rounds: int) -> Phrase:
    if rounds == 1:
        return phrase("in the score after 1 round")
    return phrase("in the scores after {rounds} rounds", rounds=rounds)


def _describe_points(entry: RoundScore) -> Phrase:
    return phrase(DIFFERENCE, own=entry.points, given=entry.against)


def wins(record: EntrantRecord, worth: Decimal) -> list[Part]:
    """Rounds that brought as many match points as a win does, `worth` (C.07 7.1)."""
    return _counted(
        record,
        lambda entry: entry.mark is Mark.WIN or (not entry.played and entry.match >= worth),
    )


def games_won(record: EntrantRecord) -> list[Part]:
    """Games won over the board (C.07 7.2)."""
    return _counted(record, lambda entry: entry.mark is Mark.WIN)


def games_second(record: EntrantRecord) -> list[Part]:
    """Games played over the board with the second side (C.07 7.3)."""
    return _counted(record, _second)


def wins_second(record: EntrantRecord) -> list[Part]:
    """Games won over the board with the second side (C.07 7.4)."""
    return _counted(record, lambda entry: entry.mark is Mark.WIN and _second(entry))


def _counted(record: EntrantRecord, counts: Callable[[RoundScore], bool]) -> list[Part]:
    return [
        part_of(entry, ONE, phrase(entry.mark.value)) for entry in record.entries if counts(entry)
    ]


def _second(entry: RoundScore) -> bool:
    return entry.played and entry.side is Side.SECOND
