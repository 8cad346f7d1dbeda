"""Reads over HTTP: a game, its legal actions and lists, against a bare server with the same bytes.

The service authenticates, applies limits, and asks the log and the lists whether anything has
changed; `benchmarks.bare_bytes` sends bytes that it holds. Both run behind gunicorn with gevent. A
client that polls sends the answer's ETag, and gets the answer that nothing has changed.
"""

from __future__ import annotations

import json
import os
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from benchmarks.bare_bytes import BYTES
from benchmarks.server import GunicornServer, Redis
from benchmarks.submitting import (
    AS_SERVED,
    CLIENTS,
    KeptConnection,
    long_game,
    new_game,
    register,
)
from benchmarks.turns import Measurement, measure_in_turn
from service.composition.projector import list_projections
from service.composition.service import compose
from service.projection.projector import Projector
from service.settings import read_settings

SECONDS = 1.5
GAMES = 8
PLIES = 40
BAR = 0.8


@dataclass(frozen=True, slots=True)
class Question:
    """A read to measure: its name, its paths, and whether the client has the answer's ETag."""

    title: str
    paths: tuple[str, ...]
    polled: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer's status, ETag and body."""

    status: int
    etag: str
    body: bytes


class ReadingClient:
    """A connection that is kept open, and does as little as possible beside reading."""

    def __init__(self, port: int, token: str) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.token = token

    def build(self, path: str, etag: str = "") -> bytes:
        """A request in bytes."""
        known = f"If-None-Match: {etag}\r\n" if etag else ""
        head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n"
        return f"{head}Authorization: Bearer {self.token}\r\n{known}\r\n".encode()

    def ask(self, request: bytes) -> Answer:
        """The answer to a request."""
        self.socket.sendall(request)
        data = b""
        while b"\r\n\r\n" not in data:
            data += self._receive()
        head, _, body = data.partition(b"\r\n\r\n")
        status, *lines = head.decode("latin-1").split("\r\n")
        fields = {
            name.lower(): value for name, _, value in (line.partition(": ") for line in lines)
        }
        while len(body) < int(fields.get("content-length", 0)):
            body += self._receive()
        return Answer(int(status.split()[1]), fields.get("etag", ""), body)

    def _receive(self) -> bytes:
        data = self.socket.recv(1 << 16)
        if not data:
            raise ConnectionError("the server closed the connection")
        return data


def read(client: ReadingClient, requests: list[bytes], status: int, until: float) -> int:
    """Send one request after the other until the time is over; return how many were answered."""
    answered = 0
    while time.perf_counter() < until:
        answer = client.ask(requests[answered % len(requests)])
        if answer.status != status:
            raise RuntimeError(f"{answer.status} {answer.body[:300]!r}")
        answered += 1
    return answered


def measure(clients: list[ReadingClient], requests: list[bytes], status: int) -> float:
    """Requests a second of all clients at once."""
    counts: list[int] = []
    begun = time.perf_counter()
    threads = [
        Thread(
            target=lambda client=client: counts.append(
                read(client, requests, status, begun + SECONDS)
            )
        )
        for client in clients
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(counts) < len(clients):
        raise RuntimeError("a client has failed")
    return sum(counts) / (time.perf_counter() - begun)


def play_games(port: int, token: str) -> list[str]:
    """The paths of games in progress."""
    client = KeptConnection(port, token)
    paths = []
    for seed in range(GAMES):
        path = new_game(client)
        for action in long_game(PLIES, seed):
            client.post(path, {"action": action})
        paths.append(path.removesuffix("/actions"))
    return paths


def list_games(store: Redis) -> None:
    """Bring the lists up to the log."""
    given = {"MOVELOG_REDIS_URL": store.url, "MOVELOG_DATA_DIR": str(Path(store.folder))}
    service = compose(read_settings(given))
    projector = Projector(service.games, service.database, list_projections(service))
    while projector.step(timeout=0.1):
        pass


def figures(rounds: int) -> list[Measurement]:
    """Each read against the bare server: requests a second."""
    with (
        Redis() as store,
        GunicornServer("service.operations.wsgi:app", store, settings=AS_SERVED) as web,
    ):
        token = register(web.port)
        games = play_games(web.port, token)
        list_games(store)
        legal = tuple(f"{path}/legal" for path in games)
        newest = ("/api/v1/games?limit=20",)
        found = ("/api/v1/search?variant=katruji&limit=20",)
        questions = [
            Question("a game", tuple(games)),
            Question("a game's legal actions", legal),
            Question("the newest games", newest),
            Question("a search", found),
            Question("a game, polled", tuple(games), polled=True),
            Question("the newest games, polled", newest, polled=True),
            Question("a search, polled", found, polled=True),
        ]
        ours = [ReadingClient(web.port, token) for _ in range(CLIENTS)]
        answers = {
            path: ours[0].ask(ours[0].build(path)) for each in questions for path in each.paths
        }
        held = Path(store.folder) / "bytes.json"
        held.write_text(json.dumps({path: each.body.decode() for path, each in answers.items()}))
        os.environ[BYTES] = str(held)
        with GunicornServer("benchmarks.bare_bytes:create()", store) as bare:
            theirs = [ReadingClient(bare.port, token) for _ in range(CLIENTS)]
            return [compare(each, answers, ours, theirs, web, bare, rounds) for each in questions]


def compare(
    question: Question,
    answers: dict[str, Answer],
    ours: list[ReadingClient],
    theirs: list[ReadingClient],
    web: GunicornServer,
    bare: GunicornServer,
    rounds: int,
) -> Measurement:
    """One read against the bare server, which answers a poll with all the bytes."""
    whole = [ours[0].build(path) for path in question.paths]
    asked = [
        ours[0].build(path, answers[path].etag if question.polled else "")
        for path in question.paths
    ]
    status = 304 if question.polled and all(answers[p].etag for p in question.paths) else 200
    spent = {"ours": 0.0, "theirs": 0.0}
    counted = {"ours": 0.0, "theirs": 0.0}

    def rate(whose: str, server: GunicornServer, *given: object) -> float:
        before = server.cpu_seconds()
        per_second = measure(*given)  # type: ignore[arg-type]
        spent[whose] += server.cpu_seconds() - before
        counted[whose] += per_second * SECONDS
        return per_second

    mine, other, ratio = measure_in_turn(
        question.title,
        lambda: rate("ours", web, ours, asked, status),
        lambda: rate("theirs", bare, theirs, whole, 200),
        rounds,
    )
    own, others = (1e6 * spent[whose] / counted[whose] for whose in ("ours", "theirs"))
    return Measurement(
        f"{question.title}, {CLIENTS} clients, against bare Flask with the bytes",
        f"movelog {mine:.0f} requests/s, {own:.0f} µs of its processor time each",
        f"bare {other:.0f} requests/s, {others:.0f} µs",
        ratio,
        bar=BAR,
    )
