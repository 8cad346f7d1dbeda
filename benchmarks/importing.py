"""Importing a file through the service against reading and judging it offline.

The import is complete: the file is uploaded over HTTP, a worker process carries it out and appends
to a Redis that syncs every write, while a projector lists the games. Offline is
`notation.reader.read` over the same file in one process.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

from benchmarks.server import ROOT, GunicornServer, Redis
from benchmarks.submitting import register
from benchmarks.turns import Measurement
from engine.registry import VARIANTS
from notation.reader import read

RECORDS = ROOT / "tests" / "data" / "records"
GAMES = 1000
BAR = 0.8
ROUND = re.compile(r'\[Round "')


def archive(path: Path, salt: int) -> Path:
    """A file of GAMES games of all variants: the recorded ones, repeated under other names."""
    texts = [(RECORDS / f"{name}.pgn").read_text() for name in VARIANTS]
    games = [f"[Event {part}".rstrip() for text in texts for part in text.split("[Event ")[1:]]
    with path.open("w") as file:
        for index in range(GAMES):
            again, which = divmod(index, len(games))
            file.write(ROUND.sub(f'[Round "{salt}.{again}.', games[which], count=1) + "\n\n")
    return path


def offline(file: Path) -> float:
    """Games a second, read and judged."""
    begun = time.perf_counter()
    with file.open("rb") as stream:
        count = sum(verdict.error is None for verdict in read(stream))
    if count != GAMES:
        raise RuntimeError(f"{count} of {GAMES} games are good")
    return count / (time.perf_counter() - begun)


def through_service(port: int, token: str, file: Path) -> float:
    """Games a second, from the upload to the import's end."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/x-chess-pgn"}
    connection = HTTPConnection("127.0.0.1", port)
    begun = time.perf_counter()
    connection.request("POST", "/api/v1/imports", file.read_bytes(), headers)
    made = json.loads(connection.getresponse().read())
    while made["state"] in ("queued", "running"):
        time.sleep(0.05)
        connection.request("GET", f"/api/v1/imports/{made['id']}", headers=headers)
        made = json.loads(connection.getresponse().read())
    if made["counts"] != {"accepted": GAMES}:
        raise RuntimeError(f"not all was taken in: {made}")
    return GAMES / (time.perf_counter() - begun)


@contextmanager
def program(store: Redis, *command: str) -> Iterator[int]:
    """Run a part of the service beside the web process; yields its process id."""
    own = {"MOVELOG_REDIS_URL": store.url, "MOVELOG_DATA_DIR": store.folder}
    process = subprocess.Popen([sys.executable, "-m", *command], env=os.environ | own, cwd=ROOT)
    try:
        yield process.pid
    finally:
        # A projector that is far behind would finish its batch first: do not wait for that here.
        process.kill()
        process.wait()


def figures(rounds: int) -> Sequence[Measurement]:
    """The service against the offline reader, in turn."""
    pairs = []
    with (
        Redis() as store,
        GunicornServer("service.operations.wsgi:app", store) as web,
        program(store, "workers", "imports"),
        program(store, "service.cli", "projector"),
    ):
        token = register(web.port)
        for salt in range(rounds):
            file = archive(Path(store.folder) / "archive.pgn", salt)
            pairs.append((through_service(web.port, token, file), offline(file)))
    ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
    return [
        Measurement(
            f"import {GAMES} games of all variants through the service, against reading them",
            f"movelog {ours:.0f} games/s, uploaded, judged, written anew and stored",
            f"offline reader {theirs:.0f} games/s, judged",
            statistics.median(one / other for one, other in pairs),
            bar=BAR,
        )
    ]
