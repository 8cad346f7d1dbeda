"""Two of each part behind the nginx of `deploy/`, restarted one after the other under load."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import requests

from benchmarks.submitting import long_game
from tests.project.tree import ROOT
from tests.service.operations.nginx import Nginx, find_nginx
from tests.service.operations.parts import PATIENCE, Part, find_free_port
from tests.service.redis_server import RedisServer

pytestmark = pytest.mark.slow

HTTP = """\
    upstream web {{ {web} }}
    upstream streams {{ {streams} }}
    {server}
"""
PLAYERS = 4
READERS = 2
FOLLOWERS = 6


@dataclass(slots=True)
class Service:
    """The parts, and what was seen of them through the proxy."""

    url: str
    parts: list[Part]
    answered: int = 0
    failures: list[str] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def ask(self, method: str, path: str, **sent: object) -> requests.Response | None:
        """The answer to one request on a connection of its own; None, and noted, if it failed."""
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


def name_servers(parts: list[Part], command: str) -> str:
    """The lines of an upstream with all parts of a kind, as docs/operations.md gives them."""
    own = [part for part in parts if part.command == command]
    return " ".join(f"server 127.0.0.1:{part.port} max_fails=0;" for part in own)


@pytest.fixture
def service(redis_process: RedisServer, tmp_path: Path) -> Iterator[Service]:
    """Two of each part, and nginx in front of those that listen."""
    find_nginx()
    with redis_process.client() as client:
        client.flushall()
    port = find_free_port()
    with ExitStack() as stack:
        parts = [
            stack.enter_context(Part(command, redis_process.url, tmp_path))
            for command in ("web", "web", "streams", "streams", "projector", "projector")
        ]
        server = (ROOT / "deploy" / "nginx.conf").read_text().replace("listen 80", f"listen {port}")
        server = server.replace("//web:8320", "//web").replace("//streams:8320", "//streams")
        http = HTTP.format(
            web=name_servers(parts, "web"),
            streams=name_servers(parts, "streams"),
            server=server,
        )
        nginx = Nginx(tmp_path, http, port)
        stack.callback(nginx.close)
        yield Service(f"http://127.0.0.1:{port}", parts)
    for part in parts:
        assert part.port is None or part.log() == ""


def record(service: Service, number: int, games: list[tuple[str, list[str]]]) -> None:
    """Submit the actions of a game, and of another one when that is over."""
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


def follow(service: Service, seen: list[str], last: list[int]) -> None:
    """Follow all games as a program does that resumes where a stream has ended."""
    position = "start"
    while not service.over.is_set() or len(seen) < last[0]:
        try:
            with requests.get(
                f"{service.url}/api/v1/stream?types=action-played&after={position}",
                stream=True,
                timeout=PATIENCE,
            ) as stream:
                if stream.status_code != 200:
                    service.failures.append(f"stream: {stream.status_code} {stream.text[:200]}")
                    return
                service.answered += 1
                waiting = ""
                for line in stream.iter_lines(None, decode_unicode=True):
                    name, _, value = line.partition(": ")
                    if name == "id":
                        waiting = value
                    elif name == "data" and '"action":"' in value:
                        seen.append(value)
                    elif not line and waiting:
                        # A message is complete with the empty line behind it.
                        position, waiting = waiting, ""
                    if service.over.is_set() and len(seen) >= last[0]:
                        return
        except requests.RequestException as error:
            service.failures.append(f"stream: {error}")
            return


def start(target: Callable[..., None], *given: object) -> threading.Thread:
    thread = threading.Thread(target=target, args=given, daemon=True)
    thread.start()
    return thread


def test_no_request_fails_and_no_event_is_lost_while_parts_are_restarted(service: Service) -> None:
    games: list[tuple[str, list[str]]] = []
    followed: list[list[str]] = [[] for _ in range(FOLLOWERS)]
    expected = [1 << 60]
    scribes = [start(record, service, number, games) for number in range(PLAYERS)]
    others = [start(read, service, number, games) for number in range(READERS)]
    followers = [start(follow, service, seen, expected) for seen in followed]
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
    expected[0] = sum(len(actions) for _, actions in games)
    assert expected[0] > 100
    for thread in followers:
        thread.join(PATIENCE)
    assert service.failures == []
    for seen in followed:
        # Each event once, whichever process has told of it.
        assert len(seen) == len(set(seen)) == expected[0]
