"""A knockout's bracket: who met whom at which stage, who advanced and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from service.tournament.table import EntrantId, Meeting


class Decision(StrEnum):
    """How a tie was decided."""

    WALKOVER = "walkover"
    """There was no opponent."""
    WITHDRAWAL = "withdrawal"
    MATCH_POINTS = "match-points"
    GAME_POINTS = "game-points"
    SEED = "seed"
    """The tie stayed level; the better seed advanced."""


@dataclass(frozen=True, slots=True)
class Tie:
    """Two players who play for one place in the next stage; `high` has the better seed.

    `low` is None if `high` has no opponent; both are None if nobody came this far. `score` and
    `game_points` are those of high and low. The tie goes on while `decision` is None; a tie from
    which both withdrew is decided without a winner.
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
        """The players who do not advance: one, both if both withdrew, none while the tie lasts."""
        if self.decision is None:
            return ()
        return tuple(each for each in (self.high, self.low) if each and each != self.winner)


@dataclass(frozen=True, slots=True)
class Bracket:
    """The stages so far, each with half as many ties as the one before; the last may be open.

    There are none while fewer than two players are in. `third` is the match for third place, played
    alongside the final.
    """

    stages: tuple[tuple[Tie, ...], ...]
    third: Tie | None = None

    @property
    def open(self) -> tuple[Tie, ...]:
        """The ties that are not decided yet: none once the tournament is."""
        last = self.stages[-1] if self.stages else ()
        if self.third:
            last = (*last, self.third)
        return tuple(tie for tie in last if tie.decision is None)

    @property
    def places(self) -> Mapping[EntrantId, int]:
        """The places of the winner and of all who are out; losers of a stage share one."""
        places: dict[EntrantId, int] = {}
        for stage in self.stages:
            for tie in stage:
                places.update(dict.fromkeys(tie.losers, len(stage) + 1))
        if self.third and self.third.decision:
            places.update(dict.fromkeys(self.third.losers, 4))
            if self.third.winner:
                places[self.third.winner] = 3
        final = self.stages[-1] if self.stages else ()
        if len(final) == 1 and final[0].winner:
            places[final[0].winner] = 1
        return places
