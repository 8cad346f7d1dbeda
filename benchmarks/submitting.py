"""Submitting actions over HTTP: rate and latency against a bare server, and late moves in a game.

The service authenticates, applies limits, decides and appends; `benchmarks.bare` only reads the
body and appends. Both run behind gunicorn with gevent on the same Redis, which syncs every write.
"""

from __future__ import annotations

import http.client
import json
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from threading import Thread

from benchmarks.server import GunicornServer, Redis
from benchmarks.turns import Measurement, measure_in_turn
from engine.position import Action, Position
from engine.registry import find_variant
from notation.registry import find_dialect

CLIENTS = 8
SECONDS = 2.0
VARIANT = "katruji"
AS_SERVED = "service.operations.gunicorn_settings"
"""The settings that `movelog serve` starts its web process with."""
EARLY, LATE = 10, 400
Tasks = Iterator[tuple[str, str]]
"""Paths and the actions to post to them."""


@dataclass(slots=True)
class RequestTimes:
    """The seconds that each answered request took."""

    seconds: list[float]

    def rate(self, elapsed: float) -> float:
        """Requests a second."""
        return len(self.seconds) / elapsed

    def p99(self) -> float:
        """The 99th percentile in milliseconds."""
        return 1000 * statistics.quantiles(self.seconds, n=100)[98]


