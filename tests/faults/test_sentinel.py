"""Games go on while the master of a Redis with Sentinels fails; nothing acknowledged is lost.

There are two replicas, and a write waits for one of them, so writes go on when the other has
failed. The queue, leases and accounts are in the same Redis, or in another one that does not fail.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.history import History
from tests.faults.masters import Killed, Node, Paused
from tests.faults.ordeal import KEEPERS, Ordeal
from tests.service.redis_sentinel import Watched, watched_redis
from tests.service.redis_server import durable_server
from tests.waiting import eventually


class PausedForLong(Paused):
    """The master is paused until games go on, and then resumes as if it were still the master."""

    def __init__(self, watched: Watched, history: History) -> None:
        super().__init__(watched)
        self.history = history

    def mend(self, master: Node) -> None:
        """Wait until games go on, and resume it."""
        before = self.history.acknowledged()
        eventually(lambda: self.history.acknowledged() > before + KEEPERS, "games go on")
        super().mend(master)


class SentinelOrdeal(Ordeal):
    """A service with all its data, or only its log, in a Redis with Sentinels, and its clients."""

    def __init__(self, folder: Path, held: ExitStack, apart: bool) -> None:
        self.watched = held.enter_context(watched_redis(servers=3))
        given = {"MOVELOG_REDIS_URL": self.watched.url, "MOVELOG_REPLICAS": "1"}
        if apart:
            store = held.enter_context(durable_server())
            given |= {"MOVELOG_REDIS_URL": store.url, "MOVELOG_LOG_URL": self.watched.url}
        super().__init__(folder, held, given, given)


@pytest.fixture(params=["all in one", "log apart"])
def ordeal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SentinelOrdeal]:
    """A service ready for its ordeal; its history is saved beside its data."""
    with ExitStack() as held:
        ordeal = SentinelOrdeal(tmp_path, held, request.param == "log apart")
        yield ordeal
        ordeal.history.save(tmp_path / "history.jsonl")


@pytest.mark.parametrize("times", [2, pytest.param(10, marks=pytest.mark.soak)])
def test_nothing_acknowledged_is_lost_when_the_master_fails(
    ordeal: SentinelOrdeal, times: int
) -> None:
    kinds = [Killed(ordeal.watched), PausedForLong(ordeal.watched, ordeal.history)]
    ordeal.suffer([kinds[number % len(kinds)] for number in range(times)], seed=times)
