"""How a process divides the files that it may open (`ulimit -n`) among their uses.

A web process needs a file for each client's connection, and one more for the data that it receives
or sends there, a record or an upload, so that uploads do not take connections away from others.

    a quarter, 200 at most           modules, logs, sockets that are listened on
    an eighth, or the setting        connections to each of the two Redis
    the rest, by two                 clients' connections
"""

from __future__ import annotations

import resource
from dataclasses import dataclass
from typing import Final

MOST_CONNECTIONS: Final = 10_000
"""Clients' connections of a web process: an idle stream of events holds one."""
OTHER_FILES: Final = 200
FEWEST_TO_REDIS: Final = 4
MOST_REFUSALS: Final = 100
SPARE: Final = 50
"""The least connections that one address leaves to others if a process takes twice as many."""


def read_file_limit() -> int:
    """How many files this process may open."""
    return _number(resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def raise_file_limit() -> int:
    """Let this process open as many files as the system allows it; returns how many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return _number(hard)


def bound_redis_connections(files: int, wanted: int) -> int:
    """The most connections to each Redis that a process with `files` files holds."""
    return min(wanted, max(FEWEST_TO_REDIS, files // 8))


@dataclass(frozen=True, slots=True)
class ConnectionBounds:
    """The most client connections that a web process holds.

    `total` is for all clients; more wait in the listening socket's queue. `per_address` is for one
    address. `refusals` is how many at a time are told why they are refused; more are closed at
    once. An address leaves to others at least twice as many as that.
    """

    total: int
    per_address: int
    refusals: int


def bound_connections(total: int, wanted: int) -> ConnectionBounds:
    """The bounds if `wanted` connections of one address are to be accepted where there is room."""
    spare = max(total // 10, min(SPARE, total // 2))
    per_address = max(1, min(wanted, total - spare))
    return ConnectionBounds(total, per_address, min(MOST_REFUSALS, (total - per_address) // 2))


def limit_connections(files: int, to_redis: int) -> int:
    """How many client connections a web process with `files` files accepts."""
    others = min(OTHER_FILES, files // 4) + 2 * bound_redis_connections(files, to_redis)
    return max(1, min(MOST_CONNECTIONS, (files - others) // 2))


def _number(limit: int) -> int:
    return 1 << 30 if limit == resource.RLIM_INFINITY else limit
