"""Many connections at once, held by one thread without blocking."""

from __future__ import annotations

import resource
import selectors
import socket
import time
from collections.abc import Callable
from typing import Self

PATIENCE = 180.0
"""Seconds after which a server that has not done what a test expects is taken for dead."""


FROM_ONE = 300
"""How many connections of a crowd share an address."""


class Caller:
    """One connection: what it has received, and whether the other side has closed it."""

    def __init__(self, port: int, source: str) -> None:
        self.socket = socket.create_connection(
            ("127.0.0.1", port), timeout=PATIENCE, source_address=(source, 0)
        )
        self.socket.setblocking(False)
        self.received = b""
        self.ended = False

    @property
    def status(self) -> int:
        """The status of the first answer, or 0 before there is one."""
        words = self.received.split(b" ", 2)
        return int(words[1]) if len(words) == 3 else 0

    def send(self, data: bytes) -> None:
        """Send a few bytes, and note if the other side has closed the connection."""
        try:
            self.socket.send(data)
        except OSError:
            self.ended = True

    def receive(self) -> None:
        """Read what has arrived."""
        try:
            data = self.socket.recv(1 << 16)
        except ConnectionResetError:
            data = b""
        self.received += data
        self.ended = self.ended or not data


class Crowd:
    """Connections to a port, from `source` or else from one address for every few hundred.

    The limit of open files is raised if necessary.
    """

    def __init__(self, port: int, count: int, source: str = "") -> None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft < count + 1000:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(count + 1000, hard), hard))
        self._selector = selectors.DefaultSelector()
        self.callers: list[Caller] = []
        for number in range(count):
            caller = Caller(port, source or f"127.0.0.{1 + number // FROM_ONE}")
            self._selector.register(caller.socket, selectors.EVENT_READ, caller)
            self.callers.append(caller)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._selector.close()
        for caller in self.callers:
            caller.socket.close()

    def send(self, data: bytes) -> None:
        """Send the same bytes on every open connection."""
        for caller in self.callers:
            if not caller.ended:
                caller.send(data)

    def receive(self, seconds: float) -> None:
        """Wait up to `seconds` for data on any of the connections, and read it."""
        for key, _ in self._selector.select(seconds):
            key.data.receive()
            if key.data.ended:
                self._selector.unregister(key.data.socket)

    def all_have(self, wanted: Callable[[Caller], bool], patience: float = PATIENCE) -> bool:
        """Wait until `wanted` holds for every connection; returns whether it does in time."""
        deadline = time.monotonic() + patience
        missing = list(self.callers)
        while missing and time.monotonic() < deadline:
            self.receive(0.1)
            missing = [caller for caller in missing if not wanted(caller)]
        return not missing
