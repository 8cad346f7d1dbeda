"""Searches that are suspended while others have their turn."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Thread

import pytest

from service.analysis.finding import Finding
from service.analysis.parameters import Parameters
from service.analysis.search import search_position
from service.analysis.target import SearchedPosition
from service.composition.service import Service, compose
from service.jobs import fair_queue
from service.jobs.duties import Lane
from service.jobs.job import JobState
from service.jobs.job_kinds import STALE
from service.settings import read_settings
from tests.service.analysis.support import position
from tests.service.redis_server import RedisServer
from tests.waiting import PATIENCE, eventually, join
from tests.workers.processes import Start, children, worker_processes
from tests.workers.support import environment, service_on
from workers import own_queues, search_progress, stop_request, suspension, time_sharing
from workers.job_process import JobProcess
from workers.run import take_turn
from workers.time_sharing import TimeSharing

SHORT = 0.2
"""Seconds of a turn in these tests."""
LARGE = Parameters(nodes=2_500_000)
ENDLESS = Parameters(seconds=600)


@dataclass
class Analyst:
    """A worker of analyses in this process, whose jobs run in processes of their own."""

    service: Service
    server: RedisServer

    def request(
        self, by: str, parameters: Parameters, seed: int = 0, *, batch: bool = False
    ) -> str:
        """Request the analysis of a position, later than those before; return its id."""
        time.sleep(0.002)
        subject = position(self.service.analyses, replace(parameters, seed=seed), by=by)
        return self.service.analyses.request(subject, by, batch=batch).id

    def take_hint(self) -> bool:
        """Work on the next hint; False if there is none."""
        queue = self.service.analyses.queue
        hint = queue.take(Lane.PERSON) or queue.take(Lane.BATCH)
        if hint is not None:
            self.sharing().run(hint)
        return hint is not None

    def sharing(self) -> TimeSharing:
        settings = read_settings(environment(self.server))
        return TimeSharing(settings, lambda hint: take_turn(hint, compose(settings)))

    def state(self, id: str) -> JobState:
        return self.service.jobs.get(id).state

    def wait_for(self, state: JobState, *ids: str) -> None:
        """Wait until all these jobs are in a state."""
        eventually(lambda: all(self.state(id) is state for id in ids))

    def wait_for_report(self, *ids: str) -> None:
        """Wait until all these jobs have reported once more."""
        jobs, since = self.service.jobs, self.service.jobs.clock()
        eventually(lambda: all(jobs.get(id).updated_at > since for id in ids))

    def finding(self, id: str) -> Finding:
        """The finding of an analysis of one position that has ended."""
        [looked] = self.service.analyses.load(id).looked
        assert looked.finding is not None
        return looked.finding

    def ended_at(self, id: str) -> int:
        """When a job was done, in milliseconds."""
        job = self.service.jobs.get(id)
        assert job.state is JobState.DONE
        return job.updated_at


@pytest.fixture
def analyst(redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> Analyst:
    """An analyst whose turns are SHORT, and who can be asked to stop."""
    monkeypatch.setattr(own_queues, "_lanes", (Lane.PERSON, Lane.BATCH))
    monkeypatch.setattr(stop_request, "_STOP", Event())
    monkeypatch.setattr(fair_queue, "TURN", SHORT)
    monkeypatch.setattr(fair_queue, "LOOK", SHORT / 4)
    monkeypatch.setattr(fair_queue, "LEAST", 10)
    monkeypatch.setattr(search_progress, "REPORT", SHORT / 4)
    monkeypatch.setattr(suspension, "REPORT", SHORT / 4)
    return Analyst(service_on(redis_server), redis_server)


def meanwhile(act: Callable[[], None]) -> Thread:
    """Begin to do something beside the analyst."""
    thread = Thread(target=act, daemon=True)
    thread.start()
    return thread


def search_at_once(analyst: Analyst, id: str, parameters: Parameters) -> Finding:
    """What a search finds that nothing suspends."""
    state = analyst.service.analyses.load(id)
    [place] = analyst.service.analyses.iterate_positions(state)
    assert isinstance(place, SearchedPosition)
    [*_, last] = search_position(state.begun.variant, place, parameters, lambda: False)
    return last


def test_a_long_search_lets_others_in_and_finds_the_same(analyst: Analyst) -> None:
    large = analyst.request("eve", LARGE)
    expected = search_at_once(analyst, large, LARGE)
    small = analyst.request("bob", Parameters(nodes=300))
    assert analyst.take_hint()
    assert analyst.ended_at(small) < analyst.ended_at(large)
    assert replace(analyst.finding(large), seconds=0) == replace(expected, seconds=0)
    assert analyst.service.jobs.get(large).tries == 1
    assert not analyst.take_hint()


def test_two_long_searches_take_turns_and_each_has_all_its_time(analyst: Analyst) -> None:
    # Longer than the machine may stand still: the first must not end before the second begins.
    timed = Parameters(seconds=6)
    first, second = analyst.request("eve", timed), analyst.request("bob", timed, seed=1)
    begun = time.monotonic()
    assert analyst.take_hint()
    passed = time.monotonic() - begun
    findings = [analyst.finding(first), analyst.finding(second)]
    assert all(6 <= found.seconds < passed - 1 for found in findings)
    claimed_at = [analyst.service.jobs.get(id).claimed_at for id in (first, second)]
    assert max(claimed_at) < min(analyst.ended_at(first), analyst.ended_at(second))


def test_a_turn_that_was_suspended_is_counted_as_long_as_it_lasted(analyst: Analyst) -> None:
    turns = analyst.service.analyses.fair_queue
    large = analyst.request("eve", Parameters(seconds=2))
    analyst.request("bob", Parameters(seconds=2), seed=1)
    analyst.request("bob", Parameters(nodes=300))
    begun = time.monotonic()
    assert analyst.take_hint()
    passed = time.monotonic() - begun
    assert analyst.state(large) is JobState.DONE
    used = turns.used(["eve", "bob"]).values()
    # Each turn is rounded to milliseconds.
    assert min(used) >= 1980
    # The other's search of two seconds does not count. Whoever ended first may have been raised to
    # what the other had used by then.
    assert max(used) <= 1000 * passed - 1980
    assert turns.store.hlen(turns.turns_key) == 0


def test_a_batch_gives_way_to_a_person_in_the_middle_of_a_position(analyst: Analyst) -> None:
    batch = analyst.request("eve", ENDLESS, batch=True)

    def ask() -> None:
        try:
            analyst.wait_for(JobState.RUNNING, batch)
            begun = analyst.service.jobs.get(batch).claimed_at
            small = analyst.request("eve", Parameters(nodes=300))
            analyst.wait_for(JobState.DONE, small)
            job = analyst.service.jobs.get(batch)
            found.append((job.state, job.claimed_at == begun))
        finally:
            stop_request.request()

    found: list[tuple[JobState, bool]] = []
    asking = meanwhile(ask)
    assert analyst.take_hint()
    join(asking)
    assert found == [(JobState.RUNNING, True)]


def test_a_suspended_batch_that_gets_priority_needs_no_hint(analyst: Analyst) -> None:
    """A regression: another analyst took the hint, and the search waited for batches."""
    batches = [analyst.request(by, ENDLESS, seed, batch=True) for seed, by in enumerate("eb")]
    sharing = analyst.sharing()

    def hasten() -> None:
        try:
            analyst.wait_for(JobState.RUNNING, *batches)
            suspended, *_ = eventually(sharing._list_suspended)
            analyst.service.jobs.hasten(suspended)
            eventually(lambda: suspended not in sharing._list_suspended())
        finally:
            stop_request.request()

    hastening = meanwhile(hasten)
    sharing.run(analyst.service.analyses.queue.take(Lane.BATCH) or "")
    join(hastening)


def test_a_suspended_analysis_can_be_stopped(analyst: Analyst) -> None:
    first, second = analyst.request("eve", ENDLESS), analyst.request("bob", ENDLESS, seed=1)
    analyses = analyst.service.analyses

    def stop_both() -> None:
        analyst.wait_for(JobState.RUNNING, first, second)
        analyses.stop(analyses.load(first))
        eventually(lambda: analyst.service.jobs.get(second).note is not None)
        assert analyst.state(second) is JobState.RUNNING
        analyses.stop(analyses.load(second))

    stopping = meanwhile(stop_both)
    assert analyst.take_hint()
    join(stopping)
    for id in (first, second):
        assert analyst.state(id) is JobState.CANCELLED
        [looked] = analyses.load(id).looked
        assert looked.cut


def test_an_analyst_that_stops_gives_back_what_is_suspended(analyst: Analyst) -> None:
    ids = [analyst.request(by, ENDLESS, seed) for seed, by in enumerate(["eve", "bob", "cy"])]

    def stop() -> None:
        analyst.wait_for(JobState.RUNNING, *ids)
        stop_request.request()

    stopping = meanwhile(stop)
    assert analyst.take_hint()
    join(stopping)
    jobs = [analyst.service.jobs.get(id) for id in ids]
    assert {(job.state, job.tries) for job in jobs} == {(JobState.QUEUED, 0)}


def test_an_analyst_that_stops_takes_no_hint(analyst: Analyst) -> None:
    ids = [analyst.request(by, ENDLESS, seed) for seed, by in enumerate("eb")]

    def stop() -> None:
        analyst.wait_for(JobState.RUNNING, *ids)
        stop_request.request()
        late.append(analyst.request("cy", ENDLESS, seed=2))

    late: list[str] = []
    stopping = meanwhile(stop)
    assert analyst.take_hint()
    join(stopping)
    assert analyst.service.analyses.queue.waiting(Lane.PERSON) == late


def test_a_suspended_search_that_dies_harms_no_other(
    analyst: Analyst, monkeypatch: pytest.MonkeyPatch
) -> None:
    doomed = analyst.request("eve", ENDLESS)
    timed = analyst.request("bob", Parameters(seconds=1), seed=1)
    sharing = analyst.sharing()
    choose = sharing._choose

    def kill_and_choose() -> JobProcess | None:
        for process in sharing._processes:
            if process.suspended == doomed:
                process.kill()
        return choose()

    monkeypatch.setattr(sharing, "_choose", kill_and_choose)
    sharing.run(analyst.service.analyses.queue.take(Lane.PERSON) or "")
    assert analyst.finding(timed).lines
    # Its lease expires, and the reconciler takes it back. It is not to blame for a death.
    job = analyst.service.jobs.get(doomed)
    assert (job.state, job.tries) == (JobState.RUNNING, 0)


def test_a_search_too_many_goes_back_to_the_queue(
    analyst: Analyst, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time_sharing, "MOST_SUSPENDED", 1)
    timed = Parameters(seconds=1)
    ids = [analyst.request(by, timed, seed) for seed, by in enumerate(["eve", "bob", "cy"])]
    put_back: set[str] = set()

    def watch() -> None:
        begun: set[str] = set()

        def look() -> bool:
            states = {id: analyst.state(id) for id in ids}
            begun.update(id for id in ids if states[id] is JobState.RUNNING)
            put_back.update(id for id in begun if states[id] is JobState.QUEUED)
            return set(states.values()) == {JobState.DONE}

        eventually(look)

    watching = meanwhile(watch)
    while analyst.take_hint():
        pass
    join(watching)
    assert put_back
    assert all(analyst.finding(id).seconds >= 1 for id in ids)
    assert {analyst.service.jobs.get(id).tries for id in ids} == {1}


def test_batches_in_memory_do_not_cost_people_their_searches(
    analyst: Analyst, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A regression: each person's search was given up after each turn, and so never ended."""
    monkeypatch.setattr(time_sharing, "MOST_SUSPENDED", 1)
    batch = analyst.request("eve", ENDLESS, batch=True)

    def ask() -> None:
        analyst.wait_for(JobState.RUNNING, batch)
        ids = [analyst.request(by, Parameters(seconds=1), seed) for seed, by in enumerate("bc")]
        try:
            analyst.wait_for(JobState.DONE, *ids)
            done.extend(ids)
        finally:
            stop_request.request()

    done: list[str] = []
    asking = meanwhile(ask)
    while not stop_request.is_requested():
        analyst.take_hint()
    join(asking)
    assert len(done) == 2


