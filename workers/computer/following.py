"""Finds the computer's games from the feed, in a separate thread."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import Final

import redis

from service.computer.levels import seats_computer
from service.game.repository import KIND
from service.log.interface import FEED_START, EventLog
from service.storage.outage_log import OutageLog

log = logging.getLogger(__name__)

WAIT: Final = 0.5
"""Seconds that the feed is waited for, and so how long stopping takes."""
PAUSE: Final = 0.5
"""Seconds until a store that is away is tried again."""


class GameFollower:
    """Collects the ids of the computer's games with news, and then makes `pipe` readable."""

    def __init__(self, events: EventLog, positions: dict[int, str]) -> None:
        self.events = events
        self.pipe, self._bell = os.pipe()
        os.set_blocking(self.pipe, False)
        os.set_blocking(self._bell, False)
        self._positions = dict.fromkeys(range(events.partitions), FEED_START) | positions
        self._outages = OutageLog(log)
        self._lock = Lock()
        self._news: set[str] = set()
        self._stop = Event()
        self._thread = Thread(target=self._run, name="computer-feed", daemon=True)

    def start(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def close(self) -> None:
        """Stop following."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        os.close(self.pipe)
        os.close(self._bell)

    def add(self, games: Iterable[str]) -> None:
        """Have these games looked at again."""
        with self._lock:
            self._news.update(games)
        self._ring()

    def take(self) -> tuple[set[str], dict[int, str]]:
        """The games with news, and the positions up to which the feed has been read."""
        with suppress(BlockingIOError):
            os.read(self.pipe, 4096)
        with self._lock:
            news, self._news = self._news, set()
            return news, dict(self._positions)

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._follow()
                self._outages.note_success()
            except redis.RedisError as error:
                self._outages.note(error)
                self._stop.wait(PAUSE)

    def _follow(self) -> None:
        """Read what is new, or wait for it."""
        found = self.events.wait(self._positions, WAIT)
        with self._lock:
            for partition, pointer in found:
                self._positions[partition] = pointer.position
                if pointer.stream.kind == KIND and seats_computer(pointer.audience):
                    self._news.add(pointer.stream.id)
            rings = bool(self._news)
        if rings:
            self._ring()

    def _ring(self) -> None:
        # A full pipe is readable already.
        with suppress(BlockingIOError):
            os.write(self._bell, b"!")
