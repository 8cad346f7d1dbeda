from __future__ import annotations

import errno
import os
import time
from typing import Any

import pytest
import redis

from service.composition.service import Service, now
from service.jobs.job import Job, JobState
from service.jobs.job_kinds import SCORING
from service.jobs.store import TRIES, Jobs
from tests.service.redis_server import RedisServer
from tests.workers.support import ended_games, environment, everything, scores, service_on
from workers import run, stop_request
from workers.errors import Incomplete, Postponed
from workers.job_functions import Function
from workers.run import carry_out, run_job
from workers.task import Task
from workers.time_sharing import TimeSharing


@pytest.fixture
def jobs(service: Service) -> Jobs:
    return Jobs(service.store, now)


def after(service: Service, jobs: Jobs, function: Function, kind: str = "test") -> Job:
    """The job after one run of its function."""
    jobs.create("a", kind, {"n": 1})
    carry_out("a", service, jobs, {"test": function})
    return jobs.get("a")


def test_what_the_function_returns_is_the_outcome(service: Service, jobs: Jobs) -> None:
    def double(task: Task) -> Any:
        task.report_progress(1, 2)
        return {"n": 2 * task.arguments["n"]}

    job = after(service, jobs, double)
    assert (job.state, job.outcome, job.progress) == (JobState.DONE, {"n": 2}, (1, 2))


def test_a_postponed_job_waits_until_it_is_due(service: Service, jobs: Jobs) -> None:
    due = now() + 60_000

    def postpone(task: Task) -> Any:
        raise Postponed(due)

    job = after(service, jobs, postpone)
    assert (job.state, job.due, job.tries) == (JobState.QUEUED, due, 0)


def test_an_error_is_followed_by_further_tries_and_then_a_failure(
    service: Service, jobs: Jobs
) -> None:
    def fail(task: Task) -> Any:
        raise ZeroDivisionError("by nought")

    for number in range(1, TRIES + 1):
        job = after(service, jobs, fail)
        assert (job.tries, job.reason) == (number, "ZeroDivisionError: by nought")
        assert job.state is (JobState.QUEUED if number < TRIES else JobState.FAILED)
    assert after(service, jobs, fail).tries == TRIES


def test_a_worker_keeps_its_job_if_its_machines_clock_is_slow(
    service: Service, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.jobs.create("a", SCORING, {})
    right = time.time_ns
    with monkeypatch.context() as patch:
        patch.setattr(time, "time_ns", lambda: right() - 20 * 10**9)
        jobs = service_on(redis_server).jobs
        assert jobs.claim("a", "w") is not None
        turns = TimeSharing(service.settings, print)._connect()
        assert abs(turns.jobs.clock() - service.jobs.clock()) < 10_000
    assert service.jobs.expired() == []


def test_an_incomplete_job_fails_with_its_outcome(service: Service, jobs: Jobs) -> None:
    def most(task: Task) -> Any:
        raise Incomplete("1 of 2", {"errors": {"x": "why"}})

    job = after(service, jobs, most)
    assert (job.state, job.reason) == (JobState.FAILED, "1 of 2")
    assert job.outcome == {"errors": {"x": "why"}}


def test_a_kind_from_a_newer_version_is_left_for_later(service: Service, jobs: Jobs) -> None:
    job = after(service, jobs, lambda task: None, kind="analysis")
    assert job.state is JobState.QUEUED
    assert job.reason == "UnknownKind: no worker function for jobs of kind 'analysis'"


def test_a_stopping_worker_gives_the_job_back(
    service: Service, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stop_request, "is_requested", lambda: True)
    job = after(service, jobs, lambda task: task.report_progress(0, 1))
    assert (job.state, job.tries) == (JobState.QUEUED, 0)


def test_a_job_cancelled_meanwhile_stays_cancelled(service: Service, jobs: Jobs) -> None:
    def cancelled(task: Task) -> Any:
        jobs.cancel("a")
        return "too late"

    job = after(service, jobs, cancelled)
    assert (job.state, job.outcome) == (JobState.CANCELLED, None)


def test_a_hint_that_comes_twice_is_worked_on_once(service: Service, jobs: Jobs) -> None:
    runs: list[str] = []
    after(service, jobs, lambda task: runs.append(task.job.id))
    after(service, jobs, lambda task: runs.append(task.job.id))
    assert runs == ["a"]


def test_a_hint_is_all_it_takes(
    service: Service, jobs: Jobs, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    (id,) = ended_games(service, 1)
    jobs.create("a", SCORING, everything(service))
    for name, value in environment(redis_server).items():
        monkeypatch.setenv(name, value)
    run_job("a")
    assert jobs.get("a").outcome == {"scored": 1, "left": 0, "tallied": 0}
    assert len(scores(service, id)) == 1


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
        redis.ConnectionError("Error 111 connecting to the store. Connection refused."),
        redis.TimeoutError("Timeout reading from socket"),
    ],
)
def test_a_job_goes_back_without_blame_if_the_disk_is_full_or_the_store_is_away(
    service: Service, jobs: Jobs, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(task: Task) -> Any:
        raise error

    monkeypatch.setattr(run, "PAUSE", 0)
    for _ in range(TRIES + 1):
        job = after(service, jobs, fail)
        assert (job.state, job.tries, job.reason) == (JobState.QUEUED, 0, "")
    assert after(service, jobs, lambda task: "done").state is JobState.DONE


def test_a_job_waits_for_room_in_the_store_and_is_then_done(
    service: Service, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(task: Task) -> Any:
        service.store.config_set("maxmemory", 1)
        service.store.set("what", "it has made")

    refused = redis.ResponseError("MISCONF Errors writing to the AOF file: No space left on device")
    answers = [refused, redis.ConnectionError("Connection refused."), None]
    release = jobs.release

    def release_at_last(job: Job) -> None:
        if (error := answers.pop(0)) is not None:
            raise error
        release(job)

    monkeypatch.setattr(run, "PAUSE", 0)
    monkeypatch.setattr(jobs, "release", release_at_last)
    try:
        job = after(service, jobs, fill)
    finally:
        service.store.config_set("maxmemory", 0)
    assert (job.state, job.tries, answers) == (JobState.QUEUED, 0, [])
    assert after(service, jobs, lambda task: "done").outcome == "done"


def test_a_postponed_job_waits_for_a_store_that_is_away_without_blame(
    service: Service, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [redis.ConnectionError("Connection refused."), None]
    release = jobs.release

    def release_at_last(job: Job, due: int | None = None) -> None:
        if (error := answers.pop(0)) is not None:
            raise error
        release(job, due)

    def postpone(task: Task) -> Any:
        raise Postponed(now())

    monkeypatch.setattr(run, "PAUSE", 0)
    monkeypatch.setattr(jobs, "release", release_at_last)
    job = after(service, jobs, postpone)
    assert (job.state, job.tries, answers) == (JobState.QUEUED, 0, [])


def test_a_job_that_cannot_be_claimed_for_want_of_room_stays_queued(
    service: Service, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(id: str, owner: str) -> Job:
        raise redis.ResponseError("MISCONF Errors writing to the AOF file: No space left on device")

    monkeypatch.setattr(jobs, "claim", refuse)
    assert after(service, jobs, lambda task: pytest.fail("it was begun")).state is JobState.QUEUED
