"""Whose job is next."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import fakeredis
import pytest
from redis.exceptions import OutOfMemoryError, ResponseError
from rq.serializers import JSONSerializer

from service.jobs import fair_queue
from service.jobs.duties import Lane
from service.jobs.fair_queue import CHARGE, GRACE, LEAST, LOOK, TURN, FairQueue, Turn
from service.jobs.job import Job
from service.jobs.job_kinds import IMPORT
from service.jobs.queue import JobQueue
from service.jobs.redis_layout import JOB
from service.jobs.store import LEASE, Jobs
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
    """Queue imports a millisecond apart; the first letter of an id names its player."""
    for id in ids:
        clock.now += 1
        turns.queue.submit(id, IMPORT, {"by": id[0]})


def hinted(turns: FairQueue) -> str:
    """Take the next hint, as a worker does."""
    (id, *_) = turns.queue.waiting(Lane.IMPORTS)
    turns.queue.queues[Lane.IMPORTS].remove(id)
    return id


def begun(turns: FairQueue, hint: str) -> str:
    """The job whose turn a worker with this hint begins."""
    chosen = turns.begin(hint)
    assert chosen is not None
    return chosen


def taken(turns: FairQueue, clock: Clock, seconds: float = 0) -> str:
    """Carry out the import of the next turn, which takes this long; return its id."""
    clock.now += 1
    id = begun(turns, hinted(turns))
    job = turns.jobs.claim(id, "owner")
    assert job is not None
    turns.jobs.finish(job, None)
    turns.end(id, seconds)
    return id


def test_players_take_turns_however_many_files_one_has_sent(turns: FairQueue, clock: Clock) -> None:
    send(turns, clock, "a1", "a2", "a3", "a4", "b1", "b2", "c1")
    order = [taken(turns, clock) for _ in range(7)]
    assert order == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"]
    assert turns.queue.waiting(Lane.IMPORTS) == []


def test_of_players_who_have_used_the_same_the_one_with_the_smallest_job_is_next(
    turns: FairQueue, clock: Clock
) -> None:
    for id, size in (("a1", 1000), ("a2", 10), ("b1", 900), ("c1", 100)):
        clock.now += 1
        turns.queue.submit(id, IMPORT, {"by": id[0], "size": size})
    order = [taken(turns, clock, 1) for _ in range(4)]
    assert order == ["a2", "c1", "b1", "a1"]


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
    job = turns.jobs.claim(begun(turns, hinted(turns)), "owner")
    assert job is not None
    assert not turns.is_over(job, TURN)
    send(turns, clock, "b1")
    assert turns.is_over(job, TURN)
    turns.put_back(job)
    turns.jobs.release(job)
    turns.end(job.id, TURN)
    assert [taken(turns, clock) for _ in range(3)] == ["b1", "a1", "a2"]


def test_nobody_is_hidden_by_more_hints_than_are_read(
    turns: FairQueue, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A regression: only the oldest hints were read, which may all be of the same players."""
    monkeypatch.setattr(fair_queue, "LOOKED", 2)
    send(turns, clock, *(f"a{number}" for number in range(10)), "b1")
    job = turns.jobs.claim("a0", "owner")
    assert job is not None
    assert any(turns.is_over(job, TURN) for _ in range(1000))


def test_who_is_not_due_or_not_queued_is_passed_over(turns: FairQueue, clock: Clock) -> None:
    send(turns, clock, "a1", "b1", "c1")
    turns.jobs.cancel("a1")
    failed = turns.jobs.claim("b1", "owner")
    assert failed is not None
    turns.jobs.fail(failed, "it failed")
    assert turns.begin("a1") == "c1"
    turns.jobs.cancel("c1")
    assert turns.begin("a1") is None
    assert turns.jobs.claim("a1", "owner") is None


def test_a_worker_that_is_some_milliseconds_behind_begins_a_turn(
    turns: FairQueue, clock: Clock
) -> None:
    """Without a turn, the job's time would not count as its player's."""
    send(turns, clock, "a1")
    clock.now -= 5
    assert turns.begin(hinted(turns)) == "a1"


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
    taken(turns, clock, 2.5)
    assert [taken(turns, clock) for _ in range(4)] == ["b1", "b2", "b3", "a2"]


