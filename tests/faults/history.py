"""What clients asked of a service and what they were told, in the order in which they saw it."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any


class Outcome(StrEnum):
    """How a write ended for its client."""

    ACKNOWLEDGED = "acknowledged"
    """Answered with success: it has happened, exactly once, and stays."""
    UNKNOWN = "unknown"
    """Given up without an answer: it has happened once, or not at all."""


@dataclass(frozen=True, slots=True)
class Write:
    """A request that changes a game, sent as often as needed under one idempotency key.

    `events` are the events of the answer, as (version, type, data); `attempts` counts requests.
    """

    game: str
    key: str
    body: Mapping[str, Any]
    outcome: Outcome
    events: Sequence[tuple[int, str, Mapping[str, Any]]] = ()
    attempts: int = 1


@dataclass(frozen=True, slots=True)
class Read:
    """A game as it was read: the version the answer told, and the newest one this client knew."""

    game: str
    version: int
    known: int


@dataclass(slots=True)
class GameHistory:
    """One game as its only writer saw it, and what a watcher of its stream was sent."""

    id: str
    writes: list[Write] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    watched: list[int] = field(default_factory=list)
    ended: bool = False


class History:
    """Everything that clients saw; they add to it from threads of their own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.games: dict[str, GameHistory] = {}
        self.lost_creations = 0
        """Games whose creation was given up without an answer: each may be there or not."""

    def add_game(self, id: str) -> GameHistory:
        """A new game, whose creation was acknowledged."""
        with self._lock:
            assert id not in self.games, f"game {id} was created for two clients"
            game = self.games[id] = GameHistory(id)
        return game

    def lose_creation(self) -> None:
        """A creation was given up without an answer."""
        with self._lock:
            self.lost_creations += 1

    def acknowledged(self) -> int:
        """How many writes were acknowledged."""
        with self._lock:
            games = list(self.games.values())
        return sum(w.outcome is Outcome.ACKNOWLEDGED for game in games for w in list(game.writes))

    def save(self, file: Path) -> None:
        """Write it down as lines of JSON, for whoever has to find out what went wrong."""
        with file.open("w") as stream:
            for game in self.games.values():
                for write in game.writes:
                    line = {
                        "game": game.id,
                        "key": write.key,
                        "body": dict(write.body),
                        "outcome": write.outcome,
                        "versions": [version for version, _, _ in write.events],
                        "attempts": write.attempts,
                    }
                    stream.write(json.dumps(line) + "\n")
