"""Games go on while masters of the log's cluster fail; nothing acknowledged is lost or doubled.

Each master has two replicas, and a write waits for one of them, so writes go on when the other has
failed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.masters import Killed, MasterFault, Node, Paused
from tests.faults.nemesis import Fault
from tests.faults.network import Network, has_many_addresses, running_network
from tests.faults.ordeal import Ordeal
from tests.service.redis_cluster import RedisCluster, running_cluster
from tests.service.redis_server import durable_server


class CutOff(MasterFault):
    """A master is cut off from everybody."""

    name = "cut off a master"

    def __init__(self, cluster: RedisCluster, network: Network) -> None:
        super().__init__(cluster)
        self.network = network

    def fail(self, master: Node) -> None:
        """Cut it off."""
        self.network.cut_off(master.address)

    def mend(self, master: Node) -> None:
        """Mend the cut."""
        self.network.mend()


class CutFromNodes(CutOff):
    """A master is cut off from the other nodes, while the service still writes to it."""

    name = "cut a master off from the other nodes"

    def fail(self, master: Node) -> None:
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
        given = {
            "MOVELOG_REDIS_URL": store.url,
            "MOVELOG_LOG_URL": self.cluster.url,
            "MOVELOG_REPLICAS": "1",
        }
        super().__init__(folder, held, given, given)

    def fail_masters(self, times: int) -> list[Fault]:
        """Faults for `times` failures of masters; the kinds take turns."""
        kinds: list[MasterFault] = [Killed(self.cluster), Paused(self.cluster)]
        if self.network is not None:
            kinds += [kind(self.cluster, self.network) for kind in (CutOff, CutFromNodes)]
        return [kinds[number % len(kinds)] for number in range(times)]


@pytest.fixture
def ordeal(tmp_path: Path) -> Iterator[ClusterOrdeal]:
    """A service ready for its ordeal; its history is saved beside its data."""
    with ExitStack() as held:
        ordeal = ClusterOrdeal(tmp_path, held)
        yield ordeal
        ordeal.history.save(tmp_path / "history.jsonl")


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("times", [4, 12])
def test_nothing_acknowledged_is_lost_when_masters_fail(ordeal: ClusterOrdeal, times: int) -> None:
    ordeal.suffer(ordeal.fail_masters(times), seed=times)
