"""The entrants' places, and the reasons for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import Final

from engine.phrase import Phrase
from service.errors import NotFound
from service.tournament.pairing.knockout import bracket
from service.tournament.standings import opponents
from service.tournament.standings.direct import Encounters
from service.tournament.standings.entrant_records import NOTHING, EntrantRecord, collect_records
from service.tournament.standings.part import Part
from service.tournament.standings.parts import PARTS, Basis
from service.tournament.standings.regulations import Regulations
from service.tournament.standings.term import RULES, RankTerm
from service.tournament.table import EntrantId, Mark, Table, TournamentKind

UNBOUNDED: Final = Decimal("Infinity")
"""The game points that a game can bring: nobody knows before it is played."""


@dataclass(frozen=True, slots=True)
class Standing:
    """An entrant's place, shared by those who are equal in all `values`, one per term."""

    place: int
    entrant: EntrantId
    values: tuple[Decimal, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where a term's number comes from.

    The counted parts sum up to `value`, except for the mean of the opponents' ratings and for the
    direct encounter, whose parts are the games that decide it. `rule` is the rule in words.
    """

    entrant: EntrantId
    term: RankTerm
    value: Decimal
    rule: Phrase
    parts: tuple[Part, ...]


def standings(table: Table, regulations: Regulations) -> tuple[Standing, ...]:
    """All entrants, the best first; equals share the place and stand in order of their seeds.

    In a knockout the stage reached decides: all who are still in share the first place, and so do
    all who lost at the same stage; the terms only order those who share a place.

    The result is the same for any order of meetings, byes and entrants. The time is linear in the
    meetings, except for sorting.
    """
    calculation = _Calculation(table, regulations)
    groups = calculation.groups(len(regulations.order))
    if table.kind is TournamentKind.KNOCKOUT:
        groups = _by_stage(table, regulations, [each for group in groups for each in group])
    ranked: list[Standing] = []
    for group in groups:
        place = len(ranked) + 1
        ranked += [Standing(place, each, calculation.values[each]) for each in group]
    return tuple(ranked)


def _by_stage(
    table: Table, regulations: Regulations, ordered: Sequence[EntrantId]
) -> list[list[EntrantId]]:
    """Those still in, then those who are out by their places, then those who never came."""
    never = {each for each, since in table.withdrawn.items() if since <= 1}
    if len(set(ordered) - never) < 2:
        return [list(ordered)] if ordered else []
    places = bracket(table, regulations.scheme, regulations.knockout).places

    def reached(entrant: EntrantId) -> int:
        return len(ordered) + 1 if entrant in never else places.get(entrant, 0)

    return [list(group) for _, group in groupby(sorted(ordered, key=reached), key=reached)]


def explain(
    table: Table, regulations: Regulations, entrant: EntrantId, term: RankTerm
) -> Explanation:
    """The parts of an entrant's number in one term, whether that is in the order or not.

    A direct encounter that is not in the order is explained among those with the same score. Raises
    `NotFound` if nobody with this id has entered.
    """
    calculation = _Calculation(table, regulations)
    if entrant not in calculation.records:
        raise NotFound("entrant", entrant)
    if term is RankTerm.DIRECT_ENCOUNTER:
        value, parts = calculation.encounter(entrant)
    else:
        parts = calculation.parts(calculation.records[entrant], term)
        value = total(term, parts)
    return Explanation(entrant, term, value, RULES[term], tuple(parts))


def total(term: RankTerm, parts: list[Part]) -> Decimal:
    """A term's number from its parts."""
    if term is RankTerm.OPPONENT_RATING:
        return opponents.mean(parts)
    return sum((part.value for part in parts if part.counted), NOTHING)


class _Calculation:
    """The terms of one table. `values` fills as groups are split."""

    def __init__(self, table: Table, regulations: Regulations) -> None:
        self.records = collect_records(table, regulations)
        self.values: dict[EntrantId, tuple[Decimal, ...]] = dict.fromkeys(self.records, ())
        self._table = table
        self._regulations = regulations
        opposition = opponents.Opposition(table, regulations, self.records)
        self._basis = Basis(table, regulations, opposition)
        if regulations.score is RankTerm.MATCH_POINTS:
            match = regulations.scheme.match
            brings = [match[Mark.LOSS], match[Mark.DRAW], match[Mark.WIN]]
        else:
            brings = [-UNBOUNDED, UNBOUNDED]
        self._encounters = Encounters(self.records, table.kind, min(brings), max(brings))

    def groups(self, terms: int) -> list[list[EntrantId]]:
        """The entrants as the first `terms` of the order separate them, the best first."""
        everyone = sorted(self._table.entrants, key=lambda entrant: (entrant.seed, entrant.id))
        groups = [[entrant.id for entrant in everyone]] if everyone else []
        for term in self._regulations.order[:terms]:
            groups = [tier for group in groups for tier in self._split(group, term)]
        return groups

    def _split(self, group: list[EntrantId], term: RankTerm) -> list[list[EntrantId]]:
        numbers: dict[EntrantId, Decimal] = {}
        if term is RankTerm.DIRECT_ENCOUNTER:
            numbers = self._encounter_values(group)
        else:
            for entrant in group:
                numbers[entrant] = total(term, self.parts(self.records[entrant], term))
        for entrant in group:
            self.values[entrant] = (*self.values[entrant], numbers[entrant])
        ordered = sorted(group, key=lambda each: -numbers[each])
        return [list(tier) for _, tier in groupby(ordered, key=numbers.__getitem__)]

    def _encounter_values(self, group: list[EntrantId]) -> dict[EntrantId, Decimal]:
        """For each entrant, how many of the group stand below."""
        numbers: dict[EntrantId, Decimal] = {}
        below = len(group)
        for tier in self._encounters.tiers(group):
            below -= len(tier)
            numbers.update(dict.fromkeys(tier, Decimal(below)))
        return numbers

    def encounter(self, entrant: EntrantId) -> tuple[Decimal, list[Part]]:
        """The direct encounter's number and games, among those tied up to it in the order."""
        order: Sequence[RankTerm] = self._regulations.order
        if RankTerm.DIRECT_ENCOUNTER in order:
            before = order.index(RankTerm.DIRECT_ENCOUNTER)
        else:
            before = order.index(self._regulations.score) + 1
        group = next(each for each in self.groups(before) if entrant in each)
        value = self._encounter_values(group)[entrant]
        return value, self._encounters.parts(self.records[entrant], group)

    def parts(self, record: EntrantRecord, term: RankTerm) -> list[Part]:
        """The parts of a term other than the direct encounter."""
        return PARTS[term](record, self._basis)
