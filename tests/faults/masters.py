"""Faults of a master of Redis, until a replica has taken its place."""

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
    """Masters and replicas, of which one takes the place of a master that fails."""

    @property
    def nodes(self) -> Sequence[Node]:
        """All of them."""

    def wait_until_whole(self) -> None:
        """Wait until another failure can be borne."""


class MasterFault(Fault):
    """A fault of a master, until a replica has taken its place."""

    def __init__(self, place: Replicated) -> None:
        self.place = place

    def strike(self, random: Random) -> None:
        """Fail until the others go on without it, and come back as a replica."""
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
        """Whether one more of the other nodes is a master, and all know of it."""
        masters = {node for node in others if node.is_master()}
        return masters > before and all(node.is_served() for node in others)

    @abstractmethod
    def fail(self, master: Node) -> None:
        """Fail."""

    @abstractmethod
    def mend(self, master: Node) -> None:
        """Be there again."""


class Killed(MasterFault):
    """A master ends without a word."""

    name = "kill a master"

    def fail(self, master: Node) -> None:
        """End it."""
        master.kill()

    def mend(self, master: Node) -> None:
        """Start it with the data that it had."""
        master.start()


class Paused(MasterFault):
    """A master stands still, and goes on as if it were the master."""

    name = "pause a master"

    def fail(self, master: Node) -> None:
        """Stop it."""
        master.signal(signal.SIGSTOP)

    def mend(self, master: Node) -> None:
        """Let it go on."""
        master.signal(signal.SIGCONT)
