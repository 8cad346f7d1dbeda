"""Bounds on one player's analyses, so that nobody keeps all others waiting or fills the log.

movelog:{analyses}:asked:<player>         set: ids of the analyses that the player requested; those
                                          that have ended are removed when the set is read
movelog:{analyses}:lines:<player>:<day>   lines of the analyses that the player was the first to
                                          request on a day (days since 1970 UTC), or resumed
"""

from __future__ import annotations

from typing import Final

from service.analysis.errors import AnalysisQuotaUsed, TooManyAnalyses
from service.jobs.player_jobs import PlayerJobs
from service.jobs.store import Jobs
from service.storage.daily_counts import DailyCounts

PREFIX: Final = "movelog:{analyses}:"
MOST: Final = 200
"""The most analyses that a player may have waiting and running."""
FIRST: Final = 4
"""How many of them are queued as those of a waiting person; the others are batches."""

FIRST_SECONDS: Final = 3600
"""The most seconds that these may take together, by their limits; the rest are batches."""


class AnalysisQuota:
    """Counts each player's analyses that wait or run, and a day's new lines; refuses too many.

    A player's new and resumed analyses have at most `most_lines` lines a day.
    """

    def __init__(self, jobs: Jobs, most_lines: int) -> None:
        self.player_jobs = PlayerJobs(jobs, f"{PREFIX}asked:")
        self.lines = DailyCounts(jobs.store, jobs.clock, f"{PREFIX}lines:")
        self.most_lines = most_lines

    def admit(self, player: str, id: str, seconds: float) -> bool:
        """Whether an analysis that a player requests has priority; raises TooManyAnalyses.

        `seconds` is how long it may take. Requests sent at once may exceed the bound by a few.
        """
        others = self.find_under_way(player) - {id}
        if len(others) >= MOST:
            raise TooManyAnalyses(MOST)
        if len(others) >= FIRST:
            return False
        jobs = self.player_jobs.jobs.get_each(sorted(others))
        seconds += sum(job.arguments.get("seconds", 0.0) for job in jobs if not job.batch)
        return seconds <= FIRST_SECONDS

    def charge(self, player: str, lines: int) -> None:
        """Count lines that a player's request may add to the log; raises AnalysisQuotaUsed."""
        today = self.lines.of(player)
        if not today.add_within(lines, self.most_lines):
            raise AnalysisQuotaUsed(self.most_lines, today.seconds_left())

    def note(self, player: str, id: str) -> None:
        """Note that a player has requested an analysis; its job exists."""
        self.player_jobs.add(player, id)

    def find_under_way(self, player: str) -> set[str]:
        """The analyses that a player has requested and that wait or run."""
        return self.player_jobs.under_way(player)
