"""Games go on while the master of a Redis with Sentinels fails; nothing acknowledged is lost.

There are two replicas, and a write waits for one: with one that has failed the other still takes
writes. The queue, leases and accounts are in the same Redis.
"""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest

from tests.end_to_end.running import Running
from tests.faults.history import History
from tests.faults.nemesis import Fault
from tests.faults.test_faults import KEEPERS, Ordeal
from tests.service.redis_sentinel import Server, Watched, watched_redis
from tests.waiting import eventually


class Failed(Fault):
    """The master ends without a word, until Sentinels have put a replica in its place."""

    name = "kill the master"

    def __init__(self, watched: Watched) -> None:
        self.watched = watched

    def strike(self, random: Random) -> None:
        """Fail until there is another master, and come back as its replica."""
        master = self.watched.find_master()
        others = [server for server in self.watched.servers if server is not master]
        try:
            self.fail(master)
            eventually(lambda: any(map(Server.is_master, others)), "a replica is the master")
        finally:
            self.mend(master)
        eventually(lambda: not master.is_master(), "the old master follows the new one")
        self.watched.wait_until_whole()

    def fail(self, master: Server) -> None:
        """Fail."""
        master.kill()

    def mend(self, master: Server) -> None:
        """Be there again."""
        master.start()


class Paused(Failed):
    """The master stands still until games go on, and then goes on as if it were the master."""

    name = "pause the master"

    def __init__(self, watched: Watched, history: History) -> None:
        super().__init__(watched)
        self.history = history

    def fail(self, master: Server) -> None:
        """Stop it."""
        master.signal(signal.SIGSTOP)

    def mend(self, master: Server) -> None:
        """Let it go on."""
        before = self.history.acknowledged()
        eventually(lambda: self.history.acknowledged() > before + KEEPERS, "games go on")
        master.signal(signal.SIGCONT)


class SentinelOrdeal(Ordeal):
    """A service on a Redis with Sentinels, and the clients that play on it."""

    def __init__(self, folder: Path, held: ExitStack) -> None:
        self.watched = held.enter_context(watched_redis(servers=3))
        self.of_commands = {"MOVELOG_REDIS_URL": self.watched.url, "MOVELOG_REPLICAS": "1"}
        self.running = Running(folder / "data", **self.of_commands)
        held.callback(self.running.close)
        self.history = History()
        self.stop = threading.Event()


@pytest.fixture
def ordeal(tmp_path: Path) -> Iterator[SentinelOrdeal]:
    """A service that is about to suffer; if it fails, its history is kept beside its data."""
    with ExitStack() as held:
        ordeal = SentinelOrdeal(tmp_path, held)
        yield ordeal
        ordeal.history.save(tmp_path / "history.jsonl")


@pytest.mark.parametrize("times", [2, pytest.param(10, marks=pytest.mark.soak)])
def test_nothing_acknowledged_is_lost_when_the_master_fails(
    ordeal: SentinelOrdeal, times: int
) -> None:
    began = time.monotonic()
    kinds = [Failed(ordeal.watched), Paused(ordeal.watched, ordeal.history)]
    faults = [kinds[number % len(kinds)] for number in range(times)]
    ordeal.go_through(faults, seed=times)
    ordeal.check()
    struck = Counter(fault.name for fault in faults)
    print(
        f"{times} masters failed in {time.monotonic() - began:.0f} s: {dict(struck)};"
        f" {ordeal.history.acknowledged()} writes acknowledged"
        f" in {len(ordeal.history.games)} games, none lost, none doubled"
    )
