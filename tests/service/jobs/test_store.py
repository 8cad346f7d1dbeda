from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from service.errors import NotFound
from service.jobs.errors import LeaseLost, WrongJobState
from service.jobs.job import Job, JobState, Waiting
from service.jobs.job_kinds import KINDS
from service.jobs.store import FIRST_DELAY, LEASE, REMEMBERED, TRIES, Jobs
from tests.service.interrupted import InterruptedRedis
from tests.service.jobs.support import Clock, running
from tests.service.redis_server import RedisServer


def test_a_job_is_created_once(jobs: Jobs, clock: Clock) -> None:
    assert jobs.create("a", "scoring", {"upto": "1-0"})
    assert not jobs.create("a", "scoring", {"upto": "other"})
    job = jobs.get("a")
    assert job == Job(
        id="a",
        kind="scoring",
        arguments={"upto": "1-0"},
        state=JobState.QUEUED,
        created_at=clock.at,
        updated_at=clock.at,
        due=clock.at,
    )


def test_a_job_from_begin_to_end(jobs: Jobs, clock: Clock) -> None:
    job = running(jobs)
    assert (job.state, job.owner, job.tries) == (JobState.RUNNING, "w", 1)
    assert job.until == clock.at + LEASE
    clock.pass_by(10)
    jobs.heartbeat(job, 3, 8)
    assert jobs.get("a").progress == (3, 8)
    assert jobs.get("a").until == clock.at + LEASE
    jobs.finish(job, {"scored": 8, "why": "ö"})
    done = jobs.get("a")
    assert (done.state, done.outcome) == (JobState.DONE, {"scored": 8, "why": "ö"})
    assert jobs.counts() == {state: int(state is JobState.DONE) for state in JobState}


@pytest.mark.parametrize("kind", KINDS)
def test_a_job_that_has_sent_something_no_longer_holds_it(jobs: Jobs, kind: str) -> None:
    jobs.create("a", kind, {"body": "sent"})
    job = jobs.claim("a", "w")
    assert job is not None
    jobs.finish(job, None)
    kept = [job.arguments for job in jobs.get_each(["a"])]
    assert kept == {"delivery": [{}], "mail": []}.get(kind, [{"body": "sent"}])
    assert jobs.counts()[JobState.DONE] == len(kept)
    assert jobs.usual_time(kind) == 0


def test_only_one_of_many_workers_gets_a_job(redis_server: RedisServer) -> None:
    jobs = Jobs(redis_server.client(), Clock())
    for number in range(20):
        jobs.create(f"j{number}", "scoring", {})
        with ThreadPoolExecutor(8) as pool:
            claims = list(pool.map(partial(jobs.claim, f"j{number}"), "abcdefgh"))
        (owner,) = {job.owner for job in claims if job is not None}
        assert jobs.get(f"j{number}").owner == owner
        assert jobs.get(f"j{number}").tries == 1


def test_a_job_that_is_not_queued_cannot_be_claimed(jobs: Jobs) -> None:
    assert jobs.claim("nothing", "w") is None
    running(jobs)
    assert jobs.claim("a", "v") is None


@pytest.mark.parametrize(
    "act",
    [
        lambda jobs, job: jobs.heartbeat(job, 1, 2),
        lambda jobs, job: jobs.finish(job, {}),
        lambda jobs, job: jobs.fail(job, "why"),
        lambda jobs, job: jobs.release(job),
    ],
)
def test_a_worker_that_lost_its_job_can_do_nothing_to_it(
    jobs: Jobs, clock: Clock, act: Callable[[Jobs, Job], None]
) -> None:
    cancelled = running(jobs, "a")
    jobs.cancel("a")
    with pytest.raises(LeaseLost, match="cancelled"):
        act(jobs, cancelled)
    assert jobs.get("a").state is JobState.CANCELLED
    late = running(jobs, "b")
    clock.pass_by(LEASE)
    assert jobs.take_back("b")
    assert jobs.claim("b", "another") is not None
    with pytest.raises(LeaseLost):
        act(jobs, late)
    assert jobs.get("b").owner == "another"


def test_a_failed_try_is_followed_by_later_and_later_ones(jobs: Jobs, clock: Clock) -> None:
    jobs.create("a", "scoring", {})
    for number in range(1, TRIES):
        job = jobs.claim("a", "w")
        assert job is not None
        jobs.fail(job, f"reason {number}")
        queued = jobs.get("a")
        assert (queued.state, queued.reason) == (JobState.QUEUED, f"reason {number}")
        assert queued.due == clock.at + FIRST_DELAY * 2 ** (number - 1)
        assert jobs.due() == []
        clock.pass_by(queued.due - clock.at)
        assert jobs.due() == ["a"]
    job = jobs.claim("a", "w")
    assert job is not None
    jobs.fail(job, "reason 3")
    assert (jobs.get("a").state, jobs.get("a").reason) == (JobState.FAILED, "reason 3")


