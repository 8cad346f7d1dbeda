"""Ports for servers that are started a moment later."""

from __future__ import annotations

import socket
from random import SystemRandom
from typing import Final

HOST: Final = "127.0.0.1"
FIRST, END = 10_000, 22_000
"""Ports that no system gives to a connection, which could have one before the server has it.

Linux begins at 32,768; the bus of a node of a cluster is 10,000 above its port.
"""


def find_ports(count: int, above: int = 0) -> list[int]:
    """So many ports that nobody listens on, nor on those that are `above` them by so much."""
    found: list[int] = []
    # Whoever seeds `random` would have every process of the tests find the same ones.
    random = SystemRandom()
    while len(found) < count:
        port = random.randrange(FIRST, END)
        if port not in found and _is_free(port) and _is_free(port + above):
            found.append(port)
    return found


def find_port() -> int:
    """A port that nobody listens on."""
    (port,) = find_ports(1)
    return port


def _is_free(port: int) -> bool:
    try:
        with socket.create_server((HOST, port)):
            return True
    except OSError:
        return False
