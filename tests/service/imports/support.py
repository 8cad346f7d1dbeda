"""Imports carried out in the test's own process, and their results."""

from __future__ import annotations

from threading import Event, Thread
from typing import Any, Self

from service.composition.projector import compose_projector
from service.composition.service import Service
from service.jobs.queue import JobQueue
from service.player.repository import NewPlayer
from tests.service.api.client import NDJSON, PGN, Api
from tests.waiting import join
from workers.job_functions import FUNCTIONS
from workers.run import carry_out

TAGS = '[South "A"]\n[North "B"]\n[Variant "katruji"]\n[Result "{0}"]\n\n1. {1} {0}\n'
GOOD = TAGS.format("1-0", "Pd1")
ILLEGAL = TAGS.format("1-0", "Pd9")


def work(service: Service) -> None:
    """Carry out every job that is due."""
    for id in service.jobs.due():
        carry_out(id, service, service.jobs, FUNCTIONS)


def project(service: Service) -> None:
    """Let the lists catch up, as the projector's process does."""
    projector = compose_projector(service, JobQueue(service.jobs, service.store))
    while projector.step(0.001):
        pass


class Worker:
    """Carries out jobs in a thread, while the context lasts."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._stop = Event()
        self._thread = Thread(target=self._run)

    def _run(self) -> None:
        while not self._stop.wait(0.01):
            work(self.service)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._stop.set()
        join(self._thread)


def begun(
    api: Api, by: NewPlayer, text: str | bytes, mode: str = "quarantine", kind: str = PGN
) -> dict[str, Any]:
    """Upload an import; return the answer's JSON."""
    raw = text.encode() if isinstance(text, str) else text
    answer = api.send("POST", "/imports", by, raw, kind, query={"mode": mode})
    assert answer.status_code == 202, answer.text
    assert answer.json is not None
    assert answer.headers["Location"] == f"/api/v1/imports/{answer.json['id']}"
    found: dict[str, Any] = answer.json
    return found


def imported(
    api: Api, by: NewPlayer, text: str | bytes, mode: str = "quarantine", kind: str = PGN
) -> dict[str, Any]:
    """Upload an import and carry it out; return its JSON, with the verdicts under `items`."""
    id = begun(api, by, text, mode, kind)["id"]
    work(api.service)
    return shown(api, by, id) | {"items": verdicts(api, by, id)}


def shown(api: Api, by: NewPlayer, id: str) -> dict[str, Any]:
    """The JSON of an import."""
    answer = api.get(f"/imports/{id}", by)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json or {}
    return found


def verdicts(api: Api, by: NewPlayer, id: str, **query: str | int) -> list[dict[str, Any]]:
    """All verdicts so far, read page by page."""
    items: list[dict[str, Any]] = []
    cursor: str | None = ""
    while cursor is not None:
        asked = {**query, "limit": 7} | ({"cursor": cursor} if cursor else {})
        answer = api.get(f"/imports/{id}/verdicts", by, query=asked)
        assert answer.status_code == 200, answer.text
        page = answer.json or {}
        items += page["items"]
        cursor = page["next_cursor"]
    lines = api.get(f"/imports/{id}/verdicts", by, accept=NDJSON, query=query).text.splitlines()
    assert len(lines) == len(items)
    return items
