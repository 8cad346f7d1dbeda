"""Lets players take turns with the workers' time while a position is being searched.

Each job runs in a process of its own, one at a time. A process whose turn is over suspends itself
(`workers.suspension`): it waits, with its search in its memory, until the player's next turn. So a
long search costs others no more than a turn, and loses nothing.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import wait
from typing import Final

from service.clocks.store_time import StoreTime
from service.jobs.duties import Lane
from service.jobs.fair_queue import FairQueue
from service.jobs.job import Job
from service.jobs.job_kinds import ANALYSIS
from service.jobs.queue import TIMEOUT, JobQueue
from service.jobs.store import Jobs
from service.settings import Settings
from service.storage.capacity import STORE_AWAY
from service.storage.connections import connect
from workers import own_queues, stop_request
from workers.job_process import JobProcess

log = logging.getLogger(__name__)

MOST_SUSPENDED: Final = 16
"""The most searches that wait in memory. Of more, the one that would be resumed last goes back to
the queue, and loses what it has found in the position that it was searching."""
LOOK: Final = 0.2
"""Seconds between two checks whether this process has to stop."""
GRACE: Final = 10.0
"""Seconds in which a process that was asked to stop has to end."""
PAUSE: Final = 1.0
"""Seconds until a store that was away is asked again."""
BEAT: Final = 30.0
"""Seconds between two heartbeats to RQ."""

_beat: Callable[[], None] | None = None


def beat_by(beat: Callable[[], None]) -> None:
    """From now on, call `beat` every BEAT seconds: it tells RQ that the worker is at work."""
    global _beat
    _beat = beat


class TimeSharing:
    """Works on the job of one hint, and on others' jobs while it is suspended.

    `work` does what a worker does with a hint. It is called in a new process, and has to make its
    own connections.
    """

    def __init__(self, settings: Settings, work: Callable[[str], None]) -> None:
        self._settings = settings
        self._work = work
        self._processes: list[JobProcess] = []
        self._turns: FairQueue | None = None
        self._next_beat = time.monotonic() + BEAT
        self._resumed = False
        """Whether the process that was active last had been resumed."""

    def run(self, hint: str) -> None:
        """Return when no job is suspended any more, or this process has to stop."""
        try:
            active: JobProcess | None = self._start(hint)
            while active is not None:
                self._wait(active)
                if stop_request.is_requested():
                    return
                try:
                    self._make_room()
                    active = self._choose()
                except STORE_AWAY as error:
                    log.warning("suspended searches wait: %s", error)
                    time.sleep(PAUSE)
        finally:
            self._stop_all()

    def _start(self, hint: str) -> JobProcess:
        """Start a process that works on the job of a hint."""
        process = JobProcess(partial(self._work, hint), self._list_suspended())
        self._processes.append(process)
        self._resumed = False
        return process

    def _wait(self, active: JobProcess) -> None:
        """Wait until the active process has ended or is suspended, or this one has to stop.

        A process whose turn lasts for TIMEOUT is killed.
        """
        deadline = time.monotonic() + TIMEOUT
        while active.is_active and not stop_request.is_requested():
            self._listen()
            if time.monotonic() > deadline:
                active.kill()

    def _make_room(self) -> None:
        """Give back the jobs that would be resumed last, if more than MOST_SUSPENDED wait."""
        ids = self._list_suspended()
        if len(ids) <= MOST_SUSPENDED:
            return
        turns = self._connect()
        for job in turns.order(turns.suspended(ids))[MOST_SUSPENDED:]:
            process = self._find(job)
            process.give_back()
            self._wait(process)

    def _listen(self) -> None:
        """Learn what processes have to say within LOOK, and forget those that have ended."""
        if _beat is not None and time.monotonic() >= self._next_beat:
            self._next_beat = time.monotonic() + BEAT
            with suppress(*STORE_AWAY):
                _beat()
        for ready in wait([process.connection for process in self._processes], LOOK):
            for process in self._processes:
                if process.connection is ready:
                    process.listen()
        self._processes = [process for process in self._processes if not process.ended]

    def _choose(self) -> JobProcess | None:
        """The process that goes on next, resumed or new; None if no job is suspended.

        While none is suspended, RQ chooses the next hint.
        """
        ids = self._list_suspended()
        if not ids:
            return None
        turns = self._connect()
        suspended = turns.order(turns.suspended(ids))
        for lane in own_queues.list_assigned():
            mine = [job for job in suspended if job.batch == (lane is Lane.BATCH)]
            first = mine[0] if mine else None
            hint = self._take_hint(turns, lane, first)
            if hint is not None:
                return self._start(hint)
            if first is not None:
                return self._resume(first)
        return None

    def _take_hint(self, turns: FairQueue, lane: Lane, first: Job | None) -> str | None:
        """Take a hint from a queue if one comes before the suspended job `first`.

        Jobs that have no turns among analyses come after each job that was resumed.
        """
        if first is None or turns.is_preceded(first):
            return turns.queue.take(lane)
        other = _find_other_kind(turns, lane) if self._resumed else None
        return other if other and turns.queue.withdraw(lane, other) else None

    def _resume(self, job: Job) -> JobProcess:
        """Resume the process of a suspended job."""
        process = self._find(job)
        process.resume([other for other in self._list_suspended() if other != job.id])
        self._resumed = True
        return process

    def _find(self, job: Job) -> JobProcess:
        """The process of a suspended job."""
        return next(process for process in self._processes if process.suspended == job.id)

    def _connect(self) -> FairQueue:
        """The queue of analyses, over connections of this process."""
        if self._turns is None:
            store = connect(self._settings.redis_url, self._settings)
            jobs = Jobs(store, StoreTime(store))
            queue = JobQueue(jobs, connect(self._settings.queue_url, self._settings))
            self._turns = FairQueue(queue, ANALYSIS)
        return self._turns

    def _list_suspended(self) -> list[str]:
        """The ids of the suspended jobs."""
        return [process.suspended for process in self._processes if process.suspended]

    def _stop_all(self) -> None:
        """Let the processes put their jobs back, and wait until they have ended."""
        for process in self._processes:
            process.stop()
        deadline = time.monotonic() + GRACE
        while self._processes and time.monotonic() < deadline:
            self._listen()
        for process in self._processes:
            process.kill()


def _find_other_kind(turns: FairQueue, lane: Lane) -> str | None:
    """The first job hinted at in a queue that is no analysis; None if there is none."""
    ids = turns.sample_hints(lane)
    kinds = zip(ids, turns.jobs.kinds(ids), strict=True)
    return next((id for id, (kind, _) in kinds if kind != ANALYSIS), None)
