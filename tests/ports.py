"""Ports for servers that are started a moment later."""

from __future__ import annotations

import socket
from random import SystemRandom
from typing import Final

HOST: Final = "127.0.0.1"
FIRST, END = 10_000, 22_000
"""Ports outside the ephemeral range, where a connection could take one before its server does.

Linux's range begins at 32,768; a cluster node's bus port is 10,000 above its own.
"""


def find_ports(count: int, above: int = 0) -> list[int]:
    """Find `count` free ports; the port `above` places higher is free as well."""
    found: list[int] = []
    # With a seeded `random`, every test process would find the same ports.
    random = SystemRandom()
    while len(found) < count:
        port = random.randrange(FIRST, END)
        if port not in found and _is_free(port) and _is_free(port + above):
            found.append(port)
    return found


def find_port() -> int:
    """Find a free port."""
    (port,) = find_ports(1)
    return port


def _is_free(port: int) -> bool:
    try:
        with socket.create_server((HOST, port)):
            return True
    except OSError:
        return False
