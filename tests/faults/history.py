"""What clients requested of a service and how it answered, in the order in which they saw it."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any


class Outcome(StrEnum):
    """The result of a write as its client knows it."""

    ACKNOWLEDGED = "acknowledged"
    """Answered with success: it happened exactly once, and stays."""
    UNKNOWN = "unknown"
    """Given up without an answer: it happened once, or not at all."""


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
    """A read of a game: the version returned, and the newest one that the client already knew."""

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
    """Everything that clients saw; each adds to it from its own thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.games: dict[str, GameHistory] = {}
        self.lost_creations = 0
        """Creations given up without an answer: each such game may exist or not."""

    def add_game(self, id: str) -> GameHistory:
        """Add a game whose creation was acknowledged."""
        with self._lock:
            assert id not in self.games, f"game {id} was created for two clients"
            game = self.games[id] = GameHistory(id)
        return game

    def lose_creation(self) -> None:
        """Note a creation that was given up without an answer."""
        with self._lock:
            self.lost_creations += 1

    def acknowledged(self) -> int:
        """The number of acknowledged writes."""
        with self._lock:
            games = list(self.games.values())
        return sum(w.outcome is Outcome.ACKNOWLEDGED for game in games for w in list(game.writes))

    def save(self, file: Path) -> None:
        """Write the history to a file as lines of JSON, for finding out what went wrong."""
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
