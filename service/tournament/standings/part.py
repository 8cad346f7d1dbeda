"""One number among those that make up a term, and why it counts."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from engine.phrase import Phrase
from service.tournament.standings.entrant_records import RoundScore
from service.tournament.table import EntrantId


@dataclass(frozen=True, slots=True)
class Part:
    """What one game or bye adds: `value` if it is `counted`; `note` names the rule."""

    round: int
    opponent: EntrantId | None
    game: str | None
    value: Decimal
    note: Phrase
    counted: bool = True


def part_of(entry: RoundScore, value: Decimal, note: Phrase, counted: bool = True) -> Part:
    """The part that an entry of a record adds."""
    return Part(entry.round, entry.opponent, entry.game, value, note, counted)
