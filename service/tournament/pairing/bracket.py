"""A knockout's bracket: who met whom at which stage, who went on and by what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from service.tournament.table import EntrantId, Meeting


class Decision(StrEnum):
    """What gave a tie to its winner."""

    WALKOVER = "walkover"
    """There was no opponent."""
    WITHDRAWAL = "withdrawal"
    MATCH_POINTS = "match-points"
    GAME_POINTS = "game-points"
    SEED = "seed"
    """The tie stayed level; the better seed went on."""


@dataclass(frozen=True, slots=True)
class Tie:
    """Two who play for one place in the next stage; `high` has the better seed.

    `low` is None where `high` has no opponent, both where nobody came this far. `score` and
    `game_points` are those of high and low. While `decision` is None it goes on; a tie that both
    have left is decided without a winner.
    """

    high: EntrantId | None
    low: EntrantId | None
    meetings: tuple[Meeting, ...] = ()
    score: tuple[Decimal, Decimal] = (Decimal(0), Decimal(0))
    game_points: tuple[int, int] = (0, 0)
    winner: EntrantId | None = None
    decision: Decision | None = None

    @property
    def losers(self) -> tuple[EntrantId, ...]:
        """Who does not go on: one as a rule, both where both have left; nobody while it lasts."""
        if self.decision is None:
            return ()
        return tuple(each for each in (self.high, self.low) if each and each != self.winner)


@dataclass(frozen=True, slots=True)
class Bracket:
    """The stages so far, each half as many ties as the one before; the last one may be open.

    `third` is the match for the third place, played beside the final.
    """

    stages: tuple[tuple[Tie, ...], ...]
    third: Tie | None = None

    @property
    def open(self) -> tuple[Tie, ...]:
        """The ties that are not decided yet: none once the tournament is."""
        last = (*self.stages[-1], self.third) if self.third else self.stages[-1]
        return tuple(tie for tie in last if tie.decision is None)

    @property
    def places(self) -> Mapping[EntrantId, int]:
        """The places of all who are out, and of the winner; losers of a stage share one."""
        places: dict[EntrantId, int] = {}
        for stage in self.stages:
            for tie in stage:
                places.update(dict.fromkeys(tie.losers, len(stage) + 1))
        if self.third and self.third.decision:
            places.update(dict.fromkeys(self.third.losers, 4))
            if self.third.winner:
                places[self.third.winner] = 3
        final = self.stages[-1]
        if len(final) == 1 and final[0].winner:
            places[final[0].winner] = 1
        return places
