"""Connections to a Redis whose master is named by Sentinels; they follow a failover."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import redis
from redis.backoff import NoBackoff
from redis.connection import parse_url
from redis.retry import Retry
from redis.sentinel import (
    MasterNotFoundError,
    SentinelManagedConnection,
    SentinelManagedSSLConnection,
)

from service.store_urls import split_sentinels

Pool = TypeVar("Pool", bound=redis.ConnectionPool)
Address = tuple[str, int]

PATIENCE: Final = 1.0
"""Seconds to wait for a Sentinel before asking the next one."""

LOOK_AGAIN: Final = 1.0
"""Seconds for which a connection is used without asking whether its server is still the master. A
server that stood still during a failover answers with its old data."""

PATIENCE_WITH_OLD: Final = 30.0
"""Seconds for which Sentinels are not believed that contradict what this process knows."""

OWN: Final = "sentinel_"
"""Options of a URL with this prefix apply to the connections to the Sentinels."""


@dataclass(frozen=True, slots=True)
class MasterReport:
    """What a Sentinel says: where the master is, since which failover, and whether it is up."""

    address: Address
    epoch: int
    is_up: bool


class MasterFinder:
    """Says where the master is, through the interface that redis-py's connections expect.

    A Sentinel that has not heard of a failover yet still names the former master. So an earlier
    failover than the last one known, or another master since the same one, is not believed for
    PATIENCE_WITH_OLD: longer than it takes Sentinels to hear of a failover, but they may have been
    set up anew, and then count failovers from the beginning. Safe for threads and greenlets.
    """

    is_master = True
    check_connection = False

    def __init__(self, name: str, sentinels: list[Address], options: dict[str, Any]) -> None:
        self.service_name = name
        self._sentinels = sentinels
        self._options = options
        self._found: Address | None = None
        self._believed: MasterReport | None = None
        self._doubted_since: float | None = None
        self._looked_at = 0.0
        self._looking = threading.Lock()
        self._deciding = threading.Lock()

    def get_master_address(self) -> Address:
        """Ask for host and port of the master; the last known ones if no Sentinel knows better.

        Raises MasterNotFoundError, a ConnectionError, if the Sentinels consider it down.
        """
        self._looked_at = time.monotonic()
        before = self._believed
        answers = []
        for sentinel in list(self._sentinels):
            if (report := self._ask(sentinel)) is None:
                continue
            answers.append(report)
            if report.is_up and self._believe(report):
                # Next time, this one is asked first.
                self._sentinels = sorted(self._sentinels, key=lambda one: one != sentinel)
                return report.address
        with self._deciding:
            if not any(self._agrees(report) for report in answers):
                if self._found is not None:
                    return self._found
            elif self._believed is before:
                self._found = None
        raise MasterNotFoundError(f"no Sentinel knows of a master {self.service_name}")

    def is_still(self, address: Address) -> bool:
        """Whether a server is the master, according to what this process learned last.

        False for every server while the Sentinels consider the master down.
        """
        is_due = time.monotonic() - self._looked_at > LOOK_AGAIN
        if is_due and self._looking.acquire(blocking=False):
            try:
                self.get_master_address()
            except MasterNotFoundError:
                pass
            finally:
                self._looking.release()
        return self._found == address

    def _ask(self, sentinel: Address) -> MasterReport | None:
        """What a Sentinel says; None if it does not answer."""
        host, port = sentinel
        with redis.Redis(host=host, port=port, **self._options) as client:
            try:
                # In this order, a failover in between cannot give its number to the former master.
                state: Any = client.sentinel_master(self.service_name)
                named: Any = client.sentinel_get_master_addr_by_name(self.service_name)
            except (redis.ConnectionError, redis.TimeoutError):
                return None
            except redis.ResponseError as error:
                raise MasterNotFoundError(f"{host}:{port}: {error}") from error
        # While it makes the replicas follow the new master, the state is still the former one's.
        address = named[0].decode(), named[1]
        is_promoted = address != (state["ip"], state["port"])
        is_up = is_promoted or not (state["is_sdown"] or state["is_odown"])
        return MasterReport(address, state["config-epoch"], is_up)

    def _believe(self, report: MasterReport) -> bool:
        """Take what a Sentinel says for true, unless it has to be doubted."""
        with self._deciding:
            if not self._agrees(report):
                now = time.monotonic()
                if self._doubted_since is None:
                    self._doubted_since = now
                if now - self._doubted_since < PATIENCE_WITH_OLD:
                    return False
            self._doubted_since = None
            self._believed, self._found = report, report.address
            return True

    def _agrees(self, report: MasterReport) -> bool:
        """Whether it is what is known already, or newer."""
        known = self._believed
        if known is None or report.epoch > known.epoch:
            return True
        return report.epoch == known.epoch and report.address == known.address


class FollowingConnection(SentinelManagedConnection):
    """A connection to the master, which is renewed once another server is the master."""

    def connect(self) -> None:
        """Connect unless connected to the master already. Raises ConnectionError."""
        finder: MasterFinder = self.connection_pool
        if self.is_connected and not finder.is_still((self.host, self.port)):
            self.disconnect()  # type: ignore[no-untyped-call]
        super().connect()  # type: ignore[no-untyped-call]

    def read_response(self, *given: Any, **options: Any) -> Any:
        """Read an answer; if that fails, close the connection, as redis-py closes any other.

        Left open, it would give a late answer to the next caller's question. Raises ConnectionError
        also for the answer of a server that is not known as the master any more: it may have been
        asked long ago, and have only its old data.
        """
        answer = super().read_response(*given, **{"disconnect_on_error": True, **options})
        finder: MasterFinder = self.connection_pool
        if not finder.is_still((self.host, self.port)):
            self.disconnect()  # type: ignore[no-untyped-call]
            raise redis.ConnectionError(f"{self.host}:{self.port} is not the master now")
        return answer


class FollowingTLSConnection(FollowingConnection, SentinelManagedSSLConnection):
    """The same over TLS."""


def make_pool(kind: type[Pool], url: str, **options: Any) -> Pool:
    """A pool of connections to the master that a URL's Sentinels name (`split_sentinels`).

    Its user, password, database and options apply to the server, except options that begin with
    OWN; TLS options apply to both.
    """
    servers = split_sentinels(url)
    given: dict[str, Any] = parse_url(servers.first)  # type: ignore[no-untyped-call]
    has_tls = given.pop("connection_class", None) is not None
    del given["host"], given["port"]
    own = {name.removeprefix(OWN): given.pop(name) for name in [*given] if name.startswith(OWN)}
    if has_tls:
        own |= {name: value for name, value in given.items() if name.startswith("ssl_")}
        own["ssl"] = True
    limits = {"socket_timeout": PATIENCE, "socket_connect_timeout": PATIENCE}
    once = {"retry": Retry(NoBackoff(), 0)}
    return kind(
        connection_class=FollowingTLSConnection if has_tls else FollowingConnection,
        connection_pool=MasterFinder(servers.service, list(servers.hosts), limits | once | own),
        **{"socket_keepalive": True, **given, **options},
    )
