"""Asking for what is to be done with ended games: one job for many of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from service.ids import derived_id
from service.jobs.job import Job
from service.jobs.queue import JobQueue

MOST: Final = 200
"""Games of one job: a second's work, so that several workers share what has piled up."""


class EndedGames:
    """Hands ended games to the jobs of a kind, whose argument `games` is the games' ids.

    While a job waits in its queue it is given the games that end meanwhile, so that work which
    piles up is done in few jobs. One process uses one of these for each kind.
    """

    def __init__(self, queue: JobQueue, kind: str) -> None:
        self.queue = queue
        self.kind = kind
        self._job = ""
        self._games: list[str] = []

    def ask(self, ended: Iterable[tuple[str, int]]) -> None:
        """Have these games dealt with, each an id and the version at which it has ended.

        When it returns, a durable job names each of them. Asking twice may give two jobs, of which
        the second finds nothing to do.
        """
        versions = dict(ended)
        games = list(versions)
        if self._widened(games):
            return
        for start in range(0, len(games), MOST):
            cut = games[start : start + MOST]
            # The id is no secret: it only has to be the same each time.
            id = derived_id(b"", self.kind, *(f"{game} {versions[game]}" for game in cut))
            self.queue.submit(id, self.kind, {"games": cut})
            self._job, self._games = id, cut

    def _widened(self, games: Sequence[str]) -> bool:
        """Give these games to the newest job too; False where it is full or under way."""
        together = list(dict.fromkeys([*self._games, *games]))
        if not self._job or len(together) > MOST:
            return False
        if not self.queue.jobs.amend(self._job, {"games": together}):
            return False
        self._games = together
        return True


def ask_one_by_one(queue: JobQueue, job: Job) -> None:
    """Have each game of a job that workers did not survive dealt with by a job of its own."""
    games = job.arguments.get("games", [])
    if len(games) > 1:
        for game in games:
            id = derived_id(b"", job.kind, job.id, game)
            queue.submit(id, job.kind, {"games": [game]})