def test_a_short_turn_counts_for_its_time(turns: FairQueue, clock: Clock) -> None:
    send(turns, clock, "b1", "b2", *(f"a{number}" for number in range(9)))
    taken(turns, clock, 0.85)
    assert [taken(turns, clock, 0.1) for _ in range(9)] == [f"a{number}" for number in range(9)]
    assert turns.used("ab") == {"a": 900, "b": 850}
    assert taken(turns, clock) == "b2"


def test_a_turn_that_is_broken_off_at_once_is_not_free(turns: FairQueue, clock: Clock) -> None:
    send(turns, clock, "b1", "b2", *(f"a{number}" for number in range(9)))
    taken(turns, clock, 3.5 * CHARGE / 1000)
    for number in range(4):
        assert begun(turns, hinted(turns)) == f"a{number}"
        turns.jobs.cancel(f"a{number}")
        turns.end(f"a{number}", 0)
    assert turns.used("a") == {"a": 4 * CHARGE}
    assert taken(turns, clock) == "b2"


def test_short_turns_at_the_same_time_count_for_their_time(turns: FairQueue, clock: Clock) -> None:
    send(turns, clock, "a1", "a2", "a3")
    for id in ("a1", "a2", "a3"):
        assert begun(turns, hinted(turns)) == id
    assert turns.used("a") == {"a": 3 * LEAST}
    send(turns, clock, "b1")
    clock.now += 100
    for id in ("a1", "a2", "a3"):
        turns.end(id, 0.1)
    assert turns.used("ab") == {"a": 300, "b": 0}


def test_a_short_turn_is_not_raised_to_what_others_use_meanwhile(
    turns: FairQueue, clock: Clock
) -> None:
    send(turns, clock, "b1", "a1", "a2", "b2")
    assert taken(turns, clock, 0.5) == "b1"
    assert begun(turns, hinted(turns)) == "a1"
    assert begun(turns, hinted(turns)) == "b2"
    for id in ("a1", "b2"):
        turns.end(id, 0.1)
    assert turns.used("ab") == {"a": 100, "b": 600}


def test_a_turn_ends_for_those_alone_who_have_had_less(turns: FairQueue, clock: Clock) -> None:
    send(turns, clock, "a1", "b1")
    taken(turns, clock, 600)
    send(turns, clock, "a2")
    job = turns.jobs.claim(begun(turns, hinted(turns)), "owner")
    assert job is not None
    assert job.id == "b1"
    assert not turns.is_over(job, 599)
    assert turns.is_over(job, 601)


def test_a_long_turn_counts_while_it_goes_on(turns: FairQueue, clock: Clock) -> None:
    send(turns, clock, "a1", "a2", "b1", "b2", "b3", "b4")
    assert turns.begin(hinted(turns)) == "a1"
    assert turns.jobs.claim("a1", "owner") is not None
    assert taken(turns, clock) == "b1"
    clock.now += 5000
    # By now its player has used five seconds, though the turn has not been ended.
    assert [taken(turns, clock) for _ in range(4)] == ["b2", "b3", "b4", "a2"]
    turns.end("a1", 5)
    assert turns.used("a") == {"a": 5000 + CHARGE}


def test_no_two_workers_begin_the_same_turn(turns: FairQueue, clock: Clock) -> None:
    send(turns, clock, "a1", "a2", "a3")
    first, second = hinted(turns), hinted(turns)
    assert (first, second) == ("a1", "a2")
    assert turns.begin(first) == "a1"
    # Neither the job begun, which nobody has claimed yet, nor the one hinted to another worker.
    assert turns.begin(first) == "a3"
    assert turns.begin(second) == "a2"


def test_a_worker_that_dies_before_its_work_does_not_keep_the_job(
    turns: FairQueue, clock: Clock
) -> None:
    send(turns, clock, "a1", "b1")
    assert turns.begin(hinted(turns)) == "a1"
    clock.now += GRACE
    turns.queue.hint("a1", Lane.IMPORTS)
    assert [taken(turns, clock) for _ in range(2)] == ["b1", "a1"]
    assert turns.store.hlen(turns.turns_key) == 0


