"""The jobs in Redis, beside the log (`service.jobs.redis_layout`)."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

import redis

from service.errors import NotFound
from service.jobs.errors import LeaseLost, WrongJobState
from service.jobs.job import Job, JobState, Waiting, from_fields
from service.jobs.job_kinds import FORGOTTEN, KINDS, SENDING
from service.jobs.redis_layout import (
    BY_STATE,
    FORGET,
    HASTEN,
    HEADS,
    HOLD,
    JOB,
    PREFIX,
    QUEUED,
    TOOK,
    TRANSITION,
    WAITING,
)
from service.storage.cache_writes import cache_writes

REMEMBERED: Final = 20
"""The number of done jobs of a kind whose duration is remembered."""
LEASE: Final = 15_000
"""Milliseconds for which a worker may be silent before its job is given to another."""
TRIES: Final = 3
FIRST_DELAY: Final = 2_000
"""Milliseconds before the second try; the third try waits twice as long."""
ENDED: Final = (JobState.DONE, JobState.FAILED, JobState.CANCELLED, JobState.QUARANTINED)


Fields = Mapping[str, str | int]


class Jobs:
    """Durable jobs. Every change is atomic and happens only from the states it is meant for.

    `clock` gives milliseconds since 1970 UTC, the same in all processes (`StoreTime`): leases are
    compared between machines.
    """

    def __init__(self, store: redis.Redis, clock: Callable[[], int]) -> None:
        self.store = store
        self.clock = clock
        self._transition = store.register_script(TRANSITION)
        self._hasten = store.register_script(HASTEN)
        self._hold = store.register_script(HOLD)
        self._forget = store.register_script(FORGET)

    def create(
        self,
        id: str,
        kind: str,
        arguments: Mapping[str, Any],
        due: int | None = None,
        *,
        batch: bool = False,
        group: str = "",
    ) -> bool:
        """Create a queued job, to be tried from `due` on; False if there is one with this id.

        Without `due` it may be tried at once. `group` divides the jobs of a kind into queues.
        """
        at = self.clock()
        due = at if due is None else due
        fields: Fields = {"kind": kind, "arguments": _json(arguments), "created_at": at}
        fields = {**fields, "due": due, "batch": int(batch), "group": group}
        return self.move(id, "new", JobState.QUEUED, due, fields) is None

    def amend(self, id: str, arguments: Mapping[str, Any]) -> bool:
        """Give a queued job other arguments; False if it is no longer queued."""
        amended = {"arguments": _json(arguments)}
        return self.move(id, JobState.QUEUED, JobState.QUEUED, "", amended) is None

    def get(self, id: str) -> Job:
        """The job with this id; raises NotFound."""
        fields: Any = self.store.hgetall(f"{JOB}{id}")
        if not fields:
            raise NotFound("job", id)
        return from_fields(id, fields)

    def claim(self, id: str, owner: str) -> Job | None:
        """Begin a queued job and hold it for LEASE; None if it is not available."""
        at = self.clock()
        until = at + LEASE
        fields: Fields = {"owner": owner, "until": until, "claimed_at": at, "done": 0, "total": 0}
        refused = self.move(id, JobState.QUEUED, JobState.RUNNING, until, fields, tries=1)
        return None if refused else self.get(id)

    def heartbeat(self, job: Job, done: int, total: int, note: Any = None) -> None:
        """Hold a job for another LEASE and report its progress; raises LeaseLost.

        `note` replaces an earlier one, unless it is None.
        """
        until = self.clock() + LEASE
        fields: Fields = {"until": until, "done": done, "total": total}
        told: Fields = {} if note is None else {"note": _json(note)}
        self._held(job, JobState.RUNNING, until, {**fields, **told})

    def keep(self, job: Job, done: int, total: int, checkpoint: Any, tries: int = 1) -> None:
        """As `heartbeat`, and store where another try is to go on; raises LeaseLost.

        A job that makes progress is not given up however often its workers die. So tries are
        counted afresh from here, this one as the first unless `tries` says otherwise.
        """
        until = self.clock() + LEASE
        fields: Fields = {"until": until, "done": done, "total": total, "tries": tries}
        self._held(job, JobState.RUNNING, until, {**fields, "checkpoint": _json(checkpoint)})

    def finish(self, job: Job, outcome: Any) -> None:
        """Mark a job as done, or forget it if its kind is FORGOTTEN; raises LeaseLost.

        One that sends something loses its arguments.
        """
        at = self.clock()
        fields: Fields = {"outcome": _json(outcome), "reason": ""}
        if job.kind in SENDING:
            fields = {**fields, "arguments": _json({})}
        self._held(job, JobState.DONE, at, fields)
        key = f"{TOOK}{job.kind}"
        with cache_writes(self.store) as pipeline:
            pipeline.lpush(key, at - job.claimed_at)
            pipeline.ltrim(key, 0, REMEMBERED - 1)
        if job.kind in FORGOTTEN:
            self.forget(job.id, JobState.DONE)

    def forget(self, id: str, state: JobState) -> bool:
        """Delete a job that is in this state; False if there is none."""
        return bool(self._forget(keys=[f"{JOB}{id}", f"{BY_STATE}{state}"], args=[id, state]))

    def release(self, job: Job, due: int | None = None) -> None:
        """Give back a job unfinished, as a worker that stops does; this does not count as a try.

        Without `due` it may be begun again at once. Raises LeaseLost.
        """
        due = self.clock() if due is None else due
        self._held(job, JobState.QUEUED, due, {"due": due}, tries=-1)

    def fail(self, job: Job, reason: str, outcome: Any = None, *, final: bool = False) -> None:
        """After a failed try, queue the job for the next one, or fail it if that was the last.

        `final` says that another try would be of no use. Raises LeaseLost.
        """
        at = self.clock()
        if final or job.tries >= TRIES:
            fields: Fields = {"reason": reason, "outcome": _json(outcome)}
            self._held(job, JobState.FAILED, at, fields)
        else:
            due = at + FIRST_DELAY * 2 ** (job.tries - 1)
            self._held(job, JobState.QUEUED, due, {"due": due, "reason": reason})

    def take_back(self, id: str) -> bool:
        """Take a job from a worker whose lease expired, to queue it or to quarantine it.

        False if it is no longer running or its lease was renewed.
        """
        at = self.clock()
        job = self.get(id)
        to = JobState.QUARANTINED if job.tries >= TRIES else JobState.QUEUED
        times = f"{job.tries} of {TRIES} times"
        fields: Fields = {"due": at, "reason": f"its worker died or hung {times}"}
        return not self.move(id, JobState.RUNNING, to, at, fields, owner=job.owner, late=at)

    def cancel(self, id: str) -> None:
        """Cancel a job; its worker stops at the next heartbeat. Raises NotFound, WrongJobState."""
        refused = self.move(
            id, f"{JobState.QUEUED} {JobState.RUNNING}", JobState.CANCELLED, self.clock(), {}
        )
        self._accepted(id, refused)

    def requeue(self, id: str, *, batch: bool | None = None) -> None:
        """Try an ended job again from the start; raises NotFound or WrongJobState.

        It becomes a `batch` job or an ordinary one, or stays what it was if that is None.
        """
        due = self.clock()
        fields: Fields = {"due": due, "tries": 0, "note": _json(None)}
        if batch is not None:
            fields = {**fields, "batch": int(batch)}
        self._accepted(id, self.move(id, " ".join(ENDED), JobState.QUEUED, due, fields))

    def hasten(self, id: str) -> None:
        """Make a batch job an ordinary one; does nothing if there is no such job."""
        self._hasten(keys=[f"{JOB}{id}"])

    def get_each(self, ids: Sequence[str]) -> list[Job]:
        """The jobs with these ids, in order, without those that do not exist."""
        pipeline = self.store.pipeline(transaction=False)
        for id in ids:
            pipeline.hgetall(f"{JOB}{id}")
        found = zip(ids, pipeline.execute(), strict=True)
        return [from_fields(id, fields) for id, fields in found if fields]

    def kinds(self, ids: Sequence[str]) -> list[tuple[str, bool]]:
        """The kind of each of these jobs, and whether it is a batch job."""
        pipeline = self.store.pipeline(transaction=False)
        for id in ids:
            pipeline.hmget(f"{JOB}{id}", "kind", "batch")
        return [((kind or b"").decode(), batch == b"1") for kind, batch in pipeline.execute()]

    def under_way(self, ids: Collection[str]) -> set[str]:
        """Return which of these jobs are queued or running."""
        known = list(ids)
        pipeline = self.store.pipeline(transaction=False)
        for id in known:
            pipeline.hget(f"{JOB}{id}", "state")
        states = [(state or b"").decode() for state in pipeline.execute()]
        return {
            id
            for id, state in zip(known, states, strict=True)
            if state in (JobState.QUEUED, JobState.RUNNING)
        }

    def usual_time(self, kind: str) -> float | None:
        """Milliseconds that recent jobs of a kind took on average; None if none is done."""
        took: Any = self.store.lrange(f"{TOOK}{kind}", 0, -1)
        return sum(map(int, took)) / len(took) if took else None

    def waiting(self, kinds: Collection[str], unhurried: Collection[str] = ()) -> Waiting:
        """How many jobs of these kinds are queued, and since when the first of them might begin.

        For jobs of the kinds `unhurried` the latter does not matter, since nobody waits for them.
        """
        pipeline = self.store.pipeline(transaction=False)
        pipeline.hmget(WAITING, list(kinds))
        for kind in kinds:
            if kind not in unhurried:
                pipeline.zrange(f"{HEADS}{kind}", 0, 0, withscores=True)
        counts, *heads = pipeline.execute()
        since = [int(score) for found in heads for _, score in found]
        return Waiting(sum(int(count or 0) for count in counts), min(since, default=None))

    def due(self, kinds: Collection[str] = KINDS, limit: int = 1000) -> list[str]:
        """Ids of queued jobs that are due, longest due first within each group."""
        return [
            id
            for kind in kinds
            for group in self.due_groups(kind)
            for id in self.due_in(kind, group, limit)
        ]

    def due_groups(self, kind: str, limit: int = 10_000) -> list[str]:
        """The groups of a kind in which a job may begin now, longest due first."""
        found: Any = self.store.zrangebyscore(
            f"{HEADS}{kind}", "-inf", self.clock(), start=0, num=limit
        )
        return [group.decode() for group in found]

    def due_in(self, kind: str, group: str, limit: int) -> list[str]:
        """Ids of a group's queued jobs that are due, longest due first."""
        return self.list_below(f"{QUEUED}{kind}:{group}", self.clock(), limit)

    def queued_in(self, kind: str, group: str) -> int:
        """Count the queued jobs of a group, due or not."""
        return int(self.store.zcard(f"{QUEUED}{kind}:{group}"))

    def hold(self, kind: str, group: str, until: int | None) -> None:
        """Keep the jobs of a group from beginning before `until`; None lifts the hold."""
        self._hold(keys=[PREFIX], args=[kind, group, "" if until is None else until])

    def expired(self, limit: int = 1000) -> list[str]:
        """Ids of running jobs whose lease has expired."""
        return self.list_below(f"{BY_STATE}{JobState.RUNNING}", self.clock(), limit)

    def counts(self) -> dict[JobState, int]:
        """Count the jobs in each state."""
        pipeline = self.store.pipeline(transaction=False)
        for state in JobState:
            pipeline.zcard(f"{BY_STATE}{state}")
        return dict(zip(JobState, pipeline.execute(), strict=True))

    def list_below(self, key: str, highest: int, limit: int) -> list[str]:
        """List the ids in a sorted set of the store up to a score, lowest first."""
        found: Any = self.store.zrangebyscore(key, "-inf", highest, start=0, num=limit)
        return [id.decode() for id in found]

    def move(
        self,
        id: str,
        allowed: str,
        to: JobState,
        score: int | str,
        fields: Fields,
        *,
        owner: str = "",
        late: int | str = "",
        tries: int = 0,
    ) -> str | None:
        """Move a job from one of the `allowed` states to another, or change it within one.

        `score` is its score in the new state's set; '' leaves a queued job where it is. Returns the
        state that did not allow the move, None on success.
        """
        values = {**fields, "updated_at": self.clock()}
        arguments = [id, f" {allowed} ", owner, late, to, score, tries]
        arguments += [part for pair in values.items() for part in pair]
        moved, state = self._transition(keys=[f"{JOB}{id}", PREFIX], args=arguments)
        return None if moved else str(state.decode())

    def _held(self, job: Job, to: JobState, score: int, fields: Fields, tries: int = 0) -> None:
        refused = self.move(
            job.id, JobState.RUNNING, to, score, fields, owner=job.owner, tries=tries
        )
        if refused:
            raise LeaseLost(job.id, refused)

    def _accepted(self, id: str, refused: str | None) -> None:
        if refused == "new":
            raise NotFound("job", id)
        if refused:
            raise WrongJobState(id, refused)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
