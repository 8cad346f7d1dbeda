"""Whole services for tests: started on demand, ended in any case."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.end_to_end.running import Running

Start = Callable[..., Running]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """A function that starts a service on a data directory of the test's own, by name."""
    started: list[Running] = []

    def start(name: str = "data", **given: str) -> Running:
        started.append(Running(tmp_path / name, **given))
        return started[-1]

    yield start
    for running in started:
        running.close()


@pytest.fixture
def running(start: Start) -> Running:
    """A service that was just started for the first time."""
    return start()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service that the tests of a module share, none of which harms it."""
    running = Running(tmp_path_factory.mktemp("shared") / "data")
    yield running
    running.close()
