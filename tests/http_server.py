"""An HTTP server that a test runs in a thread of its own process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import HTTPServer
from threading import Thread

from tests.waiting import join

POLL = 0.01
"""Seconds until a server notices that it is to stop; the library's half a second adds up."""


@contextmanager
def serve_in_thread(server: HTTPServer) -> Iterator[None]:
    """Let a server answer while the context lasts, then close it."""
    thread = Thread(target=server.serve_forever, args=(POLL,))
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        join(thread)
        server.server_close()
