"""What it costs the web process to send a ply to one more watcher, beside an earlier revision.

Many streams for boards follow one game that is played. The cost is the processor time of the web
process for plies that are watched, less that for as many plies that nobody watches.
"""

from __future__ import annotations

import itertools
import selectors
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final

from benchmarks.revisions import check_out
from benchmarks.server import GunicornServer, Redis
from benchmarks.submitting import KeptConnection, long_game, register
from benchmarks.turns import Measurement, measure_in_turn

BASELINE: Final = "ef2f483"
"""The last revision in which each stream read and wrote every ply by itself."""
WATCHERS: Final = 200
PLIES: Final = 20
PATIENCE: Final = 60.0
"""Seconds within which all must have received the ply."""
BAR: Final = 0.25
TOLD: Final = b"event: board\n"


class Watchers:
    """Connections that follow a game, and how many messages each of them has received.

    Each crowd comes from another address, since connections that left may count for a while.
    """

    numbers = itertools.count(2)

    def __init__(self, port: int, game: str, count: int) -> None:
        self.selector = selectors.DefaultSelector()
        self.received: dict[socket.socket, int] = {}
        asked = f"GET /api/v1/games/{game}/stream?view=board HTTP/1.1\r\nHost: bench\r\n\r\n"
        source = (f"127.0.0.{next(self.numbers)}", 0)
        for _ in range(count):
            connection = socket.create_connection(("127.0.0.1", port), source_address=source)
            connection.sendall(asked.encode())
            connection.setblocking(False)
            self.selector.register(connection, selectors.EVENT_READ)
            self.received[connection] = 0

    def wait_for(self, messages: int) -> None:
        """Wait until each has `messages` messages; RuntimeError if that takes too long."""
        deadline = time.monotonic() + PATIENCE
        while any(count < messages for count in self.received.values()):
            if time.monotonic() > deadline:
                raise RuntimeError("not all watchers were told")
            for key, _ in self.selector.select(0.1):
                connection = key.fileobj
                assert isinstance(connection, socket.socket)
                # A message's head comes in one piece, since it is sent in one.
                self.received[connection] += connection.recv(1 << 20).count(TOLD)

    def close(self) -> None:
        """Close all connections."""
        self.selector.close()
        for connection in self.received:
            connection.close()


class WatchedService:
    """A web process, with somebody who plays both sides of games."""

    def __init__(self, web: GunicornServer) -> None:
        self.web = web
        self.scribe = KeptConnection(web.port, register(web.port))
        self.actions = long_game(PLIES, seed=1)

    def measure(self) -> float:
        """Milliseconds of processor time that a watcher of a ply costs."""
        alone, watched = self.play_game(0), self.play_game(WATCHERS)
        return 1000 * (watched - alone) / (WATCHERS * PLIES)

    def play_game(self, watchers: int) -> float:
        """Seconds of processor time for the plies of a game with `watchers` watchers."""
        seats = {"first": {"name": "South"}, "second": {"name": "North"}}
        wish = {"variant": "katruji", "mode": "scribe", "players": seats}
        game = str(self.scribe.post("/api/v1/games", wish)["id"])
        crowd = Watchers(self.web.port, game, watchers)
        crowd.wait_for(1)
        before = self.web.cpu_seconds()
        for ply, action in enumerate(self.actions, 1):
            self.scribe.post(f"/api/v1/games/{game}/actions", {"action": action})
            crowd.wait_for(1 + ply)
        spent = self.web.cpu_seconds() - before
        crowd.close()
        return spent


@contextmanager
def run_both() -> Iterator[Sequence[WatchedService]]:
    """This checkout's service and the baseline's, each with its own store."""
    with ExitStack() as stack:
        folder = stack.enter_context(check_out(BASELINE))
        services = []
        for place in (None, folder):
            store = stack.enter_context(Redis())
            own = "service.operations.gunicorn_settings"
            web = GunicornServer("service.operations.wsgi:app", store, place, own)
            services.append(WatchedService(stack.enter_context(web)))
        yield services


def figures(rounds: int) -> list[Measurement]:
    """Processor time of a delivery, here and at the baseline in turn."""
    with run_both() as (candidate, baseline):
        here, there, ratio = measure_in_turn(
            "watch a game", candidate.measure, baseline.measure, rounds
        )
    return [
        Measurement(
            f"a ply sent to one of {WATCHERS} watchers, against {BASELINE}",
            f"here {here:.3f} ms of the web process's time",
            f"there {there:.3f} ms",
            ratio,
            bar=BAR,
            most=True,
        )
    ]
