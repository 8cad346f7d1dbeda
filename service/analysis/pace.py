"""How fast the workers search, measured on recently searched positions.

movelog:{analyses}:pace:<variant>   list: "<nodes> <seconds>" of the newest positions
"""

from __future__ import annotations

from typing import Any, Final

import redis

from service.analysis.finding import Finding
from service.analysis.parameters import MOST_SECONDS
from service.storage.cache_writes import cache_writes

PREFIX: Final = "movelog:{analyses}:pace:"
REMEMBERED: Final = 50
"""How many positions of a variant are remembered."""

LEAST_NODES: Final = 10_000
"""Searches of fewer nodes are not remembered: most of their time is spent before the first node."""
SLOW: Final = 20_000.0
"""Nodes a second that are assumed."""


class Pace:
    """The workers' nodes a second, by variant."""

    def __init__(self, store: redis.Redis) -> None:
        self.store = store

    def note(self, variant: str, *findings: Finding) -> None:
        """Remember how long positions took that were searched long enough, oldest first."""
        telling = [finding for finding in findings if finding.nodes >= LEAST_NODES]
        if not telling:
            return
        noted = [f"{finding.nodes} {finding.seconds}" for finding in telling]
        with cache_writes(self.store) as pipeline:
            pipeline.lpush(f"{PREFIX}{variant}", *noted)
            pipeline.ltrim(f"{PREFIX}{variant}", 0, REMEMBERED - 1)

    def find_nodes_per_second(self, variant: str) -> float | None:
        """Return how many nodes of a variant a worker searches a second, None if unknown."""
        noted: Any = self.store.lrange(f"{PREFIX}{variant}", 0, -1)
        pairs = [tuple(map(float, one.split())) for one in noted]
        nodes, seconds = (sum(column) for column in zip(*pairs, strict=True)) if pairs else (0, 0)
        return nodes / seconds if nodes and seconds else None

    def bound_seconds(self, variant: str, limits: dict[str, int]) -> float:
        """Return the most seconds a position takes, at a slow machine's pace if none is known."""
        known = [float(limits.get("seconds", MOST_SECONDS))]
        if "nodes" in limits:
            known.append(limits["nodes"] / (self.find_nodes_per_second(variant) or SLOW))
        return min(known)

    def estimate_seconds(self, variant: str, limits: dict[str, int]) -> float | None:
        """How long a position takes within these limits, or None if nothing indicates it."""
        known = [float(limits["seconds"])] if "seconds" in limits else []
        pace = self.find_nodes_per_second(variant) if "nodes" in limits else None
        if pace:
            known.append(limits["nodes"] / pace)
        return min(*known, float(MOST_SECONDS)) if known else None


class PaceReading(Pace):
    """The pace as of one moment: that of each variant is read once."""

    def __init__(self, store: redis.Redis) -> None:
        super().__init__(store)
        self._read: dict[str, float | None] = {}

    def find_nodes_per_second(self, variant: str) -> float | None:
        if variant not in self._read:
            self._read[variant] = super().find_nodes_per_second(variant)
        return self._read[variant]
