"""Games go on while the masters of a log's cluster fail; nothing acknowledged is lost or doubled.

Each master has two replicas, and a write waits for one: with one that has failed the other still
takes writes.
"""

from __future__ import annotations

import signal
import threading
import time
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from random import Random

import pytest

from tests.end_to_end.running import Running
from tests.faults.history import History
from tests.faults.nemesis import Fault
from tests.faults.network import Network, has_many_addresses, running_network
from tests.faults.test_faults import Ordeal
from tests.service.redis_cluster import ClusterServer, RedisCluster, is_served, running_cluster
from tests.service.redis_server import durable_server
from tests.waiting import eventually


class MasterFault(Fault):
    """A fault of a master, until a replica has taken its place."""

    def __init__(self, cluster: RedisCluster) -> None:
        self.cluster = cluster

    def strike(self, random: Random) -> None:
        """Fail until the others go on without it, and come back as a replica."""
        master = random.choice([node for node in self.cluster.nodes if node.is_master()])
        others = [node for node in self.cluster.nodes if node is not master]
        before = {node for node in others if node.is_master()}
        try:
            self.fail(master)
            eventually(
                partial(is_replaced, others, before),
                f"a replica takes the place of the master on port {master.port}",
            )
        finally:
            self.mend(master)
        eventually(lambda: not master.is_master(), "the old master follows the new one")
        self.cluster.wait_until_whole()

    @abstractmethod
    def fail(self, master: ClusterServer) -> None:
        """Fail."""

    @abstractmethod
    def mend(self, master: ClusterServer) -> None:
        """Be there again."""


def is_replaced(others: Sequence[ClusterServer], before: set[ClusterServer]) -> bool:
    """Whether one more of these nodes is a master, and all know of it."""
    masters = {node for node in others if node.is_master()}
    return masters > before and all(map(is_served, others))


class Killed(MasterFault):
    """A master ends without a word."""

    name = "kill a master"

    def fail(self, master: ClusterServer) -> None:
        """End it."""
        master.kill()

    def mend(self, master: ClusterServer) -> None:
        """Start it with the data that it had."""
        master.start()


class Paused(MasterFault):
    """A master stands still, and goes on as if it were the master."""

    name = "pause a master"

    def fail(self, master: ClusterServer) -> None:
        """Stop it."""
        master.signal(signal.SIGSTOP)

    def mend(self, master: ClusterServer) -> None:
        """Let it go on."""
        master.signal(signal.SIGCONT)


class CutOff(MasterFault):
    """A master that nobody reaches any more, and that reaches nobody."""

    name = "cut off a master"

    def __init__(self, cluster: RedisCluster, network: Network) -> None:
        super().__init__(cluster)
        self.network = network

    def fail(self, master: ClusterServer) -> None:
        """Cut it off."""
        self.network.cut_off(master.address)

    def mend(self, master: ClusterServer) -> None:
        """Mend the cut."""
        self.network.mend()


class CutFromNodes(CutOff):
    """A master that the service still reaches, and goes on to write to; no other node does."""

    name = "cut a master off from the other nodes"

    def fail(self, master: ClusterServer) -> None:
        """Cut it off from the others."""
        self.network.cut_from_servers(master.address)


class ClusterOrdeal(Ordeal):
    """A service whose log is in a cluster, and the clients that play on it."""

    def __init__(self, folder: Path, held: ExitStack) -> None:
        self.network: Network | None = None
        if has_many_addresses():
            self.network = held.enter_context(running_network())
        else:
            print("not on Linux: no node is cut off")
        cluster = running_cluster(masters=3, replicas=2, network=self.network)
        self.cluster = held.enter_context(cluster)
        store = held.enter_context(durable_server())
        self.of_commands = {
            "MOVELOG_REDIS_URL": store.url,
            "MOVELOG_LOG_URL": self.cluster.url,
            "MOVELOG_REPLICAS": "1",
        }
        self.running = Running(folder / "data", **self.of_commands)
        held.callback(self.running.close)
        self.history = History()
        self.stop = threading.Event()

    def fail_masters(self, times: int) -> list[Fault]:
        """So many masters that fail, each kind of fault in its turn."""
        kinds: list[MasterFault] = [Killed(self.cluster), Paused(self.cluster)]
        if self.network is not None:
            kinds += [kind(self.cluster, self.network) for kind in (CutOff, CutFromNodes)]
        return [kinds[number % len(kinds)] for number in range(times)]


@pytest.fixture
def ordeal(tmp_path: Path) -> Iterator[ClusterOrdeal]:
    """A service that is about to suffer; if it fails, its history is kept beside its data."""
    with ExitStack() as held:
        ordeal = ClusterOrdeal(tmp_path, held)
        yield ordeal
        ordeal.history.save(tmp_path / "history.jsonl")


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("times", [4, 12])
def test_nothing_acknowledged_is_lost_when_masters_fail(ordeal: ClusterOrdeal, times: int) -> None:
    began = time.monotonic()
    faults = ordeal.fail_masters(times)
    ordeal.go_through(faults, seed=times)
    ordeal.check()
    struck = Counter(fault.name for fault in faults)
    print(
        f"{times} masters failed in {time.monotonic() - began:.0f} s: {dict(struck)};"
        f" {ordeal.history.acknowledged()} writes acknowledged"
        f" in {len(ordeal.history.games)} games, none lost, none doubled"
    )
