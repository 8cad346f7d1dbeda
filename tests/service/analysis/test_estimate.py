from __future__ import annotations

import pytest

from service.analysis.estimate import waiting
from service.analysis.parameters import Parameters
from service.analysis.repository import Analyses
from service.composition import Service
from service.jobs.job_kinds import ANALYSIS
from service.jobs.redis_layout import TOOK
from tests.service.analysis.support import found, position
from tests.service.redis_server import RedisServer
from tests.workers.support import service_on


@pytest.fixture
def service(redis_server: RedisServer) -> Service:
    return service_on(redis_server)


def ask(analyses: Analyses, seed: int, **given: int) -> str:
    """The id of another analysis each time."""
    parameters = Parameters.from_json({"nodes": 100} | given | {"seed": seed})
    return analyses.ask(position(analyses, parameters), "ada", batch=False).id


def told(analyses: Analyses, id: str) -> tuple[int | None, float | None]:
    """How many are ahead, and the estimate."""
    state = analyses.load(id)
    shown = waiting(analyses.queue, state, analyses.job(state))
    assert shown is not None
    return shown["ahead"], shown["estimate"]


def test_the_place_in_the_queue_and_an_estimate_are_told(service: Service) -> None:
    analyses = service.analyses
    ids = [ask(analyses, seed) for seed in range(3)]
    assert [told(analyses, id) for id in ids] == [(0, None), (1, None), (2, None)]
    service.store.lpush(f"{TOOK}{ANALYSIS}", 4000, 6000)
    assert [told(analyses, id) for id in ids] == [(0, 5.0), (1, 10.0), (2, 15.0)]


def test_what_is_asked_for_at_once_is_all_counted(service: Service) -> None:
    analyses = service.analyses
    subjects = [position(analyses, Parameters(nodes=100, seed=seed)) for seed in range(3)]
    ids = [analyses.address(subject) for subject in subjects]
    assert all(analyses.asked.admit("ada", id) for id in ids)
    for subject in subjects:
        analyses.ask(subject, "ada", batch=False)
        assert analyses.asked.admit("ada", ids[0])
    for id in ids:
        analyses.asked.note("ada", id)
    assert analyses.asked.under_way("ada") == set(ids)


def test_a_limit_of_time_is_the_estimate(service: Service) -> None:
    assert told(service.analyses, ask(service.analyses, 0, seconds=7)) == (0, 7.0)


def test_what_runs_is_estimated_by_what_it_took_so_far(service: Service) -> None:
    analyses = service.analyses
    id = ask(analyses, 0)
    job = service.jobs.claim(id, "worker")
    assert job is not None
    service.store.lpush(f"{TOOK}{ANALYSIS}", 3000)
    assert told(analyses, id) == (None, 3.0)
    state = analyses.record(analyses.load(id), found())
    assert waiting(analyses.queue, state, service.jobs.get(id)) == {
        "priority": "person",
        "ahead": None,
        "oldest": None,
        "estimate": 0.0,
    }
    service.jobs.finish(job, None)
    assert waiting(analyses.queue, state, service.jobs.get(id)) is None


def test_the_age_of_the_oldest_is_told(service: Service) -> None:
    analyses = service.analyses
    id = ask(analyses, 0)
    shown = waiting(analyses.queue, analyses.load(id), service.jobs.get(id))
    assert shown is not None
    assert 0 <= shown["oldest"] < 60
