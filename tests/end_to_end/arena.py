"""Tournaments of random players on a running service, over HTTP only."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any
from uuid import uuid4

import requests

from service.cli.retries import RETRIES
from tests.end_to_end.running import Running
from tests.waiting import PATIENCE, eventually

CHOICES = {
    "kerd": ("e11", "e2"),
    "kerd-draft": ("e11", "e2"),
}
"""An infiltrator for each side, an enemy Pawn that it can choose in the first position."""
PLIES = {"kerd": 8, "kerd-draft": 8, "kerak": 42, "katruji": 20}
"""A ply limit that ends games early, some of them after captures."""
AT_ONCE = 4
RESIGNS = 0.25
AGREES = 0.1


class Arena:
    """A tournament on a service, with its players' tokens by id."""

    def __init__(self, running: Running, wish: Mapping[str, Any], players: int) -> None:
        self.running = running
        self.variant = str(wish["variant"])
        self.http = requests.Session()
        adapter = requests.adapters.HTTPAdapter(max_retries=RETRIES, pool_maxsize=AT_ONCE)
        self.http.mount("http://", adapter)
        self.tokens: dict[str, str] = {}
        tags = {"PlyLimit": str(PLIES[self.variant])}
        made = self.post("/tournaments", {"tags": tags, **wish}, running.token)
        self.id = str(made["id"])
        for number in range(players):
            name = f"Player{number:02d} {wish['name']}"
            player = self.post("/players", {"name": name}, running.token)
            self.tokens[player["id"]] = player["token"]["secret"]
            self.order("enter", player=player["id"], rating=2400 - 7 * number)

    def post(self, path: str, body: Mapping[str, Any], token: str) -> Any:
        """Post JSON with a token, executed once whatever the retries, and return the answer."""
        headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": str(uuid4())}
        answer = self.http.post(f"{self.running.url}/api/v1{path}", json=body, headers=headers)
        assert answer.ok, f"{path} {body}: {answer.status_code} {answer.text}{self.running.log()}"
        return answer.json()

    def get(self, path: str, token: str | None = None, accept: str | None = None) -> Any:
        """The JSON at a path, or the text if `accept` names another type."""
        headers = {"Accept": accept} if accept else {}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        answer = self.http.get(f"{self.running.url}/api/v1{path}", headers=headers)
        assert answer.ok, f"{path}: {answer.status_code} {answer.text}{self.running.log()}"
        return answer.text if accept else answer.json()

    def about(self, path: str, accept: str | None = None) -> Any:
        """What the service returns at a path of the tournament."""
        return self.get(f"/tournaments/{self.id}{path}", accept=accept)

    def order(self, type: str, **members: Any) -> Any:
        """Send a command as the arbiter."""
        return self.post(
            f"/tournaments/{self.id}/commands", {"type": type, **members}, self.running.token
        )

    def paired(self) -> dict[str, Any]:
        """Pair the next round and return it once its games exist."""
        number = self.order("pair")["number"]
        path = f"/rounds/{number}"
        eventually(lambda: self.about(path)["status"] != "pairing", "the round is ready")
        found: dict[str, Any] = self.about(path)
        return found

    def play_round(self, between: Callable[[int], None]) -> dict[str, Any]:
        """Pair a round and play all its games, calling `between` after each."""
        made = self.paired()
        open_games = [one for one in made["pairings"] if one["game"] and one["result"] == "*"]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for done, _ in enumerate(pool.map(self.play, open_games), 1):
                between(done)
        return self.tallied(made["number"])

    def tallied(self, number: int) -> dict[str, Any]:
        """A round, once all its results are in the standings."""
        deadline = time.monotonic() + PATIENCE
        while True:
            found: dict[str, Any] = self.about(f"/rounds/{number}")
            if found["status"] == "finished":
                return found
            left = [one["game"] for one in found["pairings"] if one["result"] == "*"]
            assert time.monotonic() < deadline, f"{left} not tallied{self.running.log()}"
            time.sleep(0.1)

    def play(self, pairing: Mapping[str, Any]) -> None:
        """Play one game at random until the rules, the ply limit or the players end it."""
        game = pairing["game"]
        random = Random(f"{pairing['round']} {pairing['board']} {self.variant}")
        sides = [self.tokens[pairing[side]["id"]] for side in ("first", "second")]
        for token, choice in zip(sides, CHOICES.get(self.variant, ()), strict=False):
            self.send(game, {"type": "choose", "square": choice}, token)
        short = random.randrange(2, PLIES[self.variant])
        ends = random.random()
        to_act, plies = 0, 0
        while True:
            if plies >= short and ends < RESIGNS:
                self.send(game, {"type": "resign"}, random.choice(sides))
                return
            if plies >= short and ends < RESIGNS + AGREES:
                self.send(game, {"type": "offer-draw"}, sides[0])
                self.send(game, {"type": "accept-draw"}, sides[1])
                return
            legal = self.get(f"/games/{game}/legal", sides[to_act])["actions"]
            action = {"action": random.choice(legal)["action"]}
            standing = self.post(f"/games/{game}/actions", action, sides[to_act])["game"]
            if standing["status"] == "finished":
                return
            to_act = ("first", "second").index(standing["to_act"])
            plies += 1

    def send(self, game: str, command: Mapping[str, Any], token: str) -> Any:
        """Send a command on a game."""
        return self.post(f"/games/{game}/commands", command, token)

    def records(self) -> str:
        """Every game that counts for the tournament, as records."""
        found = self.get(f"/export?tournament={self.id}", accept="application/x-chess-pgn")
        return str(found)


def every(count: int, do: Iterable[Callable[[], None]]) -> Callable[[int], None]:
    """A function that does one more of these things after every `count` games."""
    left = iter(do)

    def between(done: int) -> None:
        if done % count == 0 and (act := next(left, None)) is not None:
            act()

    return between
