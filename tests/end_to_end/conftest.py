"""Whole services for tests: started on demand, and always stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.end_to_end.running import Running

Start = Callable[..., Running]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """A function that starts a service, on a data directory that it creates by name."""
    started: list[Running] = []

    def start(name: str = "data", **given: str) -> Running:
        started.append(Running(tmp_path / name, **given))
        return started[-1]

    yield start
    for running in started:
        running.close()


@pytest.fixture
def running(start: Start) -> Running:
    """A freshly started service on an empty data directory."""
    return start()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service shared by a module's tests, none of which harms it."""
    running = Running(tmp_path_factory.mktemp("shared") / "data")
    yield running
    running.close()
