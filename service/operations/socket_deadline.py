"""A client's connection that waits only for a limited time for data."""

from __future__ import annotations

import errno
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from socket import MSG_PEEK, SHUT_RD, SHUT_WR
from time import monotonic
from typing import Any, Final

import gevent
from gevent.socket import socket, timeout_default
from werkzeug.exceptions import RequestTimeout

from service.settings import Settings

LINGER: Final = 2.0
"""Seconds for which a client whose request was refused unread is still read, and bytes."""
LINGERING_BYTES: Final = 2**20
RESTING: Final = 1.0
"""Seconds after which an idle connection most likely has nothing more on its way."""
LEAST: Final = 0.01
"""Seconds to look for data that may have arrived when all patience is used up."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Timeouts in seconds, and `rate`, the least bytes per second of a body or an answer.

    `idle` is for the first byte of a request, `head` for the rest of its head, and `body` for
    pauses within a body and of a client that has to take an answer.
    """

    idle: float
    head: float
    body: float
    rate: float


def read_patience(settings: Settings) -> Patience:
    """Return the timeouts that the settings give."""
    return Patience(
        settings.idle_timeout, settings.head_timeout, settings.body_timeout, settings.min_rate
    )


class ClientSocket(socket):  # type: ignore[misc]
    """Counts the time it waits for its client; the time the service takes does not count.

    Reading raises RequestTimeout for a head or a body that comes too slowly. If the client is gone,
    even in the middle of a body, it raises ConnectionResetError, whatever the system's error is.

    The head of an answer is kept until the first part of its body comes, or the answer ends, so
    that one system call sends both.
    """

    def __init__(self, client: Any, patience: Patience) -> None:
        family, type, proto = client.family, client.type, client.proto
        super().__init__(family, type, proto, fileno=client.detach())
        self._patience = patience
        self._watcher: Any = None
        self._head = b""
        self.await_request()

    def await_request(self) -> None:
        """Expect the head of a request from now on; until it begins, the connection is idle."""
        self._keeps_head = False
        self._send_head()
        self._request: Any = None
        self._idle = True
        self._left = self._patience.idle
        self._idle_since = monotonic()

    def await_body(self, request: Any) -> None:
        """Expect the body of gunicorn's `request` from now on, and then the answer to it."""
        self._keeps_head = True
        self._request = request
        self._idle = False
        self._left = self._patience.body

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Receive bytes; empty at the end of an idle connection."""
        self.settimeout(max(self._left, LEAST))
        began = monotonic()
        try:
            data: bytes = super().recv(size, flags)
        except TimeoutError as error:
            if self._idle:
                return b""
            if self._request is not None:
                self._request.force_close()
            raise RequestTimeout from error
        except OSError as error:
            raise make_disconnect_error() from error
        self._left -= monotonic() - began
        if self._request is not None:
            if not data:
                raise make_disconnect_error()
            self._left = min(self._left + len(data) / self._patience.rate, self._patience.body)
        elif self._idle:
            self._idle, self._left = False, self._patience.head
        return data

    def send(self, data: Any, flags: int = 0, timeout: Any = timeout_default) -> int:
        """Send some of the data; returns how many bytes."""
        self._send_head()
        try:
            return int(super().send(data, flags, timeout))
        except OSError as error:
            raise make_disconnect_error() from error

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Send all of the data; a client that takes it too slowly counts as gone."""
        if self._keeps_head:
            self._keeps_head, self._head = False, data
            return
        data, self._head = self._head + data, b""
        # The system almost always takes all of it.
        sent = 0 if flags else self._send_what_fits(data)
        if sent < len(data):
            self.settimeout(self._patience.body + len(data) / self._patience.rate)
            super().sendall(memoryview(data)[sent:], flags)

    def _send_what_fits(self, data: bytes) -> int:
        """Send what the system takes without waiting, and return how many bytes."""
        try:
            return self.send_at_once(data)
        except OSError as error:
            raise make_disconnect_error() from error

    def _send_head(self) -> None:
        """Send the head of an answer, if one is kept."""
        if self._head:
            self.sendall(b"")

    def send_at_once(self, data: bytes) -> int:
        """Send what the system takes without waiting, and return how many bytes; raises OSError."""
        try:
            return int(self._sock.send(data))
        except BlockingIOError:
            return 0

    def call_when_gone(self, call: Callable[[], None]) -> None:
        """Call `call` once the client closes the connection, while nothing is read from it."""
        self._watcher = watcher = gevent.get_hub().loop.io(self.fileno(), 1)

        def look() -> None:
            watcher.stop()
            try:
                closed = not self._sock.recv(1, MSG_PEEK)
            except BlockingIOError:
                closed = False
            except OSError:
                closed = True
            if closed:
                gevent.spawn(call)

        watcher.start(look)

    def end_if_idle(self) -> None:
        """Take no further request on a connection that has been idle for a moment."""
        if self._idle and monotonic() - self._idle_since > RESTING:
            with suppress(OSError):
                self.shutdown(SHUT_RD)

    def linger(self) -> None:
        """Send no more, and read what is on its way: closing at once would destroy the answer."""
        self.shutdown(SHUT_WR)
        self._request, self._idle, self._left = None, False, LINGER
        size = 0
        while size < LINGERING_BYTES and (data := self.recv(1 << 16)):
            size += len(data)

    def close(self) -> None:
        """Close the connection, and stop watching it."""
        if self._watcher is not None:
            self._watcher.stop()
            self._watcher.close()
            self._watcher = None
        super().close()


def make_disconnect_error() -> ConnectionResetError:
    """Make the error that gunicorn takes for a client that has left and so does not log."""
    return ConnectionResetError(errno.ECONNRESET, "the client is gone")
