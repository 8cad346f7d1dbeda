from __future__ import annotations

import json
import zlib
from pathlib import Path

import fakeredis
import pytest
import redis

from service.jobs.duties import DUTIES, Lane, lane_of
from service.jobs.job import Job, JobState
from service.jobs.job_kinds import ANALYSIS, DELIVERY, IMPORT, KINDS, NOTICES, RUN_JOB, SCORING
from service.jobs.maintenance import RETRY
from service.jobs.queue import JobQueue
from service.jobs.reconciler import GRACE, Reconciler
from service.jobs.store import LEASE, TRIES, Jobs
from service.reactions.ended_games import MAX_GAMES, EndedGameJobs
from tests.service.jobs.support import Clock, running


def test_a_job_is_submitted_once(queue: JobQueue) -> None:
    assert queue.submit("a", SCORING, {})
    assert not queue.submit("a", SCORING, {})
    assert queue.queues[Lane.SCORING].get_job_ids() == ["a"]


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
    assert jobs.get("a").state is JobState.QUEUED
    with pytest.raises(redis.ConnectionError):
        Reconciler(queue).run()


def test_a_lost_hint_is_sent_again_and_a_present_one_is_not(
    queue: JobQueue, store: redis.Redis
) -> None:
    queue.submit("a", SCORING, {})
    queue.submit("b", SCORING, {})
    store.lrem("rq:queue:movelog-scoring", 1, "a")
    reconciler = Reconciler(queue)
    reconciler.run()
    reconciler.run()
    assert sorted(queue.queues[Lane.SCORING].get_job_ids()) == ["a", "b"]
    store.flushall()
    assert queue.hinted() == set()


def test_a_hint_that_died_with_its_worker_is_sent_again(
    queue: JobQueue, store: redis.Redis
) -> None:
    queue.submit("a", SCORING, {})
    # RQ takes a hint like this; a worker killed at that moment has not begun the job.
    assert store.lmove("rq:queue:movelog-scoring", "rq:queue:movelog-scoring:intermediate") == b"a"
    Reconciler(queue).run()
    assert queue.queues[Lane.SCORING].get_job_ids() == ["a"]


def test_a_job_that_is_not_due_gets_no_hint(queue: JobQueue, clock: Clock) -> None:
    queue.jobs.fail(running(queue.jobs), "why")
    Reconciler(queue).run()
    assert queue.queues[Lane.SCORING].get_job_ids() == []
    clock.pass_by(LEASE)
    Reconciler(queue).run()
    assert queue.queues[Lane.SCORING].get_job_ids() == ["a"]


def test_a_dead_workers_job_is_queued_with_a_hint(queue: JobQueue, clock: Clock) -> None:
    running(queue.jobs)
    Reconciler(queue).run()
    assert queue.jobs.get("a").state is JobState.RUNNING
    clock.pass_by(LEASE)
    Reconciler(queue).run()
    assert queue.jobs.get("a").state is JobState.QUEUED
    assert queue.hinted() == {"a"}


def test_after_three_dead_workers_there_is_no_further_hint(queue: JobQueue, clock: Clock) -> None:
    for _ in range(TRIES):
        running(queue.jobs)
        clock.pass_by(LEASE)
        queue.connection.delete("rq:queue:movelog-scoring")
        Reconciler(queue).run()
    assert queue.jobs.get("a").state is JobState.QUARANTINED
    assert queue.hinted() == set()


def quarantine(queue: JobQueue, clock: Clock) -> None:
    """Quarantine job `a` as far as it goes, as a reconciler that is killed then does."""
    for _ in range(TRIES):
        running(queue.jobs)
        clock.pass_by(LEASE)
        queue.jobs.take_back("a")


def test_what_follows_from_quarantine_is_done_though_the_process_died_before_it(
    queue: JobQueue, clock: Clock
) -> None:
    given_up: list[Job] = []
    quarantine(queue, clock)
    reconciler = Reconciler(queue, given_up.append)
    reconciler.run()
    reconciler.run()
    assert [job.id for job in given_up] == ["a"]


def test_what_follows_from_quarantine_is_tried_again_after_an_error(
    queue: JobQueue, clock: Clock
) -> None:
    calls: list[str] = []

    def fail_once(job: Job) -> None:
        calls.append(job.id)
        if len(calls) == 1:
            raise ValueError("a damaged game")

    quarantine(queue, clock)
    queue.submit("b", SCORING, {})
    queue.connection.delete("rq:queue:movelog-scoring")
    reconciler = Reconciler(queue, fail_once)
    reconciler.run()
    assert queue.hinted() == {"b"}, "other jobs go on"
    reconciler.run()
    assert calls == ["a"]
    clock.pass_by(RETRY)
    reconciler.run()
    clock.pass_by(RETRY)
    reconciler.run()
    assert calls == ["a", "a"]


def test_nothing_follows_from_quarantine_once_the_job_is_tried_again(
    queue: JobQueue, clock: Clock
) -> None:
    given_up: list[Job] = []
    quarantine(queue, clock)
    queue.jobs.requeue("a")
    Reconciler(queue, given_up.append).run()
    assert given_up == []


def test_the_queue_may_be_on_another_server(clock: Clock) -> None:
    store, elsewhere = fakeredis.FakeRedis(), fakeredis.FakeRedis()
    queue = JobQueue(Jobs(store, clock), elsewhere)
    queue.submit("a", SCORING, {})
    assert store.keys("rq:*") == []
    assert elsewhere.keys("movelog:*") == []


