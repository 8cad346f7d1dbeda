"""What serve says of lists that are still being built when it starts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.composition import Service
from service.operations import list_progress
from service.operations.list_progress import ListProgress
from service.projection.projector import Projector


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
    progress = ListProgress(service.settings, lines.append)
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
    ListProgress(service.settings, lines.append).watch()
    assert lines == []


def test_a_store_that_is_away_is_asked_again(service: Service) -> None:
    settings = replace(service.settings, redis_url="unix:///nowhere")
    lines: list[str] = []
    ListProgress(settings, lines.append).watch()
    assert lines == []
