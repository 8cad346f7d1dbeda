from __future__ import annotations

from dataclasses import replace
from itertools import count
from unittest.mock import Mock

import pytest

from service.analysis.estimate import report_waiting
from service.analysis.parameters import Parameters
from service.analysis.quota import FIRST_SECONDS
from service.analysis.repository import Analyses
from service.composition.service import Service
from service.jobs.duties import Lane
from service.jobs.fair_queue import TURN
from service.jobs.job_kinds import ANALYSIS
from service.jobs.redis_layout import TOOK
from tests.service.analysis.support import found, position
from tests.service.redis_server import RedisServer
from tests.workers.support import service_on


@pytest.fixture
def service(redis_server: RedisServer) -> Service:
    """A service whose jobs are created at least a millisecond apart."""
    service = service_on(redis_server)
    ticks = count(service.jobs.clock())
    service.jobs.clock = lambda: next(ticks)
    return service


def ask(analyses: Analyses, seed: int, **given: int) -> str:
    """Ask for an analysis, another one for each seed; return its id."""
    parameters = Parameters.from_json({"nodes": 100} | given | {"seed": seed})
    return analyses.request(position(analyses, parameters), "ada", batch=False).id


def told(analyses: Analyses, id: str) -> tuple[int | None, float | None]:
    """The number of analyses ahead in the queue, and the estimate in seconds."""
    state = analyses.load(id)
    shown = report_waiting(analyses.fair_queue, state, analyses.find_job(state))
    assert shown is not None
    return shown["ahead"], shown["estimate"]


def test_the_place_in_the_queue_and_an_estimate_are_told(service: Service) -> None:
    analyses = service.analyses
    ids = [ask(analyses, seed) for seed in range(3)]
    assert [told(analyses, id) for id in ids] == [(0, None), (1, None), (2, None)]
    service.store.lpush(f"{TOOK}{ANALYSIS}", 4000, 6000)
    assert [told(analyses, id) for id in ids] == [(0, 5.0), (1, 10.0), (2, 15.0)]


