"""Two of each part behind the nginx of `deploy/`, restarted one by one under load."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest
import requests

from benchmarks.submitting import long_game
from tests.ports import find_port
from tests.service.operations.nginx import Nginx, configure, find_nginx
from tests.service.operations.parts import PATIENCE, Part
from tests.service.operations.watcher import Watcher
from tests.service.redis_server import RedisServer
from tests.waiting import eventually

pytestmark = pytest.mark.slow

PLAYERS = 4
READERS = 2
FOLLOWERS = 6


@dataclass(slots=True)
class Service:
    """The parts, and what was answered and what failed through the proxy."""

    url: str
    parts: list[Part]
    answered: int = 0
    failures: list[str] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def ask(self, method: str, path: str, **sent: object) -> requests.Response | None:
        """Send a request on a connection of its own; returns None, and notes it, if it fails."""
        try:
            answer = requests.request(
                method,
                f"{self.url}/api/v1{path}",
                timeout=PATIENCE,
                **sent,  # type: ignore[arg-type]
            )
        except requests.RequestException as error:
            self.failures.append(f"{method} {path}: {error}")
            return None
        if not answer.ok:
            self.failures.append(f"{method} {path}: {answer.status_code} {answer.text[:200]}")
            return None
        self.answered += 1
        return answer


@pytest.fixture
def service(redis_process: RedisServer, tmp_path: Path) -> Iterator[Service]:
    """Two of each part, and nginx in front of those that listen."""
    find_nginx()
    with redis_process.client() as client:
        client.flushall()
    port = find_port()
    with ExitStack() as stack:
        parts = [
            stack.enter_context(Part(command, redis_process.url, tmp_path))
            for command in ("web", "web", "streams", "streams", "projector", "projector")
        ]
        ports = {
            command: [part.port for part in parts if part.command == command and part.port]
            for command in ("web", "streams")
        }
        nginx = Nginx(tmp_path, configure(port, ports["web"], ports["streams"]), port)
        stack.callback(nginx.close)
        yield Service(f"http://127.0.0.1:{port}", parts)
    for part in parts:
        assert part.port is None or part.log() == ""


def record(service: Service, number: int, games: list[tuple[str, list[str]]]) -> None:
    """Submit the actions of one game after another."""
    made = service.ask("POST", "/players", json={"name": f"Scribe {number}"})
    if made is None:
        return
    bearer = {"Authorization": f"Bearer {made.json()['token']['secret']}"}
    seats = {"first": {"name": "South"}, "second": {"name": "North"}}
    wish = {"variant": "katruji", "mode": "scribe", "players": seats}
    while not service.over.is_set():
        made = service.ask("POST", "/games", json=wish, headers=bearer)
        if made is None:
            return
        game: tuple[str, list[str]] = (made.json()["id"], [])
        games.append(game)
        for action in long_game(60, seed=number):
            if service.over.is_set():
                return
            path = f"/games/{game[0]}/actions"
            if service.ask("POST", path, json={"action": action}, headers=bearer) is None:
                return
            game[1].append(action)


def read(service: Service, number: int, games: list[tuple[str, list[str]]]) -> None:
    """Read the newest game and the list again and again."""
    while not service.over.is_set():
        if games:
            service.ask("GET", f"/games/{games[-1][0]}")
        service.ask("GET", "/games")


def start(target: Callable[..., None], *given: object) -> threading.Thread:
    thread = threading.Thread(target=target, args=given, daemon=True)
    thread.start()
    return thread


def test_no_request_fails_and_no_event_is_lost_while_parts_are_restarted(service: Service) -> None:
    games: list[tuple[str, list[str]]] = []
    scribes = [start(record, service, number, games) for number in range(PLAYERS)]
    others = [start(read, service, number, games) for number in range(READERS)]
    with ExitStack() as stack:
        url = f"{service.url}/api/v1/stream?types=action-played&after=start"
        followers = [stack.enter_context(Watcher(url)) for _ in range(FOLLOWERS)]
        for part in service.parts:
            before = service.answered
            deadline = time.monotonic() + PATIENCE
            while service.answered < before + 20:
                assert time.monotonic() < deadline, service.failures
                time.sleep(0.1)
            part.restart()
        service.over.set()
        for thread in (*scribes, *others):
            thread.join(PATIENCE)
        assert service.failures == []
        expected = sum(len(actions) for _, actions in games)
        assert expected > 100
        for follower in followers:
            eventually(partial(follower.has_seen, expected), "every event has come")
            # No connection broke, and each event came once, whichever process sent it.
            assert set(follower.ended) <= {""}
            assert len(follower.seen) == len(set(follower.seen)) == expected
