"""Two clients and one turn: exactly one of them plays it, a thousand times."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
import requests

from notation.registry import find_dialect
from service.player.repository import NewPlayer
from tests.games import recorded
from tests.service.api.live import SILENCE, bearer
from tests.service.redis_server import RedisServer
from tests.service.web_server import WebServer

TURNS = 1000


@pytest.fixture
def processes(redis_server: RedisServer, tmp_path: Path) -> Iterator[WebServer]:
    """Two web processes behind one address, so that no lock of one process helps."""
    with WebServer(redis_server.url, tmp_path, MOVELOG_WEB_WORKERS="2") as running:
        yield running


def turns() -> Iterator[tuple[int, list[str]]]:
    """Recorded games, each with as many of its actions as are still wanted."""
    texts = find_dialect("katruji")
    left = TURNS
    for number, game in enumerate(recorded("katruji")):
        actions = [texts.coordinate(move.action) for move in game.moves][:left]
        left -= len(actions)
        yield number, actions
        if left == 0:
            return
    raise AssertionError("too few actions on record")


@pytest.mark.slow
def test_of_two_clients_at_once_one_plays_the_turn(processes: WebServer) -> None:
    scribe = processes.service.players.register("Ada", None)
    with requests.Session() as one, requests.Session() as two, ThreadPoolExecutor(2) as pool:
        for session in (one, two):
            session.headers.update(bearer(scribe))
        for number, actions in turns():
            path = f"{processes.url}/api/v1/games/{created(processes, scribe, number)}/actions"
            for version, action in enumerate(actions, 1):
                body = {"action": action, "expected_version": version}
                send = partial(requests.Session.post, url=path, json=body, timeout=SILENCE)
                check(list(pool.map(send, (one, two))), version)
            log = one.get(path.replace("/actions", "/events"), timeout=SILENCE).json()["items"]
            played = [e["data"]["action"] for e in log if e["type"] == "action-played/1"]
            assert played == actions


def created(server: WebServer, scribe: NewPlayer, number: int) -> str:
    seats = {"first": {"name": f"A{number}"}, "second": {"name": f"B{number}"}}
    answer = requests.post(
        f"{server.url}/api/v1/games",
        json={"variant": "katruji", "mode": "scribe", "players": seats},
        headers=bearer(scribe),
        timeout=SILENCE,
    )
    return str(answer.json()["id"])


def check(answers: list[requests.Response], version: int) -> None:
    won, lost = sorted(answers, key=lambda answer: answer.status_code)
    assert (won.status_code, lost.status_code) == (200, 409), (won.text, lost.text)
    problem = lost.json()
    assert problem["code"] == "wrong-version"
    assert (problem["expected"], problem["actual"]) == (version, won.json()["version"])
    assert problem["missed"] == won.json()["events"]