def test_where_another_try_is_of_no_use_there_is_none(jobs: Jobs) -> None:
    jobs.fail(running(jobs), "2 of 3", {"scored": 1}, final=True)
    failed = jobs.get("a")
    assert (failed.state, failed.tries, failed.outcome) == (JobState.FAILED, 1, {"scored": 1})


def test_a_success_after_a_failure_has_no_reason(jobs: Jobs, clock: Clock) -> None:
    jobs.fail(running(jobs), "first")
    clock.pass_by(FIRST_DELAY)
    job = jobs.claim("a", "w")
    assert job is not None
    jobs.finish(job, None)
    assert (jobs.get("a").reason, jobs.get("a").tries) == ("", 2)


def test_a_released_job_is_queued_without_blame(jobs: Jobs) -> None:
    for _ in range(2 * TRIES):
        jobs.release(running(jobs))
    assert (jobs.get("a").state, jobs.get("a").tries) == (JobState.QUEUED, 0)


def test_a_job_can_be_released_until_later(jobs: Jobs, clock: Clock) -> None:
    jobs.release(running(jobs), clock.at + 1000)
    assert (jobs.get("a").tries, jobs.due()) == (0, [])
    clock.pass_by(1000)
    assert jobs.due() == ["a"]


def test_a_job_that_gets_on_is_not_given_up(jobs: Jobs, clock: Clock) -> None:
    for step in range(3 * TRIES):
        job = running(jobs) if step == 0 else jobs.claim("a", "w")
        assert job is not None
        assert job.checkpoint == ({"step": step - 1} if step else None)
        jobs.keep(job, step, 99, {"step": step})
        assert jobs.get("a").progress == (step, 99)
        clock.pass_by(LEASE)
        assert jobs.take_back("a")
    assert jobs.get("a").state is JobState.QUEUED
    for _ in range(TRIES - 1):
        assert jobs.claim("a", "w") is not None
        clock.pass_by(LEASE)
        assert jobs.take_back("a")
    assert jobs.get("a").state is JobState.QUARANTINED


def test_a_checkpoint_may_keep_a_count_of_tries(jobs: Jobs, clock: Clock) -> None:
    jobs.keep(running(jobs), 1, 2, 1, tries=TRIES)
    clock.pass_by(LEASE)
    assert jobs.take_back("a")
    assert jobs.get("a").state is JobState.QUARANTINED


def test_a_checkpoint_is_for_the_holder_alone(jobs: Jobs) -> None:
    job = running(jobs)
    jobs.cancel("a")
    with pytest.raises(LeaseLost):
        jobs.keep(job, 1, 2, {})
    assert jobs.get("a").checkpoint is None


def test_a_lease_runs_out_and_not_before(jobs: Jobs, clock: Clock) -> None:
    running(jobs)
    clock.pass_by(LEASE - 1)
    assert jobs.expired() == []
    assert not jobs.take_back("a")
    clock.pass_by(1)
    assert jobs.expired() == ["a"]
    assert jobs.take_back("a")
    assert (jobs.get("a").state, jobs.due()) == (JobState.QUEUED, ["a"])
    assert not jobs.take_back("a")


def test_a_job_that_keeps_killing_workers_is_quarantined(jobs: Jobs, clock: Clock) -> None:
    for _ in range(TRIES):
        running(jobs)
        clock.pass_by(LEASE)
        assert jobs.take_back("a")
    quarantined = jobs.get("a")
    assert quarantined.state is JobState.QUARANTINED
    assert quarantined.reason == "its worker died or hung 3 of 3 times"
    assert jobs.claim("a", "w") is None


def test_an_ended_job_can_be_tried_from_the_start(jobs: Jobs, clock: Clock) -> None:
    jobs.fail(running(jobs), "why", final=True)
    jobs.requeue("a")
    assert (jobs.get("a").state, jobs.get("a").tries) == (JobState.QUEUED, 0)
    with pytest.raises(WrongJobState, match="job a is queued"):
        jobs.requeue("a")
    jobs.cancel("a")
    with pytest.raises(WrongJobState):
        jobs.cancel("a")
    jobs.requeue("a")


