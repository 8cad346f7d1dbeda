"""Fills a running service over HTTP: players, games, commands."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from typing import Any, Final

import requests

from tests.end_to_end.arena import CHOICES

PATIENCE: Final = 300


class Writer:
    """A client of the service to fill, with players' tokens by id, which sends requests as them."""

    def __init__(self, url: str, admin: str) -> None:
        self.url = url
        self.admin = admin
        self.tokens: dict[str, str] = {}
        self.http = requests.Session()

    def send(self, method: str, path: str, body: object, token: str) -> Any:
        """Send JSON with a token and return the answer."""
        answer = self.http.request(
            method,
            f"{self.url}/api/v1{path}",
            json=body,
            headers={"Authorization": f"Bearer {token}"},
        )
        assert answer.ok, f"{path} {body}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def post(self, path: str, body: object, token: str | None = None) -> Any:
        """Post JSON and return the answer; the admin's token is the default."""
        return self.send("POST", path, body, token or self.admin)

    def player(self, name: str) -> str:
        """Register a player and return their id."""
        made = self.post("/players", {"name": name})
        self.tokens[made["id"]] = made["token"]["secret"]
        return str(made["id"])

    def command(self, game: str, player: str | None = None, **body: object) -> Any:
        """Send a command on a game, as a player or as the admin."""
        token = self.admin if player is None else self.tokens[player]
        return self.post(f"/games/{game}/commands", body, token)

    def challenge(self, variant: str, first: str, second: str, **more: object) -> str:
        """Begin a game between two players and return its id."""
        body = {"variant": variant, "side": "first", "opponent": second, **more}
        game = str(self.post("/games", body, self.tokens[first])["id"])
        self.command(game, second, type="accept")
        return game

    def choose(self, game: str, *players: str) -> None:
        """Make the players' secret choices, the first side's first."""
        for player, square in zip(players, CHOICES["kerd"], strict=False):
            self.command(game, player, type="choose", square=square)

    def play(self, game: str, plies: int) -> None:
        """Play random actions, every third one annotated."""
        random = Random(plies)
        for ply in range(plies):
            about = self.send("GET", f"/games/{game}", None, self.admin)
            if about["status"] != "running":
                return
            token = self.tokens[about["players"][about["to_act"]]["id"]]
            legal = self.send("GET", f"/games/{game}/legal", None, token)["actions"]
            body: dict[str, Any] = {"action": random.choice(legal)["action"]}
            if ply % 3 == 0:
                body["annotation"] = {"comments": ["a thought"], "nags": [1], "clock_ms": 61000}
            self.post(f"/games/{game}/actions", body, token)

    def until(self, holds: Callable[[], bool], what: str) -> None:
        """Wait for the workers, with a timeout."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < deadline, what
            time.sleep(0.2)
