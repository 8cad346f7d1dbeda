"""Jobs for games that have ended: scoring them, and notifying webhooks of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from service.game.outline import GameOutline
from service.ids import derived_id
from service.jobs.job import Job
from service.jobs.job_kinds import NOTICES, SCORING
from service.jobs.queue import JobQueue
from service.webhooks.store import Webhooks

MAX_GAMES: Final = 200
"""Games in one job: about a second's work, so that several workers share a backlog."""


class EndedGameJobs:
    """Creates jobs of one kind; the argument `games` of such a job lists the ids of ended games.

    As long as the newest job waits in its queue, games that end meanwhile are added to it, so that
    a backlog is worked off in few jobs. Each process has one instance for each kind.
    """

    def __init__(self, queue: JobQueue, kind: str) -> None:
        self.queue = queue
        self.kind = kind
        self._job = ""
        self._games: list[str] = []

    def submit(self, ended: Iterable[tuple[str, int]]) -> None:
        """Queue games, given as pairs of an id and the version at which the game ended.

        When this returns, a durable job lists each of them. Submitting games twice may create two
        jobs; the second finds nothing to do.
        """
        versions = dict(ended)
        games = list(versions)
        if self._add_to_newest(games):
            return
        for start in range(0, len(games), MAX_GAMES):
            part = games[start : start + MAX_GAMES]
            # The id is not secret: it only has to be the same each time.
            id = derived_id(b"", self.kind, *(f"{game} {versions[game]}" for game in part))
            # If the job exists, games may have been added to it that are not known here.
            if self.queue.submit(id, self.kind, {"games": part}):
                self._job, self._games = id, part

    def _add_to_newest(self, games: Sequence[str]) -> bool:
        """Add games to the newest job; False if it is full or no longer waits."""
        together = list(dict.fromkeys([*self._games, *games]))
        if not self._job or len(together) > MAX_GAMES:
            return False
        if not self.queue.jobs.amend(self._job, {"games": together}):
            return False
        self._games = together
        return True


def ended_games_handler(
    queue: JobQueue, webhooks: Webhooks
) -> Callable[[Sequence[GameOutline]], None]:
    """Return the function that the projector calls with games that have ended.

    It queues their scoring and, if any webhook is registered, their notices.
    """
    scoring, notices = EndedGameJobs(queue, SCORING), EndedGameJobs(queue, NOTICES)

    def submit(games: Sequence[GameOutline]) -> None:
        ended = [(game.id, game.version) for game in games]
        scoring.submit(ended)
        if webhooks.any():
            notices.submit(ended)

    return submit


def split_job(queue: JobQueue, job: Job) -> None:
    """Queue a job for each game of `job`, so that one bad game does not hold up the others."""
    games = job.arguments.get("games", [])
    if len(games) > 1:
        for game in games:
            id = derived_id(b"", job.kind, job.id, game)
            queue.submit(id, job.kind, {"games": [game]})
