"""Whose job is next: players take turns, however many jobs one of them has queued.

movelog:{jobs}:used:<kind>    sorted set: players by how much of the workers' time they have used,
                              in milliseconds; only those who have used more than the floor, or have
                              a turn
movelog:{jobs}:floor:<kind>   how much the players with turns had used at least when the last
                              turn began
movelog:{jobs}:turns:<kind>   hash: the jobs that have a turn, to when it began and whose it is

A hint at a job says that there is work, and the turn decides which: of the players who wait, the
one who has used least time has the next turn, with the first of their jobs by `rank`. A player who
was away begins at the floor, so that nobody saves up time. A job whose turn has lasted TURN seconds
is put back or suspended, to go on later, if a player who has used less is waiting; only jobs of
tournaments are not interrupted. Imports, analyses and the jobs of tournaments take turns this way,
each kind for itself.

Any number of workers take turns at once: a turn begins in one step of the store and ends in
another, and the time of those under way counts as it passes (`turns.lua`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any, Final

from redis.exceptions import ResponseError

from service.errors import NotFound
from service.jobs.duties import Lane, lane_of
from service.jobs.job import Job, JobState
from service.jobs.queue import JobQueue
from service.jobs.redis_layout import BEGIN_TURN, BY_STATE, END_TURN, JOB, PREFIX, READ_USED
from service.jobs.store import LEASE
from service.storage.capacity import describe_full_storage

TURN: Final = 5.0
"""Seconds for which a job goes on even if other players wait."""
LOOK: Final = 1.0
"""Seconds between two checks whether a turn that has lasted TURN is over."""
LEAST: Final = 1000
"""The least milliseconds for which a turn counts while it is in progress, so that workers that
begin turns at the same moment begin those of different players."""
CHARGE: Final = 50
"""The least milliseconds for which a turn counts once it has ended."""
GRACE: Final = 10_000
"""Milliseconds within which a worker that has begun a turn claims its job, and within which it ends
the turn once the job has ended."""
EARLY: Final = 100
"""Milliseconds by which a turn may begin before its job is due: processes know the store's time to
within some, and a worker may take a hint at once."""
LOOKED: Final = 1000
"""The most hints of a lane that are looked up to find who waits."""


WaitingIn = Callable[[Lane], list[Job]]
"""Returns the jobs of a lane that may begin now."""


class FairQueue:
    """The order in which workers take the jobs of a kind."""

    def __init__(self, queue: JobQueue, kind: str) -> None:
        self.queue = queue
        self.kind = kind
        self.jobs = queue.jobs
        self.store = queue.jobs.store
        self.used_key = f"{PREFIX}used:{kind}"
        self.floor_key = f"{PREFIX}floor:{kind}"
        self.turns_key = f"{PREFIX}turns:{kind}"
        self._begin = self.store.register_script(BEGIN_TURN)
        self._end = self.store.register_script(END_TURN)
        self._read_used = self.store.register_script(READ_USED)

    def begin(self, hinted: str) -> str | None:
        """Begin a turn; returns the id of the job to carry out by a worker that took this hint.

        If it is another job, the hint at this one is put back in place of the hint at that one.
        None if no turn begins, since neither this job nor another one waits or the store is full.
        """
        try:
            lane = self._lane(self.jobs.get(hinted))
        except NotFound:
            return None
        waiting = sorted(self.waiting(lane, hinted), key=rank)
        chosen = self._begin_turn(JobState.QUEUED, waiting)
        if chosen is not None and chosen != hinted:
            self.queue.exchange(lane, chosen, hinted)
        return chosen

    def resume(self, job: Job) -> None:
        """Begin another turn of a running job, whose last turn was ended when it was suspended."""
        self._begin_turn(JobState.RUNNING, [job])

    def end(self, id: str, seconds: float) -> None:
        """End the turn of a job, which has lasted `seconds`, and count its time."""
        lasted = max(CHARGE, round(seconds * 1000))
        with suppress(ResponseError):  # the store is full: the turn lapses
            self._end(keys=self._keys(), args=[id, lasted])

    def is_over(self, job: Job, seconds: float, suspended: Collection[str] = ()) -> bool:
        """Whether a turn ends after `seconds`: somebody who has used less time is waiting.

        The jobs `suspended` wait too, as far as they have the job's priority.
        """
        if seconds < TURN:
            return False
        equals = [other for other in self.suspended(suspended) if other.batch == job.batch]
        waiting = self.waiting(self._lane(job)) + equals
        used = self.used([player_of(job), *map(player_of, waiting)], without=job.id)
        own = used.pop(player_of(job)) + seconds * 1000
        return any(before < own for before in used.values())

    def put_back(self, job: Job) -> None:
        """Let a job whose turn is over go on in another turn."""
        self.queue.try_to_hint(job.id, self._lane(job))

    def waiting(self, lane: Lane, *others: str) -> list[Job]:
        """The jobs that may begin now, of those in a lane and `others`."""
        until = self.jobs.clock() + EARLY
        found = self._of_kind([*others, *self.sample_hints(lane)])
        return [job for job in found if job.state is JobState.QUEUED and job.due <= until]

    def sample_hints(self, lane: Lane) -> list[str]:
        """The jobs hinted at in a lane; if there are more than LOOKED, the oldest and some others.

        The others are chosen at random, so that whoever waits behind thousands is soon found.
        """
        ids = self.queue.waiting(lane)
        if len(ids) <= LOOKED:
            return ids
        oldest = LOOKED // 2
        return [*ids[:oldest], *random.sample(ids[oldest:], LOOKED - oldest)]

    def suspended(self, ids: Collection[str]) -> list[Job]:
        """The jobs that wait for a turn, of those that were suspended while they ran."""
        return [job for job in self._of_kind(list(ids)) if job.state is JobState.RUNNING]

    def order(self, suspended: Sequence[Job]) -> list[Job]:
        """Suspended jobs in the order of their next turns: people's first, then by time used."""
        used = self.used(map(player_of, suspended))
        return sorted(
            suspended, key=lambda job: (job.batch, used[player_of(job)], job.created_at, job.id)
        )

    def is_preceded(self, suspended: Job) -> bool:
        """Whether somebody who has used less time than a suspended job's player is waiting."""
        own = player_of(suspended)
        used = self.used([own, *map(player_of, self.waiting(self._lane(suspended)))])
        return any(before < used[own] for before in used.values())

    def having_turns(self) -> set[str]:
        """The jobs whose turns have begun and not been ended."""
        found: Any = self.store.hkeys(self.turns_key)
        return {id.decode() for id in found}

    def running(self) -> list[Job]:
        """The jobs that workers are carrying out or have suspended."""
        until = self.jobs.clock() + LEASE
        return self._of_kind(self.jobs.list_below(f"{BY_STATE}{JobState.RUNNING}", until, LOOKED))

    def used(self, players: Iterable[str], without: str = "") -> dict[str, int]:
        """How many milliseconds each of these players has used.

        Turns under way count as far as they have come, except that of the job `without`.
        """
        known = list(dict.fromkeys(players))
        if not known:
            return {}
        found: Any = self._read_used(keys=self._keys(), args=[*self._times(), without, *known])
        return dict(zip(known, found, strict=True))

    def ahead(self, job: Job, waiting_in: WaitingIn) -> int:
        """How many of the waiting jobs have a turn before this one, if no others are added.

        `waiting_in` is `waiting`, or answers from what that returned. All turns are assumed to take
        the same time. A job that is to be tried again later, or that a worker has just taken,
        counts as waiting.
        """
        others = waiting_in(self._lane(job))
        waiting = [job, *(other for other in others if other.id != job.id)]
        used = self.used(map(player_of, waiting))
        before = dict.fromkeys(used, 0)
        order: list[tuple[int, int, str]] = []
        for one in sorted(waiting, key=lambda one: (one.created_at, one.id)):
            player = player_of(one)
            order.append((used[player] + LEAST * before[player], one.created_at, one.id))
            before[player] += 1
        persons = 0
        if job.batch:
            persons = len(waiting_in(self._lane_of(batch=False)))
        return persons + [id for *_, id in sorted(order)].index(job.id)

    def _begin_turn(self, state: JobState, candidates: Sequence[Job]) -> str | None:
        """The job whose turn begins, None if none of the candidates is in this state any more."""
        each = [text for job in candidates for text in (job.id, player_of(job))]
        try:
            chosen: Any = self._begin(keys=self._keys(), args=[*self._times(), "", state, *each])
        except ResponseError as error:
            if describe_full_storage(error) is None:
                raise
            return None  # no job can be claimed either
        return chosen.decode() if chosen else None

    def _keys(self) -> list[str]:
        return [self.used_key, self.floor_key, self.turns_key, JOB]

    def _times(self) -> list[int]:
        return [self.jobs.clock(), LEAST, CHARGE, GRACE]

    def _of_kind(self, ids: Sequence[str]) -> list[Job]:
        found = self.jobs.get_each(list(dict.fromkeys(ids)))
        return [job for job in found if job.kind == self.kind]

    def _lane(self, job: Job) -> Lane:
        return self._lane_of(batch=job.batch)

    def _lane_of(self, *, batch: bool) -> Lane:
        lane = lane_of(self.kind, batch=batch)
        assert lane is not None
        return lane


class Turn:
    """How long a turn has lasted since it began, and whether it ends."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Begin, or begin again: another turn of the same job."""
        self._begun = monotonic()
        self._next = self._begun + TURN

    def seconds(self) -> float:
        """How long it has lasted."""
        return monotonic() - self._begun

    def is_over(self, queue: FairQueue, job: Job, suspended: Collection[str] = ()) -> bool:
        """Whether the job's turn ends (`FairQueue.is_over`); asks the store once every LOOK."""
        now = monotonic()
        if now < self._next:
            return False
        self._next = now + LOOK
        return queue.is_over(job, now - self._begun, suspended)


def rank(job: Job) -> tuple[int, int, str]:
    """The order of jobs whose players have used the same time: the smallest first, then the oldest.

    Only jobs that state a `size` differ in it.
    """
    return int(job.arguments.get("size", 0)), job.created_at, job.id


def player_of(job: Job) -> str:
    """The player whose job it is; empty if an older version has queued it."""
    arguments: Mapping[str, Any] = job.arguments
    return str(arguments.get("by", ""))
