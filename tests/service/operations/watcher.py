"""A program that follows an event stream, and resumes where its connection ended."""

from __future__ import annotations

import threading
from typing import Self

import requests

from tests.service.operations.parts import PATIENCE


class Watcher:
    """Follows the stream at a URL in a thread of its own, as long as the context lasts.

    `seen` has the data of each complete event, `ended` how each connection ended: the error, or
    nothing if the server closed it. `refused` is why there is no further connection. `url` may say
    where the first one begins; each later one asks for what follows the last message.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.seen: list[str] = []
        self.ended: list[str] = []
        self.refused = ""
        self._last: str | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        # A connection on which nothing arrives any more ends with the process.
        self._over.set()

    def has_seen(self, count: int) -> bool:
        """Whether this many events have come; fails if no more can come."""
        assert not self.refused, self.refused
        return len(self.seen) >= count

    def _follow(self) -> None:
        while not self._over.is_set() and not self.refused:
            error = ""
            try:
                self._read()
            except requests.RequestException as raised:
                error = str(raised)
            self.ended.append(error)

    def _read(self) -> None:
        known = {} if self._last is None else {"Last-Event-ID": self._last}
        with requests.get(self.url, headers=known, stream=True, timeout=PATIENCE) as stream:
            if stream.status_code != 200:
                self.refused = f"{stream.status_code} {stream.text[:200]}"
                return
            message: dict[str, str] = {}
            for line in stream.iter_lines(None, decode_unicode=True):
                name, _, value = line.partition(": ")
                if line:
                    message[name] = value
                    continue
                # An empty line completes a message.
                self._last = message.get("id", self._last)
                if "data" in message and "event" not in message:
                    self.seen.append(message["data"])
                message = {}
                if self._over.is_set():
                    return
