from __future__ import annotations

import pytest
import redis

from service.errors import NotFound
from service.jobs.job import JobState, Waiting
from service.jobs.job_kinds import SCORING
from service.jobs.maintenance import KEPT, SKEW, JobMaintenance
from service.jobs.queue import JobQueue
from service.jobs.redis_layout import BY_STATE, JOB, PREFIX
from service.jobs.store import LEASE, Jobs
from service.reactions.ended_games import split_job
from tests.service.jobs.support import Clock, running

HOUR = 3_600_000


def test_old_jobs_are_forgotten_unless_somebody_must_see_them(jobs: Jobs, clock: Clock) -> None:
    jobs.finish(running(jobs, "done"), None)
    jobs.fail(running(jobs, "failed"), "why", final=True)
    jobs.create("cancelled", "scoring", {})
    jobs.cancel("cancelled")
    jobs.create("queued", "scoring", {})
    clock.pass_by(KEPT - 1)
    assert JobMaintenance(jobs).prune() == 0
    clock.pass_by(1)
    assert JobMaintenance(jobs).prune() == 2
    with pytest.raises(NotFound):
        jobs.get("done")
    counts = jobs.counts()
    assert (counts[JobState.FAILED], counts[JobState.QUEUED], counts[JobState.DONE]) == (1, 1, 0)


def test_jobs_that_an_older_version_has_queued_are_found(
    jobs: Jobs, clock: Clock, store: redis.Redis
) -> None:
    jobs.create("a", "scoring", {"partition": 0, "after": "0-0", "upto": "1-0"})
    jobs.create("b", "delivery", {})
    jobs.create("c", "scoring", {})
    jobs.claim("c", "w")
    # Keep only what such a version kept of the first two.
    for id in ("a", "b"):
        store.hdel(f"{JOB}{id}", "group")
    for key in store.scan_iter(match=f"{PREFIX}*"):
        if not key.decode().startswith((JOB, BY_STATE)):
            store.delete(key)
    jobs.create("d", "scoring", {})
    assert jobs.due() == ["d"]
    JobMaintenance(jobs).adopt()
    assert sorted(jobs.due()) == ["a", "b", "d"]
    assert jobs.waiting(["scoring", "delivery"]) == Waiting(3, clock())
    JobMaintenance(jobs).adopt()
    assert jobs.waiting(["scoring", "delivery"]) == Waiting(3, clock())


def test_jobs_do_not_wait_for_a_clock_that_was_set_back(jobs: Jobs, clock: Clock) -> None:
    clock.pass_by(HOUR)
    jobs.create("queued", "scoring", {})
    dead = running(jobs, "dead")
    live = running(jobs, "live")
    clock.pass_by(-HOUR)
    assert (jobs.due(), jobs.expired()) == ([], [])
    assert JobMaintenance(jobs).follow_clock() == 3
    jobs.heartbeat(live, 1, 2)
    assert (jobs.due(), jobs.expired()) == (["queued"], ["dead"])
    assert JobMaintenance(jobs).follow_clock() == 0
    assert jobs.take_back(dead.id)
    assert not jobs.take_back(live.id)


def test_jobs_that_are_to_wait_do_so_whatever_the_clocks_of_others_say(
    jobs: Jobs, clock: Clock
) -> None:
    jobs.create("later", "delivery", {}, due=clock() + 12 * HOUR)
    jobs.create("leased", "scoring", {})
    jobs.claim("leased", "w")
    clock.pass_by(-SKEW)
    assert JobMaintenance(jobs).follow_clock() == 0
    assert (jobs.due(), jobs.expired()) == ([], [])
    clock.pass_by(SKEW + LEASE)
    assert jobs.expired() == ["leased"]


def test_of_a_job_that_kills_its_workers_only_the_game_that_does_is_given_up(
    queue: JobQueue, clock: Clock
) -> None:
    queue.submit("many", SCORING, {"games": ["a", "b", "c"]})
    job = queue.jobs.get("many")
    for _ in range(2):
        split_job(queue, job)
    alone = [queue.jobs.get(id) for id in queue.jobs.due() if id != "many"]
    assert sorted(one.arguments["games"] for one in alone) == [["a"], ["b"], ["c"]]
    split_job(queue, alone[0])
    assert queue.jobs.waiting([SCORING]).queued == 4


def test_holds_that_are_over_do_not_pile_up(jobs: Jobs, clock: Clock, store: redis.Redis) -> None:
    jobs.create("waiting", "delivery", {}, group="g1")
    for number in range(100):
        jobs.hold("delivery", f"g{number}", clock() + HOUR)
    jobs.hold("delivery", "later", clock() + 2 * HOUR)
    assert JobMaintenance(jobs).forget_holds() == 0
    clock.pass_by(HOUR)
    assert JobMaintenance(jobs).forget_holds() == 100
    assert store.hkeys(f"{PREFIX}held:delivery") == [b"later"]
    assert jobs.due() == ["waiting"]
    jobs.create("another", "delivery", {}, group="later")
    assert jobs.due() == ["waiting"]
