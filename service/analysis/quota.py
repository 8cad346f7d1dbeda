"""How much one player may have analysed at once, so that nobody keeps all others waiting.

movelog:{analyses}:asked:<player>   set: ids of analyses that the player has asked for; those that
                                    are through leave it when it is looked at
"""

from __future__ import annotations

from typing import Any, Final

from service.analysis.errors import TooManyAnalyses
from service.jobs.store import Jobs
from service.storage.cache import keep

PREFIX: Final = "movelog:{analyses}:asked:"
MOST: Final = 200
"""Analyses that a player may have waiting and running."""
FIRST: Final = 4
"""How many of them go as those of somebody who waits; the others are batches."""
KEPT: Final = 7 * 24 * 3600
"""Seconds for which a player's set is kept since the last analysis was asked for."""


class Asked:
    """What players have asked for and have not got yet."""

    def __init__(self, jobs: Jobs) -> None:
        self.jobs = jobs

    def admit(self, player: str, id: str) -> bool:
        """Whether what a player wants carried out goes first; raises TooManyAnalyses.

        Of requests sent at once a few more may be admitted.
        """
        others = self.under_way(player) - {id}
        if len(others) >= MOST:
            raise TooManyAnalyses(MOST)
        return len(others) < FIRST

    def note(self, player: str, id: str) -> None:
        """Note that a player has asked for an analysis; its job is there."""
        pipeline = self.jobs.store.pipeline(transaction=False)
        pipeline.sadd(f"{PREFIX}{player}", id)
        pipeline.expire(f"{PREFIX}{player}", KEPT)
        keep(pipeline)

    def under_way(self, player: str) -> set[str]:
        """The analyses that a player has asked for and that wait or run."""
        key = f"{PREFIX}{player}"
        members: Any = self.jobs.store.smembers(key)
        ids = {member.decode() for member in members}
        left = self.jobs.under_way(ids)
        if through := ids - left:
            pipeline = self.jobs.store.pipeline(transaction=False)
            pipeline.srem(key, *through)
            keep(pipeline)
        return left