@pytest.mark.parametrize("act", [Jobs.get, Jobs.cancel, Jobs.requeue])
def test_a_job_that_does_not_exist(jobs: Jobs, act: Callable[[Jobs, str], object]) -> None:
    with pytest.raises(NotFound) as caught:
        act(jobs, "nothing")
    assert (caught.value.kind, caught.value.id) == ("job", "nothing")
    assert set(jobs.counts().values()) == {0}


def test_what_is_under_way_is_noted_until_something_newer_is(jobs: Jobs) -> None:
    job = running(jobs)
    jobs.heartbeat(job, 1, 3, note={"depth": 4})
    jobs.heartbeat(job, 2, 3)
    assert jobs.get("a").note == {"depth": 4}
    assert jobs.get("a").progress == (2, 3)


def test_how_long_jobs_of_a_kind_take_is_known_from_the_newest(jobs: Jobs, clock: Clock) -> None:
    assert jobs.usual_time("scoring") is None
    for number, seconds in enumerate([1000, *[2] * REMEMBERED]):
        job = running(jobs, str(number))
        clock.pass_by(1000 * seconds)
        jobs.finish(job, None)
    assert jobs.usual_time("scoring") == 2000
    assert jobs.usual_time("import") is None


def test_the_oldest_queued_job_is_the_one_that_is_due_longest(jobs: Jobs, clock: Clock) -> None:
    assert jobs.waiting(["scoring", "import"]) == Waiting(0, None)
    jobs.create("a", "scoring", {})
    first = clock()
    clock.pass_by(10)
    jobs.create("b", "scoring", {})
    jobs.create("c", "delivery", {}, due=first - 5, group="x")
    assert jobs.waiting(["scoring", "import"]) == Waiting(2, first)
    assert jobs.waiting(["scoring", "delivery"]) == Waiting(3, first - 5)
    jobs.claim("a", "w")
    waiting = jobs.waiting(["scoring"])
    assert waiting == Waiting(1, first + 10)
    assert waiting.seconds(first + 1510) == 1.5
    assert waiting.seconds(first) == 0


def test_each_group_has_its_own_queue(jobs: Jobs, clock: Clock) -> None:
    for number in range(5):
        jobs.create(f"x{number}", "delivery", {}, group="x")
    jobs.create("later", "delivery", {}, due=clock() + 10, group="y")
    jobs.create("s", "scoring", {})
    assert jobs.due_groups("delivery") == ["x"]
    clock.pass_by(10)
    assert jobs.due_groups("delivery") == ["x", "y"]
    assert jobs.due_in("delivery", "x", 2) == ["x0", "x1"]
    assert jobs.due_in("delivery", "y", 2) == ["later"]
    for id in jobs.due(["delivery"]):
        assert jobs.claim(id, "w") is not None
    assert jobs.due() == ["s"]
    assert jobs.waiting(["delivery"]) == Waiting(0, None)


def test_a_group_that_is_held_begins_nothing_until_then(jobs: Jobs, clock: Clock) -> None:
    jobs.create("a", "delivery", {}, group="x")
    jobs.create("b", "delivery", {}, group="y")
    jobs.hold("delivery", "x", clock() + 1000)
    jobs.create("c", "delivery", {}, group="x")
    assert jobs.due(["delivery"]) == ["b"]
    clock.pass_by(1000)
    assert jobs.due(["delivery"]) == ["b", "a", "c"]
    jobs.hold("delivery", "x", clock() + 1000)
    jobs.hold("delivery", "x", None)
    assert jobs.due(["delivery"]) == ["a", "c", "b"]


def test_a_queued_job_is_given_other_arguments(jobs: Jobs) -> None:
    assert not jobs.amend("a", {"n": 2})
    jobs.create("a", "scoring", {"n": 1})
    assert jobs.amend("a", {"n": 2})
    job = jobs.claim("a", "w")
    assert job is not None
    assert job.arguments == {"n": 2}
    assert not jobs.amend("a", {"n": 3})
    assert jobs.get("a").arguments == {"n": 2}
    assert jobs.waiting(["scoring"]) == Waiting(0, None)


def test_a_job_whose_next_try_is_put_off_as_it_is_amended_is_put_off(clock: Clock) -> None:
    store = InterruptedRedis()
    jobs = Jobs(store, clock)
    jobs.create("a", "scoring", {"n": 1})

    def fail() -> None:
        job = jobs.claim("a", "w")
        assert job is not None
        jobs.fail(job, "it failed")

    store.interrupt(fail)
    assert jobs.amend("a", {"n": 2})
    store.finish()
    assert jobs.due() == []
    clock.pass_by(FIRST_DELAY)
    assert jobs.due() == ["a"]
