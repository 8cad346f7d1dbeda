"""The basis of a tournament's standings: a scoring scheme, an order of terms, an edition."""

from __future__ import annotations

from dataclasses import dataclass, field

from service.errors import BadValue
from service.tournament.pairing.knockout import KnockoutRules
from service.tournament.scheme import ScoringScheme
from service.tournament.standings.term import SCORES, Edition, RankTerm


@dataclass(frozen=True, slots=True)
class Regulations:
    """How entrants are ranked: by the terms of `order`, the first deciding, then the next.

    The order names match points or game points or both, and no term twice; `BadValue` otherwise. In
    a knockout the entrant who came further stands higher, by the rules of `knockout`.
    """

    scheme: ScoringScheme
    order: tuple[RankTerm, ...]
    edition: Edition = Edition.MARCH_2026
    knockout: KnockoutRules = field(default_factory=KnockoutRules)

    def __post_init__(self) -> None:
        if not SCORES.intersection(self.order):
            raise BadValue("order", "match points or game points must be in it")
        if len(set(self.order)) != len(self.order):
            raise BadValue("order", "no term may be in it twice")

    @property
    def score(self) -> RankTerm:
        """The score: match points or game points, whichever counts first.

        Buchholz, Sonneborn–Berger, progressive scores and direct encounters are computed from it.
        """
        return next(term for term in self.order if term in SCORES)
