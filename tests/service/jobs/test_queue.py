from __future__ import annotations

import json
import zlib
from pathlib import Path

import fakeredis
import pytest
import redis

from service.jobs.job import State
from service.jobs.kinds import ANALYSIS, IMPORT, RUN_JOB, SCORING
from service.jobs.queue import JobQueue, Lane
from service.jobs.reconciler import Reconciler
from service.jobs.scoring import ask_for_scoring
from service.jobs.store import LEASE, TRIES, Jobs
from service.projection.stretch import Stretch
from tests.service.jobs.support import Clock, running


def test_a_job_is_submitted_once(queue: JobQueue) -> None:
    assert queue.submit("a", SCORING, {})
    assert not queue.submit("a", SCORING, {})
    assert queue.queues[Lane.SERVICE].get_job_ids() == ["a"]


def test_a_hint_is_the_jobs_id_as_json(queue: JobQueue, store: redis.Redis) -> None:
    queue.submit("a", SCORING, {"secret": "not here"})
    data = store.hget("rq:job:a", "data")
    assert isinstance(data, bytes)
    assert json.loads(zlib.decompress(data)) == [RUN_JOB, None, ["a"], {}]
    assert "not here" not in str(store.hgetall("rq:job:a"))


def test_a_job_is_kept_though_the_queue_is_away(jobs: Jobs, tmp_path: Path) -> None:
    away = redis.Redis.from_url(f"unix://{tmp_path / 'nothing.sock'}")
    queue = JobQueue(jobs, away)
    assert queue.submit("a", SCORING, {})
    assert jobs.get("a").state is State.QUEUED
    with pytest.raises(redis.ConnectionError):
        Reconciler(queue).run()


def test_a_lost_hint_is_sent_again_and_a_present_one_is_not(
    queue: JobQueue, store: redis.Redis
) -> None:
    queue.submit("a", SCORING, {})
    queue.submit("b", SCORING, {})
    store.lrem("rq:queue:movelog", 1, "a")
    reconciler = Reconciler(queue)
    reconciler.run()
    reconciler.run()
    assert sorted(queue.queues[Lane.SERVICE].get_job_ids()) == ["a", "b"]
    store.flushall()
    assert queue.hinted() == set()


def test_a_hint_that_died_with_its_worker_is_sent_again(
    queue: JobQueue, store: redis.Redis
) -> None:
    queue.submit("a", SCORING, {})
    # This is how RQ takes a hint; a worker killed in that moment has not begun the job.
    assert store.lmove("rq:queue:movelog", "rq:queue:movelog:intermediate") == b"a"
    Reconciler(queue).run()
    assert queue.queues[Lane.SERVICE].get_job_ids() == ["a"]


def test_a_job_that_is_not_due_gets_no_hint(queue: JobQueue, clock: Clock) -> None:
    queue.jobs.fail(running(queue.jobs), "why")
    Reconciler(queue).run()
    assert queue.queues[Lane.SERVICE].get_job_ids() == []
    clock.pass_by(LEASE)
    Reconciler(queue).run()
    assert queue.queues[Lane.SERVICE].get_job_ids() == ["a"]


def test_a_dead_workers_job_is_queued_with_a_hint(queue: JobQueue, clock: Clock) -> None:
    running(queue.jobs)
    Reconciler(queue).run()
    assert queue.jobs.get("a").state is State.RUNNING
    clock.pass_by(LEASE)
    Reconciler(queue).run()
    assert queue.jobs.get("a").state is State.QUEUED
    assert queue.hinted() == {"a"}


def test_after_three_dead_workers_there_is_no_further_hint(queue: JobQueue, clock: Clock) -> None:
    for _ in range(TRIES):
        running(queue.jobs)
        clock.pass_by(LEASE)
        queue.connection.delete("rq:queue:movelog")
        Reconciler(queue).run()
    assert queue.jobs.get("a").state is State.QUARANTINED
    assert queue.hinted() == set()


def test_the_queue_may_be_on_another_server(clock: Clock) -> None:
    store, elsewhere = fakeredis.FakeRedis(), fakeredis.FakeRedis()
    queue = JobQueue(Jobs(store, clock), elsewhere)
    queue.submit("a", SCORING, {})
    assert store.keys("rq:*") == []
    assert elsewhere.keys("movelog:*") == []


def test_one_stretch_of_the_feed_makes_one_job(queue: JobQueue) -> None:
    for stretch in (Stretch(3, "0-0", "7-1"), Stretch(3, "0-0", "7-1"), Stretch(4, "0-0", "7-1")):
        ask_for_scoring(queue, stretch)
    found = [queue.jobs.get(id) for id in queue.jobs.due()]
    assert len(found) == 2
    assert {Stretch(**job.arguments).partition for job in found} == {3, 4}
    assert {job.kind for job in found} == {SCORING}


def test_a_batch_waits_for_persons_and_analyses_for_nothing_else(queue: JobQueue) -> None:
    queue.submit("a", ANALYSIS, {}, batch=True)
    queue.submit("s", SCORING, {})
    analysts = (Lane.PERSON, Lane.BATCH)
    assert not queue.someone_waits(analysts)
    assert queue.someone_waits(tuple(Lane))
    queue.submit("b", ANALYSIS, {})
    queue.submit("c", ANALYSIS, {}, batch=True)
    assert queue.someone_waits(analysts)
    assert [queue.ahead(id) for id in ("b", "a", "c", "s")] == [0, 1, 2, None]
    assert queue.hinted() == {"a", "b", "c", "s"}


def test_a_lost_hint_comes_back_into_its_own_queue(queue: JobQueue, store: redis.Redis) -> None:
    queue.submit("a", ANALYSIS, {}, batch=True)
    queue.submit("b", ANALYSIS, {}, batch=True)
    queue.submit("c", SCORING, {})
    queue.submit("d", IMPORT, {})
    queue.jobs.hasten("b")
    for lane in Lane:
        store.delete(f"rq:queue:{lane}")
    Reconciler(queue).run()
    assert [one.get_job_ids() for one in queue.queues.values()] == [["c"], ["d"], ["b"], ["a"]]
    assert queue.workers() == 0


def test_what_is_hastened_has_to_be_there(queue: JobQueue, store: redis.Redis) -> None:
    queue.jobs.hasten("a")
    assert store.keys("movelog:*") == []
