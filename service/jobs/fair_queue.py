"""Whose job is next: players take turns, however many jobs one of them has queued.

movelog:{jobs}:used:<kind>    sorted set: players by how much of the workers' time they have had, in
                              milliseconds; only those who have had more than the floor
movelog:{jobs}:floor:<kind>   how much whoever began the last turn had had before it

A hint at a job says that there is work, and the turn decides which: of the players who wait, the
one who has had least time has the next, with the oldest of their jobs. Who was away begins at the
floor, so that nobody saves time up. A job whose turn has lasted TURN seconds is put back, where it
can go on later, if a player waits who has had less. Imports and analyses take turns this way, each
kind for itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from service.errors import NotFound
from service.jobs.duties import Lane, lane_of
from service.jobs.job import Job, State
from service.jobs.queue import JobQueue
from service.jobs.redis_layout import BY_STATE, PREFIX
from service.jobs.store import LEASE
from service.storage.cache import cache_writes

TURN: Final = 5.0
"""Seconds that a job goes on, though other players wait."""
LEAST: Final = 1000
"""Milliseconds that a turn counts for at least; they are counted when it begins."""
LOOKED: Final = 1000
"""How many hints of a lane are looked at for who waits."""


class FairQueue:
    """The order in which workers take the jobs of a kind."""

    def __init__(self, queue: JobQueue, kind: str) -> None:
        self.queue = queue
        self.kind = kind
        self.jobs = queue.jobs
        self.store = queue.jobs.store
        self.used_key = f"{PREFIX}used:{kind}"
        self.floor_key = f"{PREFIX}floor:{kind}"

    def begin(self, hinted: str) -> str:
        """The id of the job to carry out by whoever was hinted at this one; its turn begins.

        Where it is another, this one's hint is put back in place of that one's.
        """
        try:
            lane = self._lane(self.jobs.get(hinted))
        except NotFound:
            return hinted
        waiting = self.waiting(lane, hinted)
        if not waiting:
            return hinted
        used = self.used(map(player_of, waiting))
        chosen = min(waiting, key=lambda job: (used[player_of(job)], job.created_at, job.id))
        before = used[player_of(chosen)]
        with cache_writes(self.store) as pipeline:
            pipeline.zadd(self.used_key, {player_of(chosen): before + LEAST})
            pipeline.set(self.floor_key, before)
            pipeline.zremrangebyscore(self.used_key, "-inf", before)
        if chosen.id != hinted:
            self.queue.exchange(lane, chosen.id, hinted)
        return chosen.id

    def end(self, id: str, seconds: float) -> None:
        """Count the time that a turn of a job has lasted."""
        more = round(seconds * 1000) - LEAST
        if more > 0:
            with cache_writes(self.store) as pipeline:
                for job in self.jobs.get_each([id]):
                    pipeline.zincrby(self.used_key, more, player_of(job))

    def is_over(self, job: Job, seconds: float) -> bool:
        """Whether a turn that has lasted so long ends: somebody waits who has had less."""
        if seconds < TURN:
            return False
        waiting = self.waiting(self._lane(job))
        used = self.used([player_of(job), *map(player_of, waiting)])
        own = used.pop(player_of(job)) + max(0, seconds * 1000 - LEAST)
        return any(before < own for before in used.values())

    def put_back(self, job: Job) -> None:
        """Have a job whose turn is over go on in another one."""
        self.queue.try_to_hint(job.id, self._lane(job))

    def waiting(self, lane: Lane, *others: str) -> list[Job]:
        """The jobs in a lane, and these, that may begin now."""
        now = self.jobs.clock()
        found = self._of_kind([*others, *self.queue.waiting(lane)[:LOOKED]])
        return [job for job in found if job.state is State.QUEUED and job.due <= now]

    def running(self) -> list[Job]:
        """The jobs that workers are at."""
        until = self.jobs.clock() + LEASE
        return self._of_kind(self.jobs.list_below(f"{BY_STATE}{State.RUNNING}", until, LOOKED))

    def used(self, players: Iterable[str]) -> dict[str, float]:
        """How many milliseconds each of these players has had."""
        known = list(dict.fromkeys(players))
        floor = float(self.store.get(self.floor_key) or 0)
        found: Any = self.store.zmscore(self.used_key, known) if known else []
        return {player: max(floor, had or 0.0) for player, had in zip(known, found, strict=True)}

    def ahead(self, job: Job) -> int:
        """How many of the jobs that wait have a turn before this one, if none is asked for later.

        A turn counts as if all were as long as each other. A job that is to be tried again later,
        or that a worker has just taken, counts as one that waits.
        """
        listed = self.waiting(self._lane(job), job.id)
        waiting = [job, *(other for other in listed if other.id != job.id)]
        used = self.used(map(player_of, waiting))
        before = dict.fromkeys(used, 0)
        order: list[tuple[float, int, str]] = []
        for one in sorted(waiting, key=lambda one: (one.created_at, one.id)):
            player = player_of(one)
            order.append((used[player] + LEAST * before[player], one.created_at, one.id))
            before[player] += 1
        persons = 0
        if job.batch:
            persons = len(self.waiting(self._lane_of(batch=False)))
        return persons + [id for *_, id in sorted(order)].index(job.id)

    def _of_kind(self, ids: Sequence[str]) -> list[Job]:
        found = self.jobs.get_each(list(dict.fromkeys(ids)))
        return [job for job in found if job.kind == self.kind]

    def _lane(self, job: Job) -> Lane:
        return self._lane_of(batch=job.batch)

    def _lane_of(self, *, batch: bool) -> Lane:
        lane = lane_of(self.kind, batch=batch)
        assert lane is not None
        return lane


def player_of(job: Job) -> str:
    """Whose job it is; nobody's where an older version has queued it."""
    arguments: Mapping[str, Any] = job.arguments
    return str(arguments.get("by", ""))
