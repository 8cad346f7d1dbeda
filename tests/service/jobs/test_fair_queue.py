"""Whose job is next."""

from __future__ import annotations

from collections.abc import Iterator

import fakeredis
import pytest
from rq.serializers import JSONSerializer

from service.jobs.duties import Lane
from service.jobs.fair_queue import TURN, FairQueue
from service.jobs.job_kinds import IMPORT
from service.jobs.queue import JobQueue
from service.jobs.redis_layout import JOB
from service.jobs.store import Jobs
from tests.service.player.support import Clock
from workers.main import PlainWorker


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def turns(clock: Clock) -> Iterator[FairQueue]:
    store = fakeredis.FakeRedis()
    yield FairQueue(JobQueue(Jobs(store, clock), store), IMPORT)
    store.close()


def send(turns: FairQueue, clock: Clock, *ids: str) -> None:
    """Queue imports, a millisecond apart, of the players that their first letters name."""
    for id in ids:
        clock.now += 1
        turns.queue.submit(id, IMPORT, {"by": id[0]})


def hinted(turns: FairQueue) -> str:
    """The next hint, as a worker takes it."""
    (id, *_) = turns.queue.waiting(Lane.IMPORTS)
    turns.queue.queues[Lane.IMPORTS].remove(id)
    return id


def taken(turns: FairQueue, clock: Clock) -> str:
    """The import of the next turn, carried out to its end."""
    clock.now += 1
    id = turns.begin(hinted(turns))
    job = turns.jobs.claim(id, "owner")
    assert job is not None
    turns.jobs.finish(job, None)
    return id


def test_players_take_turns_however_many_files_one_has_sent(turns: FairQueue, clock: Clock) -> None:
    send(turns, clock, "a1", "a2", "a3", "a4", "b1", "b2", "c1")
    order = [taken(turns, clock) for _ in range(7)]
    assert order == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"]
    assert turns.queue.waiting(Lane.IMPORTS) == []


def test_who_comes_later_does_not_wait_for_all_of_anothers_files(
    turns: FairQueue, clock: Clock
) -> None:
    send(turns, clock, *(f"a{number}" for number in range(200)))
    assert taken(turns, clock) == "a0"
    send(turns, clock, "b1")
    assert taken(turns, clock) == "b1"
    assert taken(turns, clock) == "a1"


def test_an_import_gives_way_to_others_players_alone(turns: FairQueue, clock: Clock) -> None:
    send(turns, clock, "a1", "a2")
    job = turns.jobs.claim(turns.begin(hinted(turns)), "owner")
    assert job is not None
    assert not turns.is_over(job, TURN)
    send(turns, clock, "b1")
    assert turns.is_over(job, TURN)
    turns.put_back(job)
    turns.jobs.release(job)
    assert [taken(turns, clock) for _ in range(3)] == ["b1", "a1", "a2"]


def test_who_is_not_due_or_not_queued_is_passed_over(turns: FairQueue, clock: Clock) -> None:
    send(turns, clock, "a1", "b1", "c1")
    turns.jobs.cancel("a1")
    failed = turns.jobs.claim("b1", "owner")
    assert failed is not None
    turns.jobs.fail(failed, "it failed")
    assert turns.begin("a1") == "c1"
    turns.jobs.cancel("c1")
    assert turns.begin("a1") == "a1"
    assert turns.jobs.claim("a1", "owner") is None


def test_an_import_of_an_older_version_has_its_turn(turns: FairQueue, clock: Clock) -> None:
    turns.queue.submit("old", IMPORT, {})
    assert taken(turns, clock) == "old"


def test_turns_of_long_ago_are_forgotten(turns: FairQueue, clock: Clock) -> None:
    send(turns, clock, "a1")
    taken(turns, clock)
    for _ in range(2):
        send(turns, clock, "b1", "b2")
        taken(turns, clock)
        taken(turns, clock)
        turns.jobs.store.delete(f"{JOB}b1", f"{JOB}b2")
    assert turns.store.zrange(turns.used_key, 0, -1) == [b"b"]


def test_who_has_had_less_of_the_workers_time_is_next(turns: FairQueue, clock: Clock) -> None:
    send(turns, clock, "a1", "a2", "b1", "b2", "b3")
    id = taken(turns, clock)
    turns.end(id, 2.5)
    assert [taken(turns, clock) for _ in range(4)] == ["b1", "b2", "b3", "a2"]


def test_a_turn_ends_for_those_alone_who_have_had_less(turns: FairQueue, clock: Clock) -> None:
    send(turns, clock, "a1", "b1")
    turns.end(taken(turns, clock), 600)
    send(turns, clock, "a2")
    job = turns.jobs.claim(turns.begin(hinted(turns)), "owner")
    assert job is not None
    assert job.id == "b1"
    assert not turns.is_over(job, 599)
    assert turns.is_over(job, 601)


def test_nobody_saves_time_up(turns: FairQueue, clock: Clock) -> None:
    for number in range(4):
        send(turns, clock, f"a{number}")
        turns.end(taken(turns, clock), 900)
    send(turns, clock, "a4", "b1")
    used = turns.used(["a", "b"])
    assert 0 < used["a"] - used["b"] <= 900 * 1000
    assert taken(turns, clock) == "b1"


def test_how_many_have_a_turn_before_is_told(turns: FairQueue, clock: Clock) -> None:
    send(turns, clock, "a1", "a2", "a3", "b1", "b2")
    ahead = {id: turns.ahead(turns.jobs.get(id)) for id in ("a1", "b1", "a2", "b2", "a3")}
    assert list(ahead.values()) == [0, 1, 2, 3, 4]
    assert [taken(turns, clock) for _ in ahead] == list(ahead)


def test_a_job_that_a_worker_has_just_taken_has_its_place(turns: FairQueue, clock: Clock) -> None:
    send(turns, clock, "a1", "a2")
    queued = turns.jobs.get("a2")
    turns.jobs.claim("a2", "owner")
    assert turns.ahead(queued) == 1


def test_no_hint_is_lost_when_imports_give_way_or_are_taken_out_of_turn(
    turns: FairQueue, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RQ forgot the hints that were put back: each waited for the reconciler."""
    order: list[str] = []

    def run_job(id: str) -> None:
        clock.now += 1
        chosen = turns.begin(id)
        job = turns.jobs.claim(chosen, "owner")
        assert job is not None
        order.append(chosen)
        if turns.is_over(job, TURN) and order.count(chosen) == 1:
            turns.put_back(job)
            turns.jobs.release(job)
        else:
            turns.jobs.finish(job, None)

    monkeypatch.setattr("workers.run.run_job", run_job)
    send(turns, clock, "a1", "a2", "b1")
    lane, store = turns.queue.queues[Lane.IMPORTS], turns.store
    PlainWorker([lane], connection=store, serializer=JSONSerializer).work(burst=True)
    assert order == ["a1", "b1", "a1", "b1", "a2"]
    assert store.keys("rq:job:*") == []