class KeptConnection:
    """One connection that is kept open."""

    def __init__(self, port: int, token: str = "") -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port)
        self.headers = {"Content-Type": "application/json"}
        if token:
            self.headers["Authorization"] = f"Bearer {token}"

    def post(self, path: str, body: object) -> dict[str, object]:
        """The answer to a request; RuntimeError for anything but success."""
        self.connection.request("POST", path, json.dumps(body), self.headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{answer.status} {text[:300]!r}")
        return dict(json.loads(text))


def long_game(plies: int, seed: int) -> list[str]:
    """A game of `plies` actions in coordinate form: random, but without captures where possible."""
    texts = find_dialect(VARIANT)
    random = Random(seed)
    while True:
        position = find_variant(VARIANT).start()
        actions: list[str] = []
        while len(actions) < plies and (action := quiet_move(position, random)):
            actions.append(texts.coordinate(action))
            position.play(action)
        if len(actions) == plies:
            return actions


def quiet_move(position: Position, random: Random) -> Action | None:
    """A random action that passes the turn and wins no points, or any where there is none."""
    legal = position.legal()
    random.shuffle(legal)
    for action in legal:
        position.make(action)
        side, points, over = position.side, position.points(), position.outcome()
        position.unmake()
        if side != position.side and points == position.points() and over is None:
            return action
    return legal[0] if legal else None


def register(port: int) -> str:
    """A new player's token."""
    client = KeptConnection(port)
    made = client.post("/api/v1/players", {"name": "Bench"})
    client.connection.close()
    token = made["token"]
    assert isinstance(token, dict)
    return str(token["secret"])


def new_game(client: KeptConnection) -> str:
    """The path of a new game that the client keeps score of."""
    seats = {"first": {"name": "South"}, "second": {"name": "North"}}
    made = client.post("/api/v1/games", {"variant": VARIANT, "mode": "scribe", "players": seats})
    return f"/api/v1/games/{made['id']}/actions"


def play(client: KeptConnection, tasks: Tasks, tally: RequestTimes, until: float) -> None:
    """Submit actions until the time `until`."""
    while time.perf_counter() < until:
        path, action = next(tasks)
        begun = time.perf_counter()
        client.post(path, {"action": action})
        tally.seconds.append(time.perf_counter() - begun)


def measure(clients: list[KeptConnection], tasks: list[Tasks]) -> tuple[float, float]:
    """Requests a second and p99 in milliseconds of all clients at once."""
    tally = RequestTimes([])
    begun = time.perf_counter()
    threads = [
        Thread(target=play, args=(client, task, tally, begun + SECONDS))
        for client, task in zip(clients, tasks, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return tally.rate(time.perf_counter() - begun), tally.p99()


def service_tasks(client: KeptConnection, seed: int) -> Tasks:
    """Games one after the other, created between the measured requests."""
    game = long_game(100, seed)
    while True:
        path = new_game(client)
        for action in game:
            yield path, action


def bare_tasks(seed: int) -> Tasks:
    """The same requests for the bare server."""
    game = long_game(100, seed)
    number = 0
    while True:
        number += 1
        for action in game:
            yield f"/api/v1/games/{seed}-{number}/actions", action


def rates(rounds: int) -> list[Measurement]:
    """The service against the bare server: requests a second and p99."""
    with (
        Redis() as store,
        GunicornServer("service.operations.wsgi:app", store, settings=AS_SERVED) as web,
        GunicornServer("benchmarks.bare:app", store) as bare,
    ):
        token = register(web.port)
        ours = [KeptConnection(web.port, token) for _ in range(CLIENTS)]
        # Both get the same requests, with the token, though the bare server ignores it.
        theirs = [KeptConnection(bare.port, token) for _ in range(CLIENTS)]
        our_tasks = [service_tasks(client, seed) for seed, client in enumerate(ours)]
        their_tasks = [bare_tasks(seed) for seed in range(CLIENTS)]
        p99s: dict[str, list[float]] = {"ours": [], "theirs": []}

        def rate(whose: str, clients: list[KeptConnection], tasks: list[Tasks]) -> float:
            per_second, p99 = measure(clients, tasks)
            p99s[whose].append(p99)
            return per_second

        mine, bare_rate, ratio = measure_in_turn(
            "submit an action",
            lambda: rate("ours", ours, our_tasks),
            lambda: rate("theirs", theirs, their_tasks),
            rounds,
        )
        p99 = statistics.median(p99s["ours"])
        bare_p99 = statistics.median(p99s["theirs"])
    return [
        Measurement(
            f"submit an action, {CLIENTS} clients, against bare Flask + EVALSHA + one schema",
            f"movelog {mine:.0f} requests/s, p99 {p99:.1f} ms",
            f"bare {bare_rate:.0f} requests/s, p99 {bare_p99:.1f} ms",
            ratio,
            bar=0.75,
        ),
        Measurement(
            "the same: p99 against the bare server's",
            f"movelog {p99:.1f} ms",
            f"bare {bare_p99:.1f} ms",
            p99 / bare_p99,
            bar=1.5,
            most=True,
        ),
    ]


def late_moves(games: int) -> Measurement:
    """The cost of a move at ply 400 against ply 10, in turn over many games."""
    with Redis() as store, GunicornServer("service.operations.wsgi:app", store) as web:
        client = KeptConnection(web.port, register(web.port))
        actions = long_game(LATE + 20, seed=7)
        late_path = new_game(client)
        early, late = [], []
        for action in actions[:LATE]:
            client.post(late_path, {"action": action})
        late_paths = [late_path]
        while len(late_paths) < games:
            path = new_game(client)
            for action in actions[:LATE]:
                client.post(path, {"action": action})
            late_paths.append(path)
        for path in late_paths:
            fresh = new_game(client)
            for action in actions[:EARLY]:
                client.post(fresh, {"action": action})
            for offset in range(20):
                early.append(timed(client, fresh, actions[EARLY + offset]))
                late.append(timed(client, path, actions[LATE + offset]))
    first, then = statistics.median(early), statistics.median(late)
    return Measurement(
        f"a move at ply {LATE} against one at ply {EARLY}",
        f"ply {LATE}: {1000 * then:.2f} ms",
        f"ply {EARLY}: {1000 * first:.2f} ms",
        then / first,
        bar=1.3,
        most=True,
    )


def timed(client: KeptConnection, path: str, action: str) -> float:
    """Seconds that one action takes."""
    begun = time.perf_counter()
    client.post(path, {"action": action})
    return time.perf_counter() - begun
