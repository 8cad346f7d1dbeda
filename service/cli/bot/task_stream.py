"""The tasks of a player's stream, read in a separate thread: each is dated when it comes."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from service.cli.client import Client

RECONNECT: Final = 2.0
"""Seconds before a lost stream is opened again."""
CAUGHT_UP: Final = "caught_up"
"""The event that follows the initial report of a stream on all games."""


@dataclass(frozen=True, slots=True)
class Task:
    """An event of the stream, its data, and when the turn that it reports began.

    `began` is in the seconds of `time.monotonic`.
    """

    event: str
    message: dict[str, Any]
    began: float


class TaskStream:
    """A player's tasks, then changes, in order; a lost stream is opened again."""

    def __init__(self, service: Client) -> None:
        self._service = service
        self._tasks: deque[Task] = deque()
        self._changed = Condition()
        self._failed: BaseException | None = None
        self._turns: dict[str, tuple[str, float]] = {}
        Thread(target=self._run, name="tasks", daemon=True).start()

    def __iter__(self) -> Iterator[Task]:
        """Yield each task when it comes; raises what ended the reading, such as Refused."""
        while True:
            with self._changed:
                while not self._tasks and self._failed is None:
                    self._changed.wait()
                if not self._tasks:
                    assert self._failed is not None
                    raise self._failed
                task = self._tasks.popleft()
            yield task

    def list_waiting(self) -> list[Task]:
        """The tasks that have come and were not yielded yet."""
        with self._changed:
            return list(self._tasks)

    def _run(self) -> None:
        try:
            for task in self._read():
                with self._changed:
                    self._tasks.append(task)
                    self._changed.notify()
        except BaseException as error:  # raised again when the tasks are read
            with self._changed:
                self._failed = error
                self._changed.notify()

    def _read(self) -> Iterator[Task]:
        import requests

        while True:
            event, listed = "", True
            try:
                for line in self._service.stream_lines("/me/stream", "text/event-stream"):
                    name, _, value = line.partition(": ")
                    if name == "event":
                        event = value
                        listed = listed and event != CAUGHT_UP
                    elif name == "data" and event == "reconnect":
                        break
                    elif name == "data":
                        message = json.loads(value)
                        yield Task(event, message, self._find_beginning(message, listed))
                if event == "reconnect":
                    # This process of the service is about to end, and another one answers.
                    continue
            except requests.RequestException:
                pass  # a stream may be lost; the next one reports everything again
            time.sleep(RECONNECT)

    def _find_beginning(self, message: dict[str, Any], listed: bool) -> float:
        """When the turn of a message began.

        That is when it was first reported, or earlier if the message is only listed.

        A turn is recognised by the time at which its clock began to run.
        """
        now = time.monotonic()
        since = (message.get("clocks") or {}).get("since")
        if since is None:
            self._turns.pop(message.get("game", ""), None)
            return now
        known = self._turns.get(message["game"])
        if known is not None and known[0] == since:
            return known[1]
        elapsed = 0.0
        if listed and (service_time := self._service.find_latest_time()) is not None:
            elapsed = max(0.0, service_time - datetime.fromisoformat(since).timestamp())
        self._turns[message["game"]] = since, now - elapsed
        return now - elapsed
