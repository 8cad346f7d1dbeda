"""A real web process with very many clients at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import requests

from tests.service.api.crowd import Crowd
from tests.service.api.live import SILENCE, bearer, running
from tests.service.web_server import WebServer


def request(path: str) -> bytes:
    return f"GET /api/v1{path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


@contextmanager
def followers(server: WebServer, game: str, count: int) -> Iterator[Crowd]:
    """So many streams of a game, opened at once, each of which has caught up."""
    with Crowd(server.port, count) as crowd:
        crowd.send(request(f"{game}/stream"))
        caught_up = crowd.all_have(lambda caller: b"event: caught_up" in caller.received)
        assert caught_up, Counter(caller.status for caller in crowd.callers)
        yield crowd


def assert_all_are_answered(server: WebServer, streams: int, requests_at_once: int) -> None:
    """Streams and requests at once are answered, and every stream is told of the next move."""
    ada = server.service.players.register("Ada")
    game = running(server, ada, server.service.players.register("Brahim"))
    with followers(server, game, streams) as crowd:
        with Crowd(server.port, requests_at_once) as asking:
            asking.send(request(game))
            assert asking.all_have(lambda caller: caller.received.endswith(b"}"))
            assert Counter(caller.status for caller in asking.callers) == {200: requests_at_once}
        answer = requests.post(
            f"{server.url}/api/v1{game}/actions",
            json={"action": "Pd1"},
            headers=bearer(ada),
            timeout=SILENCE,
        )
        assert answer.status_code == 200
        assert crowd.all_have(lambda caller: b'"Pd1"' in caller.received)
    # They have all left without a word, and many were just being answered.
    assert requests.get(f"{server.url}/api/v1{game}", timeout=SILENCE).status_code == 200
    assert server.log() == ""


def test_600_streams_and_300_requests_at_once_are_answered(server: WebServer) -> None:
    assert_all_are_answered(server, streams=600, requests_at_once=300)
