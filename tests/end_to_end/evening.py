"""An evening of games on clocks at a running service: simulated clients with random lag."""

from __future__ import annotations

import heapq
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from threading import Condition, Thread
from typing import Any
from uuid import uuid4

import requests

from engine.position import Position
from notation.registry import find_dialect
from service.game.importing import first_position
from tests.end_to_end.running import Running
from tests.waiting import PATIENCE

AT_ONCE = 12
RETRY = 0.3
"""Seconds before an unanswered request is sent again."""
OVER = ("not-running", "time-is-up")
LAG = 0.7
"""The longest lag of a client in seconds, more than is compensated."""


@dataclass(order=True)
class Turn:
    """A client's next request, with its time and idempotency key."""

    at: float
    number: int
    game: Game = field(compare=False)
    body: dict[str, Any] = field(compare=False)
    key: str = field(compare=False)


@dataclass
class Game:
    """One game as its clients see it; `lags` are those stated with the accepted actions."""

    id: str
    variant: str
    tokens: tuple[str, str]
    position: Position
    lags: list[int] = field(default_factory=list)
    over: bool = False


class Evening:
    """Games played at the same time, until a time after which nobody acts any more."""

    def __init__(self, running: Running, control: str, think: float, random: Random) -> None:
        self.running = running
        self.control = control
        self.think = think
        self.random = random
        self.games: list[Game] = []
        self.changed = Condition()
        self.turns: list[Turn] = []
        self.number = 0
        self.ends_at = float("inf")
        self.unexpected: list[str] = []

    def seat(self, count: int, variants: Sequence[str], players: int = 40) -> None:
        """Begin this many games among this many players."""
        tokens = {}
        for number in range(players):
            made = self.running.post("/players", {"name": f"Guest {number}"}).json()
            tokens[made["id"]] = made["token"]["secret"]
        ids = list(tokens)
        for number in range(count):
            first, second = self.random.sample(ids, 2)
            variant = variants[number % len(variants)]
            wish = {
                "variant": variant,
                "mode": "arbiter",
                "players": {"first": {"id": first}, "second": {"id": second}},
                "time_control": self.control,
            }
            answer = self.running.post("/games", wish)
            assert answer.status_code == 201, answer.text
            seats = (tokens[first], tokens[second])
            position = first_position(variant, None, {})
            self.games.append(Game(answer.json()["id"], variant, seats, position))

    def play(self, seconds: float) -> None:
        """Let everybody play for some seconds; after that, clocks run but nobody acts."""
        self.ends_at = time.monotonic() + seconds
        for game in self.games:
            self.plan(game)
        threads = [Thread(target=self.act, daemon=True) for _ in range(AT_ONCE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(seconds + PATIENCE)
            assert not thread.is_alive(), f"{thread.name} never ended"

    def plan(self, game: Game) -> None:
        """Schedule the next action after thinking time and lag."""
        legal = game.position.legal()
        if not legal:
            game.over = True
            return
        lag = self.random.random() * LAG
        texts = find_dialect(game.variant)
        body = {
            "action": texts.coordinate(self.random.choice(legal)),
            "lag_ms": int(lag * 1000),
        }
        at = time.monotonic() + self.random.expovariate(1 / self.think) + lag
        with self.changed:
            self.number += 1
            heapq.heappush(self.turns, Turn(at, self.number, game, body, str(uuid4())))
            self.changed.notify()

    def act(self) -> None:
        """Send actions as they fall due, until the evening is over."""
        with requests.Session() as session:
            while (turn := self.take()) is not None:
                self.send(session, turn)

    def take(self) -> Turn | None:
        """Wait for the next due turn; None when the evening is over."""
        with self.changed:
            while (now := time.monotonic()) < self.ends_at:
                if self.turns and self.turns[0].at <= now:
                    return heapq.heappop(self.turns)
                until = min(self.turns[0].at if self.turns else now + 0.5, self.ends_at)
                self.changed.wait(min(0.5, max(0.001, until - now)))
        return None

    def send(self, session: requests.Session, turn: Turn) -> None:
        """Send one action; without an answer, send it again later with the same key."""
        game = turn.game
        headers = {
            "Authorization": f"Bearer {game.tokens[game.position.side]}",
            "Idempotency-Key": turn.key,
        }
        try:
            answer = session.post(
                f"{self.running.url}/api/v1/games/{game.id}/actions",
                json=turn.body,
                headers=headers,
                timeout=PATIENCE / 6,
            )
        except requests.RequestException:
            self.put_off(turn)
            return
        if answer.status_code == 200:
            self.follow(game, turn)
        elif answer.status_code >= 500 or answer.status_code == 429:
            self.put_off(turn)
        elif answer.status_code == 409 and answer.json()["code"] in OVER:
            game.over = True
        else:
            self.unexpected.append(answer.text)

    def put_off(self, turn: Turn) -> None:
        """Schedule a turn again in a moment."""
        turn.at = time.monotonic() + RETRY
        with self.changed:
            heapq.heappush(self.turns, turn)

    def follow(self, game: Game, turn: Turn) -> None:
        """Play an accepted action on the clients' own board."""
        game.lags.append(turn.body["lag_ms"])
        texts = find_dialect(game.variant)
        game.position.play(texts.resolve(game.position, turn.body["action"]))
        self.plan(game)
