"""A fair queue of imports: players take turns, however many files one of them has sent.

movelog:{jobs}:turns   sorted set: players by when their last turn began, in milliseconds since 1970

A hint at an import says that there is work, and the turn decides which: of the players who wait,
the one whose last turn is longest ago has the next, with the oldest of their files. An import whose
turn has lasted TURN seconds is put back, at its next checkpoint, if another player waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from service.jobs.duties import Lane
from service.jobs.job import Job, State
from service.jobs.queue import JobQueue

TURN: Final = 5.0
"""Seconds that an import goes on, though other players wait."""
TURNS: Final = "movelog:{jobs}:turns"
REMEMBERED: Final = 24 * 3600 * 1000
"""Milliseconds that a turn is remembered."""


class FairQueue:
    """The order in which a worker takes imports."""

    def __init__(self, queue: JobQueue) -> None:
        self.queue = queue
        self.jobs = queue.jobs
        self.store = queue.jobs.store

    def begin(self, hinted: str) -> str:
        """The id of the import to carry out by whoever was hinted at this one; its turn begins.

        Where it is another, this one's hint is put back in place of that one's.
        """
        waiting = self._waiting([hinted, *self.queue.waiting(Lane.IMPORTS)])
        if not waiting:
            return hinted
        began = self._began([_player(job) for job in waiting])
        chosen = min(waiting, key=lambda job: (began[_player(job)], job.created_at, job.id))
        now = self.jobs.clock()
        self.store.zadd(TURNS, {_player(chosen): now})
        self.store.zremrangebyscore(TURNS, "-inf", now - REMEMBERED)
        if chosen.id != hinted:
            self.queue.exchange(Lane.IMPORTS, chosen.id, hinted)
        return chosen.id

    def others_wait(self, job: Job) -> bool:
        """Whether another player than this import's waits for a turn."""
        waiting = self._waiting(self.queue.waiting(Lane.IMPORTS))
        return any(_player(other) != _player(job) for other in waiting)

    def put_back(self, job: Job) -> None:
        """Have an import whose turn is over go on in another one."""
        self.queue.try_to_hint(job.id, Lane.IMPORTS)

    def _waiting(self, ids: Sequence[str]) -> list[Job]:
        now = self.jobs.clock()
        found = self.jobs.get_each(list(dict.fromkeys(ids)))
        return [job for job in found if job.state is State.QUEUED and job.due <= now]

    def _began(self, players: list[str]) -> dict[str, float]:
        found: Any = self.store.zmscore(TURNS, players)
        return {player: at or 0.0 for player, at in zip(players, found, strict=True)}


def _player(job: Job) -> str:
    """Whose import it is; nobody's where an older version has queued it."""
    return str(job.arguments.get("by", ""))
