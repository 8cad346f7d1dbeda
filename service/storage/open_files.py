"""How a process shares the files that it may open (`ulimit -n`) among what it opens them for.

A web process has a file for each client's connection, and one more for what comes or goes on it, a
record or an upload, so that whoever sends uploads leaves the connections of others alone.

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
"""Connections that one address leaves to others at least, where a process takes twice as many."""


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
    """How many connections to each Redis a process with so many files holds at most."""
    return min(wanted, max(FEWEST_TO_REDIS, files // 8))


@dataclass(frozen=True, slots=True)
class ConnectionBounds:
    """How many clients' connections a web process holds at most.

    `total` in all; more wait in the listening socket's queue. `per_address` of one address.
    `refusals` at one time of those that are told why they are not taken; more are closed at once.
    What an address leaves to others is twice as much as that at least.
    """

    total: int
    per_address: int
    refusals: int


def bound_connections(total: int, wanted: int) -> ConnectionBounds:
    """The bounds where `wanted` connections of one address are to be taken, if there is room."""
    spare = max(total // 10, min(SPARE, total // 2))
    per_address = max(1, min(wanted, total - spare))
    return ConnectionBounds(total, per_address, min(MOST_REFUSALS, (total - per_address) // 2))


def limit_connections(files: int, to_redis: int) -> int:
    """How many clients' connections a web process with so many files takes."""
    others = min(OTHER_FILES, files // 4) + 2 * bound_redis_connections(files, to_redis)
    return max(1, min(MOST_CONNECTIONS, (files - others) // 2))


def _number(limit: int) -> int:
    return 1 << 30 if limit == resource.RLIM_INFINITY else limit
