"""Analyses and imports whose web process died before submitting their jobs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from redis.exceptions import ConnectionError

from service.jobs.job import JobState
from service.jobs.queue import JobQueue
from service.player.repository import NewPlayer
from tests.service.api.client import PGN, Api, error
from tests.service.imports.support import GOOD, project, work

Begin = Callable[[Api, NewPlayer], Any]
ANALYSIS = {"variant": "katruji", "fen": "start", "limits": {"nodes": 200}}


def ask(api: Api, by: NewPlayer) -> Any:
    return api.post("/analyses", ANALYSIS, by)


def upload(api: Api, by: NewPlayer) -> Any:
    return api.send("POST", "/imports", by, GOOD.encode(), PGN)


def die(*given: object, **named: object) -> bool:
    raise ConnectionError("killed")


def lose_job(api: Api, by: NewPlayer, begin: Begin, monkeypatch: pytest.MonkeyPatch) -> str:
    """Call `begin` in a process that dies before submitting the job; returns the id."""
    kind = "analysis" if begin is ask else "import"
    with monkeypatch.context() as patch:
        patch.setattr(JobQueue, "submit", die)
        assert error(begin(api, by)) == (503, "log-unavailable")
    (stream,) = api.service.log.streams(kind)
    return stream.id


BEGUN = pytest.mark.parametrize(
    ("begin", "path"), [(ask, "analyses"), (upload, "imports")], ids=["analysis", "import"]
)


@BEGUN
def test_looking_at_it_writes_nothing(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch, begin: Begin, path: str
) -> None:
    id = lose_job(api, ada, begin, monkeypatch)
    project_without_jobs(api, monkeypatch)
    before = api.snapshot()
    for asked in (f"/{path}/{id}", *(["/imports"] if path == "imports" else [])):
        answer = api.get(asked, ada)
        assert answer.status_code == 200
    assert (api.get(f"/{path}/{id}", ada).json or {})["state"] == "queued"
    assert api.snapshot() == before
    assert api.service.jobs.get_each([id]) == []


def project_without_jobs(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bring the lists up to date, without submitting jobs."""
    with monkeypatch.context() as patch:
        patch.setattr(type(api.service.analyses), "ensure_job", lambda *given: None)
        patch.setattr(type(api.service.imports), "ensure_job", lambda *given: None)
        project(api.service)


@BEGUN
def test_it_is_given_its_job_by_the_projector_s_process(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch, begin: Begin, path: str
) -> None:
    id = lose_job(api, ada, begin, monkeypatch)
    project(api.service)
    assert api.service.jobs.get(id).state is JobState.QUEUED
    work(api.service)
    assert (api.get(f"/{path}/{id}", ada).json or {})["state"] == "done"


@BEGUN
def test_it_is_given_one_job_whoever_is_first(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch, begin: Begin, path: str
) -> None:
    submit = JobQueue.submit

    def submit_late(queue: JobQueue, *given: Any, **named: Any) -> bool:
        """Submit the job after the projector's process has overtaken this one."""
        monkeypatch.undo()
        project(api.service)
        return submit(queue, *given, **named)

    monkeypatch.setattr(JobQueue, "submit", submit_late)
    assert begin(api, ada).status_code == 202
    assert sum(api.service.jobs.counts().values()) == 1
    (id,) = api.service.jobs.due()
    assert not api.service.jobs.get(id).batch
    assert api.service.jobs.get(id).arguments["by"] == ada.id


def test_a_batch_stays_one_whoever_submits_it(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = lose_job(api, ada, ask, monkeypatch)
    project(api.service)
    assert api.service.jobs.get(id).batch
    assert api.post("/analyses", ANALYSIS | {"batch": True}, ada).status_code == 202
    assert api.service.jobs.get(id).batch
    assert api.post("/analyses", ANALYSIS, ada).status_code == 202
    assert not api.service.jobs.get(id).batch


def test_an_analysis_resumed_by_who_died_goes_on(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = (ask(api, ada).json or {})["id"]
    assert api.send("DELETE", f"/analyses/{id}", ada).status_code == 200
    project(api.service)
    assert api.service.jobs.get(id).state is JobState.CANCELLED
    bob = api.player("Bob")
    with monkeypatch.context() as patch:
        patch.setattr(JobQueue, "submit", die)
        assert error(ask(api, bob)) == (503, "log-unavailable")
    assert api.service.jobs.get(id).state is JobState.CANCELLED
    project(api.service)
    job = api.service.jobs.get(id)
    assert (job.state, job.arguments["by"]) == (JobState.QUEUED, bob.id)


def test_what_has_ended_or_failed_is_given_no_job(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = (ask(api, ada).json or {})["id"]
    uploaded = (upload(api, ada).json or {})["id"]
    work(api.service)
    api.service.store.delete(*(f"movelog:{{jobs}}:job:{id}" for id in (ended, uploaded)))
    failed = (api.post("/analyses", ANALYSIS | {"limits": {"nodes": 300}}, ada).json or {})["id"]
    claimed = api.service.jobs.claim(failed, "worker")
    assert claimed is not None
    api.service.jobs.fail(claimed, "why", final=True)
    project(api.service)
    assert api.service.jobs.get_each([ended, uploaded]) == []
    assert api.service.jobs.get(failed).state is JobState.FAILED
