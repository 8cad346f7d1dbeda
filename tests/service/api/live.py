"""Event streams as a client reads them, over a real connection."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import requests
from werkzeug.test import TestResponse

from service.player.repository import NewPlayer
from tests.service.web_server import WebServer

SILENCE = 90.0
"""Seconds without a message after which the service is taken for dead."""


class Message(NamedTuple):
    """One message of a stream; an event of a game has no name."""

    id: str | None
    event: str | None
    data: dict[str, Any]


def read_messages(answer: TestResponse) -> list[Message]:
    """The messages of a stream that has ended."""
    found = []
    for part in answer.get_data(as_text=True).split("\n\n"):
        fields = dict(line.split(": ", 1) for line in part.splitlines() if line[0] != ":")
        if "data" in fields:
            data = json.loads(fields["data"])
            found.append(Message(fields.get("id"), fields.get("event"), data))
    return found


class Stream:
    """An open stream; iterating waits for the next message."""

    def __init__(
        self, server: WebServer, path: str, by: NewPlayer | None = None, last: str | None = None
    ) -> None:
        headers = {"Last-Event-ID": last} if last is not None else {}
        self.answer = requests.get(
            f"{server.url}/api/v1{path}",
            headers=headers | bearer(by),
            stream=True,
            timeout=SILENCE,
        )
        self._lines = self._each_line()
        assert self.answer.headers["Content-Type"].startswith("text/event-stream"), self.answer.text

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.answer.close()

    def _each_line(self) -> Iterator[str]:
        rest = b""
        for piece in self.answer.iter_content(None):
            *lines, rest = (rest + piece).split(b"\n")
            yield from (line.decode() for line in lines)

    def __iter__(self) -> Iterator[Message]:
        found: dict[str, str] = {}
        for line in self._lines:
            if line.startswith(":"):
                continue
            if line:
                name, _, value = line.partition(": ")
                found[name] = value
            elif found:
                yield Message(found.get("id"), found.get("event"), json.loads(found["data"]))
                found = {}

    def take(self, count: int) -> list[Message]:
        """Read the next `count` messages."""
        messages = iter(self)
        return [next(messages) for _ in range(count)]

    def until(self, event: str) -> Message:
        """Read up to the next message of this name, and return it."""
        return next(message for message in self if message.event == event)


def bearer(by: NewPlayer | None) -> dict[str, str]:
    """The header that authenticates a player; none for an anonymous request."""
    return {} if by is None else {"Authorization": f"Bearer {by.token.secret}"}


def post(server: WebServer, path: str, body: object, by: NewPlayer) -> requests.Response:
    """POST a JSON body; fails unless it succeeds."""
    answer = requests.post(
        f"{server.url}/api/v1{path}", json=body, headers=bearer(by), timeout=SILENCE
    )
    assert answer.ok, answer.text + server.log()
    return answer


def running(
    server: WebServer,
    first: NewPlayer,
    second: NewPlayer,
    variant: str = "katruji",
    **terms: Any,
) -> str:
    """Create a game whose challenge the second player accepts; returns its path."""
    wish = {"variant": variant, "side": "first", "opponent": second.id, **terms}
    path = f"/games/{post(server, '/games', wish, first).json()['id']}"
    post(server, f"{path}/commands", {"type": "accept"}, second)
    return path