@pytest.mark.parametrize("batch", [False, True])
def test_what_has_no_turns_does_not_wait_for_suspended_searches(
    analyst: Analyst, batch: bool
) -> None:
    ids = [analyst.request(by, ENDLESS, seed, batch=batch) for seed, by in enumerate("eb")]
    analyst.service.analyses.queue.submit("stale", STALE, {}, batch=batch)

    def wait_and_stop() -> None:
        try:
            analyst.wait_for(JobState.RUNNING, *ids)
            analyst.wait_for(JobState.DONE, "stale")
            meanwhile_running.extend(id for id in ids if analyst.state(id) is JobState.RUNNING)
        finally:
            stop_request.request()

    meanwhile_running: list[str] = []
    stopping = meanwhile(wait_and_stop)
    assert analyst.take_hint()
    join(stopping)
    assert meanwhile_running == ids


def test_a_process_that_hangs_is_killed(
    analyst: Analyst, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(time_sharing, "TIMEOUT", 0.5)
    settings = read_settings(environment(analyst.server))
    TimeSharing(settings, lambda hint: signal.pause()).run("a")
    assert f"ended with code -{int(signal.SIGKILL)}" in caplog.text


@pytest.fixture
def start(durable: RedisServer) -> Iterator[Start]:
    with worker_processes(durable, "analyses") as start:
        yield start


@pytest.mark.slow
def test_a_hostile_players_long_searches_hold_nobody_up(durable: RedisServer, start: Start) -> None:
    """As processes, with the real length of turns."""
    analyst = Analyst(service_on(durable), durable)
    large = [analyst.request("eve", ENDLESS, seed) for seed in range(4)]
    worker = start()
    analyst.wait_for(JobState.RUNNING, large[0])
    first = analyst.service.jobs.get(large[0])
    for seed in range(3):
        small = analyst.request("bob", Parameters(nodes=50_000), seed)
        analyst.wait_for(JobState.DONE, small)
        job = analyst.service.jobs.get(large[0])
        assert (job.state, job.claimed_at) == (JobState.RUNNING, first.claimed_at)
    assert [analyst.state(id) for id in large[1:]] == [JobState.QUEUED] * 3
    eventually(lambda: len(children(worker.pid)) == 1)
    [search] = children(worker.pid)
    worker.terminate()
    assert worker.wait(PATIENCE) == 0
    assert not Path(f"/proc/{search}").exists()
    job = analyst.service.jobs.get(large[0])
    assert (job.state, job.tries) == (JobState.QUEUED, 0)


@pytest.mark.slow
def test_searches_go_on_after_their_store_was_away(durable: RedisServer, start: Start) -> None:
    """Both the one that has a turn and the one that is suspended."""
    analyst = Analyst(service_on(durable), durable)
    ids = [analyst.request(by, ENDLESS, seed) for seed, by in enumerate("eb")]
    start()
    analyst.wait_for(JobState.RUNNING, *ids)
    begun = [analyst.service.jobs.get(id).claimed_at for id in ids]
    # The first report may come before the search.
    for _ in range(2):
        analyst.wait_for_report(*ids)
    for _ in range(2):
        durable.kill()
        time.sleep(1)
        durable.start()
        analyst.wait_for_report(*ids)
    small = analyst.request("cy", Parameters(nodes=300))
    analyst.wait_for(JobState.DONE, small)
    assert [analyst.service.jobs.get(id).claimed_at for id in ids] == begun
    assert {analyst.state(id) for id in ids} == {JobState.RUNNING}