def test_the_turn_of_a_worker_that_died_at_work_ends_when_its_job_is_taken_back(
    turns: FairQueue, clock: Clock
) -> None:
    send(turns, clock, "a1", "a2", "b1")
    assert turns.begin(hinted(turns)) == "a1"
    turns.jobs.claim("a1", "dead")
    clock.now += LEASE
    assert turns.used("ab") == {"a": LEASE, "b": 0}
    assert turns.jobs.take_back("a1")
    clock.now += GRACE
    assert turns.used("ab") == {"a": LEASE, "b": 0}
    turns.queue.hint("a1", Lane.IMPORTS)
    assert taken(turns, clock) == "b1"
    assert turns.used("ab") == {"a": LEASE, "b": CHARGE}
    assert [taken(turns, clock) for _ in range(2)] == ["a1", "a2"]


def test_an_outage_does_not_count_for_a_player_whose_turn_it_broke_off(
    turns: FairQueue, clock: Clock
) -> None:
    send(turns, clock, "a1")
    assert turns.begin(hinted(turns)) == "a1"
    turns.jobs.claim("a1", "dead")
    clock.now += 12 * 3600 * 1000
    assert turns.used("a") == {"a": LEASE}
    assert turns.jobs.take_back("a1")
    assert turns.used("a") == {"a": LEASE}
    clock.now += GRACE
    assert turns.used("a") == {"a": LEASE}


def test_a_turn_whose_job_nobody_claimed_counts_for_the_least(
    turns: FairQueue, clock: Clock
) -> None:
    send(turns, clock, "a1")
    assert turns.begin(hinted(turns)) == "a1"
    clock.now += GRACE - 1
    assert turns.used("a") == {"a": LEAST}
    turns.jobs.cancel("a1")
    clock.now += GRACE
    assert turns.used("a") == {"a": CHARGE}


