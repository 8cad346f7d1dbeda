"""Duties are independent: one that is slow or gone holds up no other."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
import requests

from tests.end_to_end.conftest import Start
from tests.end_to_end.running import Running
from tests.service.webhooks.receiver import Receiver, receiving
from tests.stalls import measured_stalls
from tests.waiting import eventually

HOOKS = 20
"""Webhooks of one player, the most that one may have."""
GAMES = 10


@contextmanager
def silent() -> Iterator[str]:
    """The URL of a receiver that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=1000) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"


class Somebody:
    """A player with their own token, who ends games by resigning."""

    def __init__(self, running: Running, name: str) -> None:
        answer = running.post("/players", {"name": name})
        answer.raise_for_status()
        self.running = running
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {answer.json()['token']['secret']}"

    def post(self, path: str, body: dict[str, Any]) -> Any:
        answer = self.session.post(f"{self.running.url}/api/v1{path}", json=body)
        answer.raise_for_status()
        return answer.json()

    def hook(self, url: str) -> None:
        self.post("/webhooks", {"url": url, "events": ["game-finished"]})

    def ended_game(self) -> str:
        """Create and end a game; returns its id."""
        seats = {"first": {"name": "South"}, "second": {"name": "North"}}
        made = self.post("/games", {"variant": "katruji", "mode": "scribe", "players": seats})
        self.post(f"/games/{made['id']}/commands", {"type": "resign", "side": "second"})
        return str(made["id"])


def is_scored(running: Running, id: str) -> bool:
    events = running.get(f"/games/{id}/events", limit=1000)["items"]
    return "game-scored/1" in [event["type"] for event in events]


def has_got(receiver: Receiver, deliveries: int) -> bool:
    return len(receiver.got) >= deliveries


def test_a_player_s_silent_receiver_stops_neither_scoring_nor_others_deliveries(
    start: Start,
) -> None:
    running = start(MOVELOG_PRIVATE_WEBHOOKS="yes")
    mallory, ann = Somebody(running, "Mallory"), Somebody(running, "Ann")
    with silent() as url, receiving() as receiver, measured_stalls() as stalled:
        for _ in range(HOOKS):
            mallory.hook(url)
        ann.hook(receiver.url)
        for _ in range(GAMES):
            mallory.ended_game()
        waits = []
        for number in range(1, GAMES + 1):
            begun = time.monotonic()
            id = ann.ended_game()
            eventually(partial(is_scored, running, id), "the game is scored")
            eventually(partial(has_got, receiver, number), "Ann is told")
            waits.append(time.monotonic() - begun)
        print("seconds until a game is scored and its delivery has arrived:", waits)
        # One after the other, all of Mallory's would take 20 · 10 · 8 seconds.
        queued = running.session.get(f"{running.url}/readyz").json()["duties"]["webhooks"]["queued"]
        assert queued > HOOKS * GAMES / 2
    assert max(waits) < 8 + stalled()


def test_readiness_tells_that_scoring_is_behind(running: Running) -> None:
    somebody = Somebody(running, "Ann")
    scorer = running.pid("scorer")
    os.kill(scorer, signal.SIGSTOP)
    try:
        for _ in range(GAMES):
            somebody.ended_game()

        def scoring() -> Any:
            return running.session.get(f"{running.url}/readyz").json()["duties"]["scoring"]

        eventually(lambda: scoring()["oldest_seconds"] > 1, "the oldest job is told")
        # One job takes many games, although they end one by one.
        assert 1 <= scoring()["queued"] <= 2
    finally:
        os.kill(scorer, signal.SIGCONT)
    eventually(lambda: not scoring()["queued"], "all is scored")
    games = running.games()
    eventually(lambda: all(is_scored(running, game["id"]) for game in games), "all is scored")


@pytest.mark.parametrize("only", ["pairer", "messenger", "importer", "analyst"])
def test_no_other_duty_is_needed_for_scoring(running: Running, only: str) -> None:
    os.kill(running.pid(only), signal.SIGSTOP)
    try:
        id = Somebody(running, "Ann").ended_game()
        eventually(lambda: is_scored(running, id), "the game is scored")
    finally:
        os.kill(running.pid(only), signal.SIGCONT)
