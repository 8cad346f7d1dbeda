"""`movelog bot` and what a stream may tell it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from engine.search import Limits
from service.cli.bot import Bot
from service.cli.client import Client


class Told(Client):
    """A service that tells what it was made with, in one stream."""

    def __init__(self, *messages: tuple[str, dict[str, object]]) -> None:
        super().__init__("http://localhost")
        self._messages = messages

    def lines(self, path: str, accept: str) -> Iterator[str]:
        for event, told in self._messages:
            yield f"event: {event}"
            yield f"data: {json.dumps(told)}"
        raise AssertionError("read beyond the last message")


def test_a_game_that_is_scored_after_its_end_is_counted_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    client = Told(
        ("caught_up", {"games": 2}),
        ("game-over", {"game": "a", "result": "1-0", "version": 8}),
        ("game-over", {"game": "a", "result": "1-0", "version": 9}),
        ("game-over", {"game": "b", "result": "0-1", "version": 7}),
    )
    Bot(client, "no-engine", Limits(nodes=1)).play(games=2)
    assert capsys.readouterr().out == "a 1-0\nb 0-1\n"
