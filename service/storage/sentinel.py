"""Connections to a Redis whose master is named by Sentinels; they follow a failover."""

from __future__ import annotations

import threading
import time
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

OWN: Final = "sentinel_"
"""Options of a URL with this prefix apply to the connections to the Sentinels."""


class SentinelsAway(MasterNotFoundError):
    """No Sentinel answers, so it is unknown whether there is another master now."""


class MasterFinder:
    """Says where the master is, through the interface that redis-py's connections expect."""

    is_master = True
    check_connection = False

    def __init__(self, name: str, sentinels: list[Address], options: dict[str, Any]) -> None:
        self.service_name = name
        self._sentinels = sentinels
        self._options = options
        self._found: Address | None = None
        self._epoch = 0
        self._looked_at = 0.0
        self._looking = threading.Lock()

    def get_master_address(self) -> Address:
        """Ask for host and port of the master.

        Raises MasterNotFoundError, a ConnectionError, if the Sentinels consider it down.
        """
        self._looked_at = time.monotonic()
        try:
            self._found = self._ask()
        except SentinelsAway:
            raise
        except MasterNotFoundError:
            self._found = None
            raise
        return self._found

    def is_still(self, address: Address) -> bool:
        """Whether a server is the master, according to what this process learned last."""
        is_due = time.monotonic() - self._looked_at > LOOK_AGAIN
        if is_due and self._looking.acquire(blocking=False):
            try:
                self.get_master_address()
            except MasterNotFoundError:
                # Without Sentinels nothing changes.
                pass
            finally:
                self._looking.release()
        return self._found == address

    def _ask(self) -> Address:
        states = []
        for sentinel in list(self._sentinels):
            if (state := self._ask_one(sentinel)) is None:
                continue
            states.append(state)
            if state["config-epoch"] >= self._epoch and is_up(state):
                # Next time, this one is asked first.
                self._sentinels = sorted(self._sentinels, key=lambda one: one != sentinel)
                return self._take(state)
        newest = max((state["config-epoch"] for state in states), default=0)
        if newest < self._epoch:
            # Those who answered have not heard of the last failover; if they are all there are,
            # they were set up anew, and count failovers from the beginning.
            anew = states if len(states) == len(self._sentinels) else []
            for state in anew:
                if state["config-epoch"] == newest and is_up(state):
                    return self._take(state)
            states = anew
        kind = MasterNotFoundError if states else SentinelsAway
        raise kind(f"no Sentinel knows of a master {self.service_name}")

    def _ask_one(self, sentinel: Address) -> dict[str, Any] | None:
        """What a Sentinel knows of the master; None if it does not answer."""
        host, port = sentinel
        with redis.Redis(host=host, port=port, **self._options) as client:
            try:
                state: Any = client.sentinel_master(self.service_name)
            except (redis.ConnectionError, redis.TimeoutError):
                return None
            except redis.ResponseError as error:
                raise MasterNotFoundError(f"{host}:{port}: {error}") from error
        return dict(state)

    def _take(self, state: dict[str, Any]) -> Address:
        self._epoch = state["config-epoch"]
        return state["ip"], state["port"]


def is_up(state: dict[str, Any]) -> bool:
    """Whether a Sentinel considers the master up."""
    return not (state["is_sdown"] or state["is_odown"])


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
        for the answer of a server that is no longer the master: it may have been asked before.
        """
        answer = super().read_response(*given, **{"disconnect_on_error": True, **options})
        finder: MasterFinder = self.connection_pool
        if not finder.is_still((self.host, self.port)):
            self.disconnect()  # type: ignore[no-untyped-call]
            raise redis.ConnectionError(f"{self.host}:{self.port} is no longer the master")
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
