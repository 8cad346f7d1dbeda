"""A real Redis Cluster of masters and replicas, on free loopback ports."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import redis

from service.log.cluster import LogCluster, open_cluster
from service.operations.server_program import find_redis_server
from tests.faults.network import HOST, Network
from tests.ports import find_ports
from tests.waiting import eventually

SLOTS: Final = 16384
BUS: Final = 10_000
"""How far the port of a node's bus is above its own."""
SILENCE: Final = 6000
"""Milliseconds of silence after which the others consider a node down: on a busy machine, one that
is well may stand still for seconds."""


class ClusterServer:
    """A node: a server that can be killed, paused and restarted."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.port = port
        self.address = HOST
        """The address that it listens on and connects from; others know it as HOST."""
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it with its former cluster state and data; wait until it answers."""
        self.folder.mkdir(exist_ok=True)
        options = {
            "port": self.port,
            "bind": self.address,
            "bind-source-addr": self.address,
            "cluster-announce-ip": HOST,
            "dir": self.folder,
            "cluster-enabled": "yes",
            "cluster-node-timeout": SILENCE,
            "cluster-replica-validity-factor": 0,
            "cluster-allow-replica-migration": "no",
            "repl-diskless-sync-delay": 0,
            "save": "",
            "appendonly": "yes",
            "appendfsync": "always",
        }
        arguments = [part for name, value in options.items() for part in (f"--{name}", str(value))]
        self.process = subprocess.Popen(
            [find_redis_server(), *arguments], stdout=subprocess.DEVNULL
        )
        eventually(self.answers, f"the node on port {self.port} answers")

    def answers(self) -> bool:
        """Whether it answers."""
        assert self.process is not None
        assert self.process.poll() is None, "the node has ended"
        with suppress(redis.ConnectionError, redis.TimeoutError), self.client() as client:
            return bool(client.ping())
        return False

    def client(self) -> redis.Redis:
        """A client of this node only."""
        return redis.Redis(host=self.address, port=self.port, socket_timeout=5)

    def ask(self, *command: str | int) -> Any:
        """Its reply to a command, undecoded."""
        with self.client() as client:
            return client.execute_command(*command, NEVER_DECODE=True)

    @property
    def name(self) -> str:
        """Its id in the cluster."""
        return bytes(self.ask("CLUSTER", "MYID")).decode()

    def is_master(self) -> bool:
        """Whether it considers itself a master."""
        return bool(self.ask("ROLE")[0] in (b"master", "master"))

    def is_served(self) -> bool:
        """Whether it sees every slot served."""
        return b"cluster_state:ok" in self.ask("CLUSTER", "INFO")

    def signal(self, number: int) -> None:
        """Send its process a signal."""
        assert self.process is not None
        self.process.send_signal(number)

    def kill(self) -> None:
        """End it as a power cut would (SIGKILL)."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()


class RedisCluster:
    """A cluster of `masters`, each with this many `replicas`.

    With a `network`, nodes reach each other only through it, and so do all clients but the nodes'
    own.
    """

    def __init__(
        self, folder: Path, masters: int = 3, replicas: int = 1, network: Network | None = None
    ) -> None:
        self.masters = masters
        self._clients: list[LogCluster] = []
        self.nodes = []
        for number, port in enumerate(find_ports(masters * (1 + replicas), BUS), 1):
            node = ClusterServer(folder / str(port), port)
            if network is not None:
                node.address = f"127.1.0.{number}"
                network.lead([port, port + BUS], node.address)
            self.nodes.append(node)

    @property
    def url(self) -> str:
        """The cluster's URL, with the addresses of three nodes."""
        return "redis-cluster://" + ",".join(f"{HOST}:{node.port}" for node in self.nodes[:3])

    def start(self) -> None:
        """Start all nodes and form a cluster."""
        for node in self.nodes:
            node.start()
        share = -(-SLOTS // self.masters)
        for number, node in enumerate(self.nodes):
            node.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            if number < self.masters:
                first, last = share * number, min(share * (number + 1), SLOTS) - 1
                node.ask("CLUSTER", "ADDSLOTSRANGE", first, last)
            if number:
                node.ask("CLUSTER", "MEET", HOST, self.nodes[0].port)
        self._wait(lambda node: len(self._list_known(node)) == len(self.nodes), "all have met")
        for number, node in enumerate(self.nodes[self.masters :]):
            node.ask("CLUSTER", "REPLICATE", self.nodes[number % self.masters].name)
        self.wait_until_whole()

    def wait_until_whole(self) -> None:
        """Wait until every slot is served, every replica is in sync and all nodes know it."""
        self._wait(ClusterServer.is_served, "the cluster is whole")
        self._wait(self._is_in_line, "the replicas are in line")
        self._wait(self._tells_of_all, "all nodes tell of all replicas")

    def client(self, options: str = "") -> LogCluster:
        """A new client of the cluster, with these options in its URL."""
        self._clients.append(open_cluster(self.url + options, 16, 30))
        return self._clients[-1]

    def close_clients(self) -> None:
        """Close all clients."""
        while self._clients:
            self._clients.pop().close()

    def flush(self) -> None:
        """Delete all data, once the cluster is whole."""
        self.wait_until_whole()
        for node in self.nodes:
            if node.is_master():
                node.ask("FLUSHALL")

    def kill(self) -> None:
        """Kill all nodes."""
        for node in self.nodes:
            if node.process is not None:
                node.kill()

    def _is_in_line(self, node: ClusterServer) -> bool:
        role = node.ask("ROLE")
        if role[0] == b"master":
            return len(role[2]) == len(self.nodes) // self.masters - 1
        return bool(role[3] == b"connected")

    def _tells_of_all(self, node: ClusterServer) -> bool:
        ranges = node.ask("CLUSTER", "SLOTS")
        return len({server[1] for each in ranges for server in each[2:]}) == len(self.nodes)

    def _list_known(self, node: ClusterServer) -> list[bytes]:
        lines = node.ask("CLUSTER", "NODES").splitlines()
        return [line for line in lines if b"handshake" not in line]

    def _wait(self, holds: Callable[[ClusterServer], bool], what: str) -> None:
        for node in self.nodes:
            eventually(partial(holds, node), what)


@contextmanager
def running_cluster(
    masters: int = 3, replicas: int = 1, network: Network | None = None
) -> Iterator[RedisCluster]:
    """A cluster that runs while the context lasts."""
    with TemporaryDirectory(prefix="movelog-") as folder:
        cluster = RedisCluster(Path(folder), masters, replicas, network)
        try:
            cluster.start()
            yield cluster
        finally:
            cluster.kill()
