"""What a projector prints about lists that are still being built when it starts."""

from __future__ import annotations

from functools import partial
from threading import Event, Thread

import pytest
import redis

from service.composition.projector import compose_projector_process
from service.composition.service import Service
from service.operations import list_progress
from service.operations.list_progress import ListProgress
from service.projection.errors import DatabaseAway
from service.projection.projector import Projector
from service.reactions.process import ProjectorProcess
from tests.service.projection.support import create
from tests.waiting import eventually, join


def progress_of(service: Service, lines: list[str]) -> ListProgress:
    return ListProgress(partial(service.checkpoints.count_behind, service.log), lines.append)


def build(service: Service) -> None:
    projector = Projector(service.games, service.database)
    while projector.step(0.001):
        pass


def test_lists_that_lag_far_behind_are_told_once_and_when_they_are_complete(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_progress, "NOTABLE", 3)
    lines: list[str] = []
    for name in ("Ada", "Bo", "Cyd"):
        service.players.register(name, None)
    progress = progress_of(service, lines)
    progress.watch()
    progress.watch()
    assert len(lines) == 1
    assert lines[0].startswith("the lists are being built, ")
    build(service)
    progress.watch()
    assert lines[1:] == ["the lists are complete"]
    for name in ("Dan", "Eve", "Fay"):
        service.players.register(name, None)
    progress.watch()
    assert len(lines) == 2


def test_lists_that_hardly_lag_are_not_told_of(service: Service) -> None:
    service.players.register("Ada", None)
    lines: list[str] = []
    progress_of(service, lines).watch()
    assert lines == []


def test_a_rebuild_is_told_now_and_then_and_when_the_lists_are_complete(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []
    progress = progress_of(service, lines)
    for done in (100, 200):
        progress.follow_rebuild(done, 300)
    assert lines == ["the lists are being built from the log: 100 of 300 games"]
    monkeypatch.setattr(list_progress, "EVERY", 0.0)
    progress = progress_of(service, lines)
    for done in (200, 300):
        progress.follow_rebuild(done, 300)
    progress.watch()
    progress.watch()
    assert lines[1:] == [
        "the lists are being built from the log: 200 of 300 games",
        "the lists are being built from the log: 300 of 300 games",
        "the lists are complete",
    ]


def test_the_projector_tells_of_the_lists_that_it_builds_from_the_log(service: Service) -> None:
    create(service.games, "a")
    lines: list[str] = []
    progress = progress_of(service, lines)
    process = compose_projector_process(service, progress.watch, progress.follow_rebuild)
    stop = Event()
    thread = Thread(target=process.run, args=(stop,))
    thread.start()
    eventually(lambda: len(lines) == 2)
    stop.set()
    join(thread)
    assert lines == [
        "the lists are being built from the log: 1 of 1 games",
        "the lists are complete",
    ]


@pytest.mark.parametrize("outage", [redis.ConnectionError(), DatabaseAway("gone")])
def test_while_a_store_is_away_jobs_are_reconciled_and_nothing_is_told(outage: Exception) -> None:
    lines: list[str] = []
    reconciled: list[bool] = []

    def fail(stopping: object) -> Projector:
        raise outage

    watch = ListProgress(lambda: 1000, lines.append).watch
    outages = (redis.RedisError, DatabaseAway)
    stop = Event()

    def reconcile() -> None:
        reconciled.append(True)
        stop.set()

    ProjectorProcess(fail, lambda: None, reconcile, outages, watch).run(stop)
    assert reconciled
    assert lines == []
