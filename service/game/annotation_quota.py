"""How much one player may annotate in a day, so that nobody fills the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from service.game.annotation_size import measure_event
from service.game.errors import AnnotationQuotaUsed
from service.log.values import Event
from service.player.actor import Actor
from service.player.scopes import ADMIN


class DailyCount(Protocol):
    """What one player has used today."""

    def add_within(self, amount: int, most: int) -> bool:
        """Add an amount before it is used, unless it were more than `most` in all then."""

    def seconds_left(self) -> int:
        """Seconds until the day ends."""


class DailyCounts(Protocol):
    """What each player has used today."""

    def of(self, player: str) -> DailyCount:
        """A player's count of today."""


@dataclass(frozen=True, slots=True)
class AnnotationQuota:
    """Bounds the bytes of annotations that a player's commands add to the log in a day.

    At most `most_bytes` are added, also if they replace others. Imports have a bound of their own.
    """

    counts: DailyCounts
    most_bytes: int

    def charge(self, events: Sequence[Event], actor: Actor) -> None:
        """Count what a command's events add, except an admin's; raises AnnotationQuotaUsed."""
        size = sum(map(measure_event, events))
        if not size or ADMIN in actor.scopes:
            return
        today = self.counts.of(actor.player)
        if not today.add_within(size, self.most_bytes):
            raise AnnotationQuotaUsed(self.most_bytes, today.seconds_left())
