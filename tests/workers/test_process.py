"""The worker as a process, stopped and killed while it works."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from service.composition.service import Service, now
from service.jobs.job import JobState
from service.jobs.job_kinds import SCORING
from service.jobs.queue import JobQueue
from service.jobs.reconciler import Reconciler
from service.jobs.store import LEASE, Jobs
from tests.service.redis_server import RedisServer
from tests.waiting import PATIENCE, eventually
from tests.workers.held import Hold
from tests.workers.processes import Start, kill_worker, worker_processes
from tests.workers.support import ended_games, everything, scores, service_on


@pytest.fixture
def service(durable: RedisServer) -> Service:
    return service_on(durable)


@pytest.fixture
def queue(service: Service) -> JobQueue:
    return JobQueue(Jobs(service.store, now), service.store)


@pytest.fixture
def start(durable: RedisServer, hold: Hold) -> Iterator[Start]:
    with worker_processes(durable, "scoring", hold) as start:
        yield start


def submitted(service: Service, queue: JobQueue, games: int) -> list[str]:
    """Finished games whose scoring is queued as the job `a`."""
    ids = ended_games(service, games, plies=12)
    queue.submit("a", SCORING, everything(service))
    return ids


def wait_for_middle(queue: JobQueue) -> None:
    """Wait until the worker stands still in the middle of its job."""
    eventually(lambda: queue.jobs.get("a").progress[0] >= 20)
    assert queue.jobs.get("a").state is JobState.RUNNING


def scored_once(service: Service, ids: list[str]) -> bool:
    """Whether every game has exactly one score in its log."""
    return all(len(scores(service, id)) == 1 for id in ids)


def left_by_rq(service: Service) -> set[str]:
    """RQ's keys for jobs."""
    keys: Any = service.store.keys("rq:*")
    kinds = ("job", "queue:", "finished", "failed", "results", "wip", "execution")
    return {key.decode() for key in keys if key.decode()[3:].startswith(kinds)}


@pytest.mark.slow
def test_a_game_is_scored_by_a_worker_and_rq_keeps_nothing_of_it(
    service: Service, queue: JobQueue, start: Start
) -> None:
    ids = submitted(service, queue, 2)
    worker = start()
    eventually(lambda: queue.jobs.get("a").state is JobState.DONE)
    assert scored_once(service, ids)
    eventually(lambda: not left_by_rq(service))
    worker.terminate()
    assert worker.wait(PATIENCE) == 0


@pytest.mark.slow
def test_killed_while_scoring_nothing_is_lost_and_nothing_is_doubled(
    service: Service, queue: JobQueue, start: Start, hold: Hold
) -> None:
    ids = submitted(service, queue, 40)
    hold.at(SCORING, 0.5)
    worker = start()
    wait_for_middle(queue)
    kill_worker(worker)
    hold.release()
    assert not scored_once(service, ids)
    start()
    # Pretend that the lease has expired.
    later = JobQueue(Jobs(service.store, lambda: service.jobs.clock() + LEASE), service.store)
    Reconciler(later).run()
    eventually(lambda: queue.jobs.get("a").state is JobState.DONE)
    assert scored_once(service, ids)
    assert queue.jobs.get("a").tries == 2
    assert queue.jobs.get("a").outcome["left"] == 20


@pytest.mark.slow
def test_told_to_stop_a_worker_gives_its_job_back_at_once(
    service: Service, queue: JobQueue, start: Start, hold: Hold
) -> None:
    ids = submitted(service, queue, 40)
    hold.at(SCORING, 0.5)
    worker = start()
    wait_for_middle(queue)
    worker.terminate()
    assert worker.wait(PATIENCE) == 0
    hold.release()
    assert (queue.jobs.get("a").state, queue.jobs.get("a").tries) == (JobState.QUEUED, 0)
    start()
    Reconciler(queue).run()
    eventually(lambda: queue.jobs.get("a").state is JobState.DONE)
    assert scored_once(service, ids)


@pytest.mark.slow
def test_a_worker_outlives_its_queue(
    service: Service, queue: JobQueue, durable: RedisServer, start: Start
) -> None:
    ids = submitted(service, queue, 1)
    start()
    eventually(lambda: queue.jobs.get("a").state is JobState.DONE)
    durable.kill()
    durable.start()
    more = ended_games(service, 2, name="h")
    queue.submit("b", SCORING, everything(service))
    eventually(lambda: queue.jobs.get("b").state is JobState.DONE)
    assert scored_once(service, ids + more)
