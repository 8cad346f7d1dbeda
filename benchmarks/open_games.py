"""Games in progress in a service to measure, and the requests of their scribe."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Final

from benchmarks.acting import post_lines
from benchmarks.crowd import ask, build, connect
from benchmarks.server import GunicornServer, Redis
from benchmarks.submitting import AS_SERVED, VARIANT, long_game, register
from benchmarks.turns import progress

PATH: Final = "/api/v1/games"
LINES: Final = 500
"""How many actions a request that prepares games has."""
MAKERS: Final = 8
"""How many clients create games."""
LONGEST: Final = 3_000
"""The most plies that a game may have."""


@dataclass(slots=True)
class OpenGame:
    """A game in progress: its id, and how many actions were played."""

    id: str
    ply: int = 0


class Running:
    """A running service, and the token of the scribe of all games there."""

    def __init__(self, store: Redis, web: GunicornServer) -> None:
        self.store = store
        self.web = web
        self.token = register(web.port)
        self._numbers = itertools.count()

    def act(self, game: OpenGame) -> bytes:
        """The request that plays a game's next action."""
        body = json.dumps({"action": list_actions()[game.ply]})
        game.ply += 1
        return build(self.token, "POST", f"{PATH}/{game.id}/actions", body)

    def read(self, game: OpenGame, accept: str = "application/json") -> bytes:
        """The request for a game."""
        return build(self.token, "GET", f"{PATH}/{game.id}", accept=accept)

    def read_anew(self, game: OpenGame) -> bytes:
        """A request for a game that was never sent before, so that its answer is not cached."""
        return self.read(game).replace(b"\r\n", b"\r\nX-Number: %d\r\n" % next(self._numbers), 1)

    def create(self, count: int, plies: int = 0) -> list[OpenGame]:
        """Create `count` games of `plies` plies."""
        seats = {"first": {"name": "South"}, "second": {"name": "North"}}
        body = json.dumps({"variant": VARIANT, "mode": "scribe", "players": seats})
        requests = itertools.repeat(build(self.token, "POST", PATH, body), count)
        made: list[OpenGame] = []
        with connect(self.web.port, MAKERS) as clients:
            ask(clients, [requests] * MAKERS, hear=lambda body: made.append(read_game(body)))
        self._play(made, plies)
        return made

    def _play(self, games: Sequence[OpenGame], plies: int) -> None:
        lines = []
        for game in progress(games, f"games of {plies} plies"):
            for ply in range(plies):
                action = list_actions()[ply]
                lines.append({"game": game.id, "action": action, "key": f"{game.id}{ply}"})
                if len(lines) == LINES:
                    post_lines(self.web.port, self.token, lines)
                    lines.clear()
            game.ply = plies
        if lines:
            post_lines(self.web.port, self.token, lines)


@cache
def list_actions() -> Sequence[str]:
    """The actions of all games here, more than any of them will have."""
    return long_game(LONGEST, seed=1)


def read_game(body: bytes) -> OpenGame:
    """A game that was created."""
    return OpenGame(str(json.loads(body)["id"]))


@contextmanager
def run_service() -> Iterator[Running]:
    """A service without games."""
    with (
        Redis() as store,
        GunicornServer("service.operations.wsgi:app", store, settings=AS_SERVED) as web,
    ):
        yield Running(store, web)