def test_the_usual_time_is_read_once_however_many_wait(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    analyses = service.analyses
    ids = [ask(analyses, seed) for seed in range(5)]
    service.store.lpush(f"{TOOK}{ANALYSIS}", 4000, 6000)
    jobs = analyses.fair_queue.jobs
    read = Mock(wraps=jobs.usual_time)
    monkeypatch.setattr(jobs, "usual_time", read)
    assert told(analyses, ids[-1]) == (4, 25.0)
    read.assert_called_once_with(ANALYSIS)


def test_the_lanes_are_read_once_for_a_report(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    analyses = service.analyses
    ids = [ask(analyses, seed) for seed in range(3)]
    subject = position(analyses, Parameters(nodes=100, seed=9))
    batch = analyses.request(subject, "bob", batch=True).id
    service.store.lpush(f"{TOOK}{ANALYSIS}", 4000, 6000)
    read = Mock(wraps=analyses.queue.waiting)
    monkeypatch.setattr(analyses.queue, "waiting", read)
    assert told(analyses, ids[-1]) == (2, 15.0)
    assert [call.args for call in read.mock_calls] == [(Lane.PERSON,)]
    read.reset_mock()
    assert told(analyses, batch) == (3, 20.0)
    assert sorted(call.args for call in read.mock_calls) == [(Lane.PERSON,), (Lane.BATCH,)]


def test_what_is_asked_for_at_once_is_all_counted(service: Service) -> None:
    analyses = service.analyses
    subjects = [position(analyses, Parameters(nodes=100, seed=seed)) for seed in range(3)]
    ids = [analyses.address(subject) for subject in subjects]
    assert all(analyses.quota.admit("ada", id, 1) for id in ids)
    for subject in subjects:
        analyses.request(subject, "ada", batch=False)
        assert analyses.quota.admit("ada", ids[0], 1)
    for id in ids:
        analyses.quota.note("ada", id)
    assert analyses.quota.find_under_way("ada") == set(ids)


def test_the_wait_for_what_others_have_asked_for_is_told(service: Service) -> None:
    analyses = service.analyses
    analyses.pace.note("katruji", replace(found(), nodes=10_000, seconds=2.0))
    large = [ask(analyses, seed, nodes=10**9, seconds=600) for seed in range(4)]
    job = service.jobs.claim(analyses.fair_queue.begin(large[0]) or "", "worker")
    assert job is not None
    subject = position(analyses, Parameters(nodes=5000, seed=9), by="bob")
    id = analyses.request(subject, "bob", batch=False).id
    # The running search goes on for the rest of its turn, then it is bob's.
    assert told(analyses, id) == (0, TURN + 1.0)
    assert told(analyses, large[1]) == (1, 600.0 + 600.0 + 1.0)
    assert told(analyses, large[3]) == (3, 3 * 600.0 + 600.0 + 1.0)
    batch = analyses.request(position(analyses, Parameters(nodes=5000)), "cy", batch=True).id
    assert told(analyses, batch) == (4, 4 * 600.0 + 1.0 + 1.0)


def test_suspended_searches_have_no_turn_that_others_wait_for(service: Service) -> None:
    analyses, turns = service.analyses, service.analyses.fair_queue
    analyses.pace.note("katruji", replace(found(), nodes=10_000, seconds=2.0))
    for seed, by in enumerate(("ada", "cy", "dan")):
        subject = position(analyses, Parameters(seconds=600, seed=seed), by=by)
        id = analyses.request(subject, by, batch=False).id
        assert turns.begin(id) == id
        assert service.jobs.claim(id, "worker")
        if by != "dan":
            turns.end(id, TURN)
    subject = position(analyses, Parameters(nodes=5000, seed=9), by="bob")
    id = analyses.request(subject, "bob", batch=False).id
    assert told(analyses, id) == (0, TURN + 1.0)


def test_what_takes_long_by_its_limits_does_not_go_first(service: Service) -> None:
    analyses = service.analyses
    assert analyses.quota.admit("ada", "x", FIRST_SECONDS)
    assert not analyses.quota.admit("ada", "x", FIRST_SECONDS + 1)
    for seed in range(2):
        id = ask(analyses, seed, seconds=600, nodes=10**9)
        analyses.quota.note("ada", id)
    assert analyses.quota.admit("ada", "x", FIRST_SECONDS - 1200)
    assert not analyses.quota.admit("ada", "x", FIRST_SECONDS - 1199)
    assert analyses.quota.admit("bob", "x", FIRST_SECONDS)


def test_tiny_searches_of_one_player_change_nobodys_estimate(service: Service) -> None:
    """They take some milliseconds to begin, so their pace is a thousandth of a worker's."""
    analyses = service.analyses
    analyses.pace.note("katruji", replace(found(), nodes=100_000, seconds=1.0))
    for _ in range(50):
        analyses.pace.note("katruji", replace(found(), nodes=1, seconds=0.005))
    id = ask(analyses, 0, nodes=100_000)
    assert told(analyses, id) == (0, 1.0)
    assert analyses.bound_seconds(analyses.load(id).begun) == 1.0


def test_a_limit_of_time_is_the_estimate(service: Service) -> None:
    assert told(service.analyses, ask(service.analyses, 0, seconds=7)) == (0, 7.0)


def test_what_runs_is_estimated_by_what_it_took_so_far(service: Service) -> None:
    analyses = service.analyses
    id = ask(analyses, 0)
    job = service.jobs.claim(id, "worker")
    assert job is not None
    service.store.lpush(f"{TOOK}{ANALYSIS}", 3000)
    assert told(analyses, id) == (None, 3.0)
    state = analyses.record(analyses.load(id), [found()])
    assert report_waiting(analyses.fair_queue, state, service.jobs.get(id)) == {
        "priority": "person",
        "ahead": None,
        "oldest": None,
        "estimate": 0.0,
    }
    service.jobs.finish(job, None)
    assert report_waiting(analyses.fair_queue, state, service.jobs.get(id)) is None


def test_the_age_of_the_oldest_is_told(service: Service) -> None:
    analyses = service.analyses
    id = ask(analyses, 0)
    shown = report_waiting(analyses.fair_queue, analyses.load(id), service.jobs.get(id))
    assert shown is not None
    assert 0 <= shown["oldest"] < 60


def test_an_estimate_reads_the_pace_once_however_many_wait(service: Service) -> None:
    analyses = service.analyses
    analyses.pace.note("katruji", replace(found(), nodes=10_000, seconds=2.0))
    ids = [ask(analyses, seed) for seed in range(20)]
    service.store.config_resetstat()
    assert told(analyses, ids[-1]) == (19, 0.4)
    assert service.store.info("commandstats")["cmdstat_lrange"]["calls"] <= 4
