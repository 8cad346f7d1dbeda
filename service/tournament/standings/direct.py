"""Direct encounter: orders tied entrants by the games among themselves (C.07 6)."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import groupby
from typing import Final

from engine.phrase import phrase
from service.tournament.standings.entrant_records import (
    NOTHING,
    EntrantRecord,
    EntrantRecords,
    RoundScore,
)
from service.tournament.standings.part import Part, part_of
from service.tournament.table import EntrantId, TournamentKind

NEAREST: Final = Decimal("1e-9")
"""Rounds points to this, so that three thirds of a point are one point."""


class Encounters:
    """The games among the tied entrants. A game brings `least` to `most` points.

    A forfeit counts in a round robin, where all pairings are fixed, but not in a Swiss.
    """

    def __init__(
        self, records: EntrantRecords, kind: TournamentKind, least: Decimal, most: Decimal
    ) -> None:
        self._records = records
        self._forfeits_count = kind is not TournamentKind.SWISS
        self._least = least
        self._most = most

    def between(self, record: EntrantRecord, tied: frozenset[EntrantId]) -> list[RoundScore]:
        """An entrant's games against the others of `tied`."""
        return [
            entry
            for entry in record.entries
            if entry.opponent in tied and (entry.played or self._forfeits_count)
        ]

    def parts(self, record: EntrantRecord, tied: Sequence[EntrantId]) -> list[Part]:
        """The games that decide among `tied`, with the points they brought."""
        games = self.between(record, frozenset(tied))
        return [part_of(entry, entry.score, phrase("against one who is tied")) for entry in games]

    def tiers(self, tied: Sequence[EntrantId]) -> list[list[EntrantId]]:
        """The tied entrants in tiers, the best first; those of one tier are still tied.

        If all have met, their points order them. If some have not, an entrant is first only if no
        result of the unplayed games could put another level or ahead; then the second is found in
        the same way. Those of a tier are compared again by the games among themselves alone.
        """
        if len(tied) == 1:
            return [list(tied)]
        group = frozenset(tied)
        least: dict[EntrantId, Decimal] = {}
        most: dict[EntrantId, Decimal] = {}
        for entrant in tied:
            points, missing = self.points(entrant, group)
            least[entrant] = points + missing * self._least if missing else points
            most[entrant] = points + missing * self._most if missing else points
        if least == most:
            ordered = sorted(tied, key=lambda each: -least[each])
            tiers = [list(each) for _, each in groupby(ordered, key=least.__getitem__)]
        else:
            tiers = _certain(tied, least, most)
        if len(tiers) == 1:
            return tiers
        return [again for tier in tiers for again in self.tiers(tier)]

    def points(self, entrant: EntrantId, group: frozenset[EntrantId]) -> tuple[Decimal, int]:
        """The points against the others, and how many of them the entrant never met.

        An opponent met more than once counts once, with the mean of those games.
        """
        met: dict[EntrantId, list[Decimal]] = {}
        for entry in self.between(self._records[entrant], group):
            if entry.opponent is not None:
                met.setdefault(entry.opponent, []).append(entry.score)
        points = sum((sum(each, NOTHING) / len(each) for each in met.values()), NOTHING)
        return points.quantize(NEAREST), len(group) - 1 - len(met)


def _certain(
    tied: Sequence[EntrantId], least: dict[EntrantId, Decimal], most: dict[EntrantId, Decimal]
) -> list[list[EntrantId]]:
    """The entrants who are surely first, second and so on, each alone; then all others together."""
    ordered = sorted(tied, key=lambda each: (-least[each], -most[each]))
    tiers: list[list[EntrantId]] = []
    for at, entrant in enumerate(ordered):
        below = ordered[at + 1 :]
        if below and least[entrant] <= max(most[each] for each in below):
            return [*tiers, ordered[at:]]
        tiers.append([entrant])
    return tiers
