"""Two clients play the same turn at once, a thousand times: exactly one of them succeeds."""

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
    """Two web processes behind one address, so that no lock of a process helps."""
    with WebServer(redis_server.url, tmp_path, MOVELOG_WEB_WORKERS="2") as running:
        yield running


def turns() -> Iterator[tuple[int, list[str]]]:
    """Recorded games, each with as many of its actions as are still needed."""
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


@pytest.mark.slow
def test_annotators_at_once_lose_nothing_unseen(processes: WebServer) -> None:
    """With an expected version one annotation wins each time; without, the last writer does."""
    scribe = processes.service.players.register("Ada", None)
    path = f"{processes.url}/api/v1/games/{created(processes, scribe, 0)}"
    with requests.Session() as one, requests.Session() as two, ThreadPoolExecutor(2) as pool:
        for session in (one, two):
            session.headers.update(bearer(scribe))
        played = one.post(f"{path}/actions", json={"action": "Pd1"}, timeout=SILENCE)
        version = played.json()["version"]

        def annotate(session: requests.Session, text: str, **more: int) -> requests.Response:
            note = {"comments": [text], "nags": [1]}
            wish = {"type": "annotate", "ply": 1, "annotation": note, "variations": ["Pd2"]}
            return session.post(f"{path}/commands", json=wish | more, timeout=SILENCE)

        for round in range(50):
            texts = [f"{name} {round}" for name in ("one", "two")]
            known = partial(annotate, expected_version=version)
            check(list(pool.map(known, (one, two), texts)), version)
            version += 1
            answers = list(pool.map(annotate, (one, two), texts))
            assert [answer.status_code for answer in answers] == [200, 200]
            version = max(answer.json()["version"] for answer in answers)
            game = one.get(path, timeout=SILENCE).json()
            log = one.get(f"{path}/events", params={"limit": 1000}, timeout=SILENCE).json()["items"]
            last = [e["data"]["after"] for e in log if e["type"].startswith("action-annotated/")][
                -1
            ]
            assert game["actions"][0]["comments"] == last
            assert game["actions"][0]["variations"] == ["1. Pd2"]
