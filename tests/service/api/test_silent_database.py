"""While the lists' database hangs, nobody who needs only the log has to wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.service.postgresql import PostgresqlServer
from tests.service.redis_server import RedisServer
from tests.service.web_server import WebServer
from tests.stalls import measured_stalls
from tests.waiting import eventually, join

pytestmark = pytest.mark.slow

RECORD = '[South "A"]\n[North "B"]\n[Variant "katruji"]\n[Result "1-0"]\n\n1. Pd1 1-0\n'
QUICK = 4.0
"""The most seconds that a move may take on a slow machine; a silent server takes longer."""
LONG = 20.0
"""The most seconds until a request for a list is refused."""


class Innocent:
    """A scribe who records a game and asks for no list."""

    def __init__(self, url: str) -> None:
        self.url = f"{url}/api/v1"
        self.session = requests.Session()
        answer = self.timed("POST", "/players", {"name": "Ada"})[0]
        self.session.headers["Authorization"] = f"Bearer {answer['token']['secret']}"
        self.begin()

    def begin(self) -> None:
        """Begin a game."""
        seats = {"first": {"name": "One"}, "second": {"name": "Two"}}
        wish = {"variant": "katruji", "mode": "scribe", "players": seats}
        self.game = f"/games/{self.timed('POST', '/games', wish)[0]['id']}"

    def timed(self, method: str, path: str, body: Any = None) -> tuple[Any, float]:
        """Return the answer and the seconds that it took."""
        begun = time.monotonic()
        answer = self.session.request(method, self.url + path, json=body, timeout=60)
        assert answer.status_code in (200, 201, 202), answer.text
        return answer.json(), time.monotonic() - begun

    def move(self) -> float:
        """Play the first legal action; returns the seconds of the slowest request."""
        legal, one = self.timed("GET", f"{self.game}/legal")
        if not legal["actions"]:
            self.begin()
            legal, one = self.timed("GET", f"{self.game}/legal")
        action = legal["actions"][0]["action"]
        _, two = self.timed("POST", f"{self.game}/actions", {"action": action})
        _, three = self.timed("GET", self.game)
        return max(one, two, three)

    def send_records(self) -> float:
        """Begin an import; returns the seconds that it took."""
        begun = time.monotonic()
        headers = {"Content-Type": "application/x-chess-pgn"}
        answer = self.session.post(f"{self.url}/imports", RECORD.encode(), headers=headers)
        assert answer.status_code == 202, answer.text
        return time.monotonic() - begun

    def follow(self) -> float:
        """Follow the game's stream and play an action; returns the seconds until it arrives."""
        address = f"{self.url}{self.game}/stream"
        with self.session.get(address, stream=True, timeout=60) as stream:
            lines = stream.iter_lines(decode_unicode=True)
            assert any("caught_up" in line for line in lines)
            begun = time.monotonic()
            legal, _ = self.timed("GET", f"{self.game}/legal")
            action = legal["actions"][0]["action"]
            self.timed("POST", f"{self.game}/actions", {"action": action})
            assert any("action-played" in line for line in lines)
            return time.monotonic() - begun


@pytest.fixture
def web(
    redis_server: RedisServer, own_postgresql: PostgresqlServer, tmp_path: Path
) -> Iterator[WebServer]:
    given = {"MOVELOG_DATABASE_URL": own_postgresql.empty()}
    with WebServer(redis_server.url, tmp_path, **given) as running:
        yield running


def hammer(
    web: WebServer, path: str, over: threading.Event, found: list[tuple[int, float]]
) -> None:
    """Request a list again and again, and note each status and duration."""
    while not over.is_set():
        begun = time.monotonic()
        answer = requests.get(f"{web.url}/api/v1{path}", timeout=60)
        found.append((answer.status_code, time.monotonic() - begun))


def test_moves_go_on_while_the_server_is_silent(
    web: WebServer, own_postgresql: PostgresqlServer
) -> None:
    innocent = Innocent(web.url)
    web.catch_up()
    for _ in range(10):
        innocent.move()
    over = threading.Event()
    found: list[tuple[int, float]] = []
    crowd = [
        threading.Thread(target=hammer, args=(web, path, over, found))
        for path in ("/games", "/explorer?variant=katruji", "/players", "/tournaments") * 3
    ]
    slow: list[float] = []
    with own_postgresql.silent(), measured_stalls() as stalled:
        for asker in crowd:
            asker.start()
        deadline = time.monotonic() + 12
        while time.monotonic() < deadline:
            slow.append(innocent.move())
            time.sleep(0.02)
        slow += [innocent.timed("POST", "/players", {"name": "Bo"})[1], innocent.send_records()]
        innocent.begin()
        slow.append(innocent.follow())
    assert max(slow) < QUICK + stalled()
    over.set()
    join(*crowd)
    refused = [seconds for status, seconds in found if status == 503]
    assert refused
    assert max(refused) < LONG + stalled()
    # The service needs no restart.
    eventually(lambda: innocent.session.get(f"{innocent.url}/games").status_code == 200)
    web.catch_up()
    with measured_stalls() as stalled:
        assert innocent.move() < QUICK + stalled()
