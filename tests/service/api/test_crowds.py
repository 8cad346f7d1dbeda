"""A real web process with very many clients at once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from tests.service.api.crowd import Crowd
from tests.service.api.live import SILENCE, post, running
from tests.service.redis_server import RedisServer
from tests.service.web_server import WebServer


def request(path: str) -> bytes:
    return f"GET /api/v1{path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


@contextmanager
def followers(server: WebServer, game: str, count: int) -> Iterator[Crowd]:
    """Open `count` streams of a game at once, and wait until each has caught up."""
    with Crowd(server.port, count) as crowd:
        crowd.send(request(f"{game}/stream"))
        caught_up = crowd.all_have(lambda caller: b"event: caught_up" in caller.received)
        assert caught_up, Counter(caller.status for caller in crowd.callers)
        yield crowd


@pytest.mark.slow
def test_5000_streams_and_300_requests_at_once_are_answered(server: WebServer) -> None:
    ada = server.service.players.register("Ada", None)
    game = running(server, ada, server.service.players.register("Brahim", None))
    with followers(server, game, 5000) as crowd:
        with Crowd(server.port, 300) as asking:
            asking.send(request(game))
            assert asking.all_have(lambda caller: caller.received.endswith(b"}"))
            assert Counter(caller.status for caller in asking.callers) == {200: 300}
        post(server, f"{game}/actions", {"action": "Pd1"}, ada)
        assert crowd.all_have(lambda caller: b'"Pd1"' in caller.received)
    # All clients have disconnected without notice, many of them while they were being answered.
    assert requests.get(f"{server.url}/api/v1{game}", timeout=SILENCE).status_code == 200
    assert server.log() == ""


@pytest.mark.slow
def test_whoever_opens_all_the_streams_he_can_leaves_room_for_others(server: WebServer) -> None:
    # A busy machine may be late to notice that the streams of another test have ended.
    eventually(lambda: open_streams(server) == 0)
    ada = server.service.players.register("Ada", None)
    game = running(server, ada, server.service.players.register("Brahim", None))
    with Crowd(server.port, 600, source="127.0.9.9") as greedy:
        greedy.send(request(f"{game}/stream"))
        assert greedy.all_have(
            lambda caller: b"caught_up" in caller.received or caller.received.endswith(b"}")
        )
        statuses = Counter(caller.status for caller in greedy.callers)
        assert statuses == {200: server.settings.streams_per_address, 503: 100}
        with followers(server, game, 20) as innocent:
            post(server, f"{game}/actions", {"action": "Pd1"}, ada)
            assert innocent.all_have(lambda caller: b'"Pd1"' in caller.received)
    # Disconnected clients are noticed at once, so the same address may have as many again.
    with Crowd(server.port, 400, source="127.0.9.9") as again:
        eventually(lambda: open_streams(server) == 0)
        again.send(request(f"{game}/stream"))
        assert again.all_have(lambda caller: b"caught_up" in caller.received)
    assert server.log() == ""


def open_streams(server: WebServer) -> float:
    text = requests.get(f"{server.url}/metrics", timeout=SILENCE).text
    line = next(line for line in text.splitlines() if line.startswith("movelog_event_streams "))
    return float(line.split()[1])


def eventually(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SILENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture
def narrow(redis_server: RedisServer, tmp_path: Path) -> Iterator[WebServer]:
    """A web process that accepts few connections from one address."""
    with WebServer(
        redis_server.url,
        tmp_path,
        MOVELOG_CONNECTIONS_PER_ADDRESS="20",
        MOVELOG_TRUSTED_PROXIES="127.0.7.7",
    ) as running:
        yield running


@pytest.mark.slow
def test_whoever_holds_all_the_connections_he_can_leaves_room_for_others(narrow: WebServer) -> None:
    url = f"{narrow.url}/api/v1/games"
    with Crowd(narrow.port, 20, source="127.0.9.9") as idle:
        idle.all_have(lambda caller: caller.ended, patience=0.2)
        with Crowd(narrow.port, 5, source="127.0.9.9") as greedy:
            greedy.send(request("/games"))
            assert greedy.all_have(lambda caller: caller.ended)
            assert Counter(caller.status for caller in greedy.callers) == {429: 5}
            assert all(b'"too-many-connections"' in each.received for each in greedy.callers)
        assert not any(caller.ended for caller in idle.callers)
        assert requests.get(url, timeout=SILENCE).status_code == 200
        # A trusted proxy's connections belong to its clients.
        with Crowd(narrow.port, 40, source="127.0.7.7") as proxy:
            proxy.send(request("/games"))
            assert proxy.all_have(lambda caller: caller.status == 200)

    def are_taken_again() -> bool:
        with Crowd(narrow.port, 20, source="127.0.9.9") as again:
            again.send(request("/games"))
            assert again.all_have(lambda caller: caller.status > 0)
            return all(caller.status == 200 for caller in again.callers)

    # Closed connections no longer count.
    eventually(are_taken_again)
    assert "Traceback" not in narrow.log()


@pytest.fixture
def scarce(redis_server: RedisServer, tmp_path: Path) -> Iterator[WebServer]:
    """A web process that may open few files."""
    with WebServer(redis_server.url, tmp_path, files="256") as running:
        yield running


@pytest.mark.slow
def test_whoever_opens_connections_and_says_nothing_leaves_files_for_others(
    scarce: WebServer,
) -> None:
    """With so few files the worker once held one connection; with more, refusals took the rest.

    Each request of others then waited for ten seconds, or until the idle connections were closed.
    """
    deadline = time.monotonic() + SILENCE
    with Crowd(scarce.port, 300, source="127.0.9.9") as silent:
        for _ in range(20):
            silent.receive(0.1)
            # Replace the connections that were closed.
            with (
                Crowd(scarce.port, 30, source="127.0.9.9"),
                Crowd(scarce.port, 1, source="127.0.0.2") as innocent,
            ):
                innocent.send(request("/games"))
                answered = innocent.all_have(
                    lambda caller: caller.status == 200, deadline - time.monotonic()
                )
                assert answered, innocent.callers[0].received
        told = Counter(caller.status for caller in silent.callers)
        assert set(told) == {0, 429}
        held = [caller for caller in silent.callers if not caller.ended]
        assert 16 <= len(held) <= 64
    assert "Too many open files" not in scarce.log()
    assert "Traceback" not in scarce.log()
