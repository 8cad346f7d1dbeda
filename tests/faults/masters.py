"""Failures of a Redis master, lasting until a replica has taken its place."""

from __future__ import annotations

import signal
from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from random import Random
from typing import Protocol, TypeAlias

from tests.faults.nemesis import Fault
from tests.service.redis_cluster import ClusterServer
from tests.service.redis_sentinel import Server
from tests.waiting import eventually

Node: TypeAlias = ClusterServer | Server


class Replicated(Protocol):
    """Redis masters and replicas, with failover."""

    @property
    def nodes(self) -> Sequence[Node]:
        """All masters and replicas."""

    def wait_until_whole(self) -> None:
        """Wait until every node is back, so that another one may fail."""


class MasterFault(Fault):
    """A failure of a master, lasting until a replica has taken its place."""

    def __init__(self, place: Replicated) -> None:
        self.place = place

    def strike(self, random: Random) -> None:
        """Fail a master until a replica is promoted, then bring it back as a replica."""
        master = random.choice([node for node in self.place.nodes if node.is_master()])
        others = [node for node in self.place.nodes if node is not master]
        before = {node for node in others if node.is_master()}
        try:
            self.fail(master)
            eventually(
                partial(self.is_replaced, others, before),
                f"a replica takes the place of the master on port {master.port}",
            )
        finally:
            self.mend(master)
        eventually(lambda: not master.is_master(), "the old master follows the new one")
        self.place.wait_until_whole()

    def is_replaced(self, others: Sequence[Node], before: set[Node]) -> bool:
        """Whether another node has become a master, and all nodes know of it."""
        masters = {node for node in others if node.is_master()}
        return masters > before and all(node.is_served() for node in others)

    @abstractmethod
    def fail(self, master: Node) -> None:
        """Make the master fail."""

    @abstractmethod
    def mend(self, master: Node) -> None:
        """Bring the old master back."""


class Killed(MasterFault):
    """A master is killed."""

    name = "kill a master"

    def fail(self, master: Node) -> None:
        """Kill it."""
        master.kill()

    def mend(self, master: Node) -> None:
        """Start it with the data that it had."""
        master.start()


class Paused(MasterFault):
    """A master is paused, and resumes as if it were still the master."""

    name = "pause a master"

    def fail(self, master: Node) -> None:
        """Pause it."""
        master.signal(signal.SIGSTOP)

    def mend(self, master: Node) -> None:
        """Resume it."""
        master.signal(signal.SIGCONT)