def test_a_store_without_room_begins_no_turn(
    turns: FairQueue, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(turns, clock, "a1", "b1")
    refusal: Exception = OutOfMemoryError("command not allowed when used memory > 'maxmemory'")

    def refuse(**given: object) -> None:
        raise refusal

    monkeypatch.setattr(turns, "_begin", refuse)
    monkeypatch.setattr(turns, "_end", refuse)
    assert turns.begin("b1") is None
    turns.end("b1", 5)
    refusal = ResponseError("a script of another version")
    with pytest.raises(ResponseError):
        turns.begin("b1")


def test_the_store_is_asked_once_in_a_while_whether_a_turn_is_over(
    turns: FairQueue, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(turns, clock, "a1", "a2")
    job = turns.jobs.claim(begun(turns, hinted(turns)), "owner")
    assert job is not None
    asked: list[float] = []
    is_over = turns.is_over

    def counted(job: Job, seconds: float, suspended: Collection[str]) -> bool:
        asked.append(seconds)
        return is_over(job, seconds, suspended)

    now = 100.0
    monkeypatch.setattr(turns, "is_over", counted)
    monkeypatch.setattr(fair_queue, "monotonic", lambda: now)
    turn = Turn()
    for tenth in range(80):
        now = 100 + tenth / 10
        assert not turn.is_over(turns, job)
    assert asked == [TURN, TURN + LOOK, TURN + 2 * LOOK]
    send(turns, clock, "b1")
    now += LOOK
    assert turn.is_over(turns, job)


def test_a_suspended_job_waits_like_one_in_the_queue(turns: FairQueue, clock: Clock) -> None:
    send(turns, clock, "a1", "b1")
    first = turns.jobs.claim(begun(turns, hinted(turns)), "owner")
    assert first is not None
    assert turns.is_over(first, TURN)
    turns.end(first.id, TURN)
    second = turns.jobs.claim(begun(turns, hinted(turns)), "owner")
    assert second is not None
    assert (first.id, second.id) == ("a1", "b1")
    assert not turns.is_over(second, TURN, ["a1"])
    assert turns.is_over(second, TURN + 1, ["a1"])
    turns.end(second.id, TURN + 1)
    assert turns.order([second, first]) == [first, second]
    send(turns, clock, "c1")
    assert turns.is_preceded(first)
    assert taken(turns, clock, 2 * TURN) == "c1"
    assert not turns.is_preceded(first)
    turns.resume(first)
    assert turns.used("a") == {"a": 1000 * TURN + LEAST}
    clock.now += 4000
    assert turns.used("a") == {"a": 1000 * TURN + 4000}
    turns.end(first.id, 4)
    assert turns.used("a") == {"a": 1000 * TURN + 4000}


def test_a_suspended_job_that_is_over_does_not_wait(turns: FairQueue, clock: Clock) -> None:
    send(turns, clock, "a1", "b1")
    job = turns.jobs.claim(begun(turns, hinted(turns)), "owner")
    assert job is not None
    turns.end(job.id, TURN)
    assert turns.suspended(["a1", "b1", "none"]) == [job]
    turns.jobs.cancel("a1")
    assert turns.suspended(["a1"]) == []
    turns.resume(job)
    assert turns.store.hlen(turns.turns_key) == 0


def test_nobody_saves_time_up(turns: FairQueue, clock: Clock) -> None:
    for number in range(4):
        send(turns, clock, f"a{number}")
        taken(turns, clock, 900)
    send(turns, clock, "a4", "b1")
    used = turns.used(["a", "b"])
    assert 0 < used["a"] - used["b"] <= 900 * 1000
    assert taken(turns, clock) == "b1"


def test_how_many_have_a_turn_before_is_told(turns: FairQueue, clock: Clock) -> None:
    send(turns, clock, "a1", "a2", "a3", "b1", "b2")
    ahead = {
        id: turns.ahead(turns.jobs.get(id), turns.waiting) for id in ("a1", "b1", "a2", "b2", "a3")
    }
    assert list(ahead.values()) == [0, 1, 2, 3, 4]
    assert [taken(turns, clock) for _ in ahead] == list(ahead)


def test_a_job_that_a_worker_has_just_taken_has_its_place(turns: FairQueue, clock: Clock) -> None:
    send(turns, clock, "a1", "a2")
    queued = turns.jobs.get("a2")
    turns.jobs.claim("a2", "owner")
    assert turns.ahead(queued, turns.waiting) == 1


def test_no_hint_is_lost_when_imports_give_way_or_are_taken_out_of_turn(
    turns: FairQueue, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A regression: RQ forgot hints that were put back, so each waited for the reconciler."""
    order: list[str] = []

    def run_job(id: str) -> None:
        clock.now += 1
        chosen = begun(turns, id)
        job = turns.jobs.claim(chosen, "owner")
        assert job is not None
        order.append(chosen)
        if turns.is_over(job, TURN) and order.count(chosen) == 1:
            turns.put_back(job)
            turns.jobs.release(job)
        else:
            turns.jobs.finish(job, None)
        turns.end(chosen, 0)

    monkeypatch.setattr("workers.run.run_job", run_job)
    send(turns, clock, "a1", "a2", "b1")
    lane, store = turns.queue.queues[Lane.IMPORTS], turns.store
    PlainWorker([lane], connection=store, serializer=JSONSerializer).work(burst=True)
    assert order == ["a1", "b1", "a1", "b1", "a2"]
    assert store.keys("rq:job:*") == []


def test_another_hint_at_the_same_job_may_be_dealt_with_meanwhile(
    turns: FairQueue, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A regression: RQ knows both by the job's id, and took the first one for a failure."""
    taken: list[str | None] = []

    def run_job(id: str) -> None:
        turns.queue.hint(id, Lane.IMPORTS)
        taken.append(turns.queue.take(Lane.IMPORTS))

    monkeypatch.setattr("workers.run.run_job", run_job)
    send(turns, clock, "a1")
    lane, store = turns.queue.queues[Lane.IMPORTS], turns.store
    PlainWorker([lane], connection=store, serializer=JSONSerializer).work(burst=True)
    assert taken == ["a1"]
    assert lane.failed_job_registry.count == 0
    left = [key for pattern in ("job", "exec", "wip") for key in store.keys(f"rq:{pattern}*")]
    assert left == []