def asked(queue: JobQueue) -> list[list[str]]:
    """The games of each waiting scoring job."""
    return [list(queue.jobs.get(id).arguments["games"]) for id in queue.jobs.due([SCORING])]


def test_games_asked_for_twice_make_one_job(queue: JobQueue) -> None:
    for _ in range(2):
        EndedGameJobs(queue, SCORING).submit([("a", 2), ("b", 5)])
    EndedGameJobs(queue, NOTICES).submit([("a", 2)])
    assert asked(queue) == [["a", "b"]]
    # A game whose result was corrected has another version.
    EndedGameJobs(queue, SCORING).submit([("a", 4)])
    assert sorted(asked(queue)) == [["a"], ["a", "b"]]


def test_games_that_end_while_a_job_waits_are_put_into_it(queue: JobQueue) -> None:
    ended = EndedGameJobs(queue, SCORING)
    for number in range(MAX_GAMES + 50):
        ended.submit([(f"g{number}", 2)])
    assert [len(games) for games in asked(queue)] == [MAX_GAMES, 50]
    games = [id for games in asked(queue) for id in games]
    assert sorted(games) == sorted(f"g{number}" for number in range(MAX_GAMES + 50))
    assert len(queue.queues[Lane.SCORING].get_job_ids()) == 2


def test_a_job_loses_no_games_when_its_first_is_submitted_again(queue: JobQueue) -> None:
    before = EndedGameJobs(queue, SCORING)
    before.submit([("a", 2)])
    before.submit([("b", 2)])
    restarted = EndedGameJobs(queue, SCORING)
    restarted.submit([("a", 2)])
    restarted.submit([("c", 2)])
    assert sorted(asked(queue)) == [["a", "b"], ["c"]]


def test_a_job_under_way_is_given_no_more_games(queue: JobQueue) -> None:
    ended = EndedGameJobs(queue, SCORING)
    ended.submit([("a", 2)])
    (first,) = queue.jobs.due([SCORING])
    assert queue.jobs.claim(first, "w") is not None
    ended.submit([("b", 2)])
    assert asked(queue) == [["b"]]
    assert queue.jobs.get(first).arguments == {"games": ["a"]}


def test_many_games_at_once_are_parted(queue: JobQueue) -> None:
    EndedGameJobs(queue, SCORING).submit([(f"g{number}", 2) for number in range(2 * MAX_GAMES + 1)])
    assert sorted(len(games) for games in asked(queue)) == [1, MAX_GAMES, MAX_GAMES]


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
    found = {lane: one.get_job_ids() for lane, one in queue.queues.items() if one.count}
    assert found == {
        Lane.SCORING: ["c"],
        Lane.IMPORTS: ["d"],
        Lane.PERSON: ["b"],
        Lane.BATCH: ["a"],
    }
    assert queue.workers(Lane.PERSON) == 0


def test_what_is_hastened_has_to_be_there(queue: JobQueue, store: redis.Redis) -> None:
    queue.jobs.hasten("a")
    assert store.keys("movelog:*") == []


def test_every_kind_of_job_and_every_lane_is_one_duty_s(queue: JobQueue) -> None:
    assert sorted(kind for duty in DUTIES for kind in duty.kinds) == sorted(KINDS)
    assert sorted(lane for duty in DUTIES for lane in duty.lanes) == sorted(Lane)
    for duty in DUTIES:
        assert {lane_of(kind, batch=False) for kind in duty.kinds} <= {*duty.lanes, None}


@pytest.mark.slow
def test_deliveries_that_pile_up_hide_no_lost_hint(queue: JobQueue, store: redis.Redis) -> None:
    for number in range(1100):
        queue.jobs.create(f"d{number}", DELIVERY, {}, group="https://silent.example:443")
    queue.submit("a", SCORING, {"games": []})
    store.delete(f"rq:queue:{Lane.SCORING}")
    Reconciler(queue).run()
    assert queue.hinted() == {"a"}


@pytest.mark.parametrize(
    "error",
    [
        redis.exceptions.OutOfMemoryError("command not allowed when used memory > 'maxmemory'"),
        redis.ConnectionError("Connection refused."),
    ],
)
def test_a_worker_that_waits_for_the_store_is_not_taken_for_dead(
    queue: JobQueue,
    jobs: Jobs,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    error: redis.RedisError,
) -> None:
    """The worker can neither renew its lease nor release its job then."""
    reconciler = Reconciler(queue)
    move = jobs.move

    def refused(*_: object, **__: object) -> str | None:
        raise error

    for _ in range(TRIES + 1):
        job = running(jobs, "a") if "a" not in jobs.under_way(["a"]) else jobs.claim("a", "owner")
        assert job is not None
        monkeypatch.setattr(jobs, "move", refused)
        clock.pass_by(LEASE + 1)
        with pytest.raises(type(error)):
            reconciler.run()
        monkeypatch.setattr(jobs, "move", move)
        # The store is back or has room again, and the reconciler runs first.
        reconciler.run()
        jobs.release(job)
        assert (jobs.get("a").state, jobs.get("a").tries) == (JobState.QUEUED, 0)
    assert jobs.claim("a", "dead") is not None
    clock.pass_by(max(LEASE, GRACE) + 1)
    reconciler.run()
    assert (jobs.get("a").state, jobs.get("a").tries) == (JobState.QUEUED, 1)
