"""What a played game costs while it is hot, and once it is archived."""

from __future__ import annotations

import sqlite3
import statistics
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.memory import ACTOR, GAMES, PLIES
from benchmarks.server import Redis
from benchmarks.submitting import VARIANT, long_game
from benchmarks.turns import Measurement
from service.archive.archiver import Archived, Archiver
from service.archive.directory import FILE
from service.composition.service import Service, compose, now
from service.game.commands import CloseGame, CreateGame, PlayAction
from service.game.repository import stream_of
from service.ids import keyed_digest, new_id
from service.log.values import Receipt
from service.settings import read_settings

READ = 50
"""How many archived games are read, one at a time."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What one game costs.

    `hot` and `left` are bytes in Redis before and after archiving, `cold` and `directory` bytes in
    the object store and the directory. `append` is milliseconds of Redis' processor time for an
    append, `archive` of processor time to archive the game, `read` by the clock to read it there.
    """

    hot: float
    left: float
    cold: float
    directory: float
    append: float
    archive: float
    read: float


def figures() -> list[Measurement]:
    """A game of 80 plies with a receipt for each: hot, and archived."""
    found = measure()
    texts = f"{GAMES} games of {PLIES} plies, each with its receipt"
    return [
        Measurement(
            "a played game in Redis, against the same in the object store",
            f"{found.hot / 1024:.2f} KiB, of which the feed keeps {found.left / 1024:.2f}",
            f"{found.cold / 1024:.2f} KiB, and {found.directory:.0f} bytes of directory ({texts})",
            found.hot / found.cold,
        ),
        Measurement(
            "processor time of Redis for an append, against that of a game's archiving",
            f"{1000 * found.append:.0f} µs",
            f"{found.archive:.2f} ms, Redis included; read in {found.read:.1f} ms by the clock",
            found.append / found.archive,
        ),
    ]


def measure() -> Costs:
    """Play games, archive them and read some."""
    with Redis() as store:
        given = {"MOVELOG_REDIS_URL": store.url, "MOVELOG_DATA_DIR": store.folder}
        service = compose(read_settings(given))
        play(service, 0)
        memory, cpu = store.memory, store.cpu_seconds()
        ids = [play(service, seed) for seed in range(1, GAMES + 1)]
        hot, appending = store.memory - memory, store.cpu_seconds() - cpu
        log = service.log
        begun, cpu = time.process_time(), store.cpu_seconds()
        archiver = Archiver(log.tier, log.archive, now)
        done = sum(archiver.run([stream_of(id) for id in ids]), Archived())
        if done.streams != GAMES:
            raise RuntimeError(f"{done.streams} of {GAMES} games were archived")
        spent = time.process_time() - begun + store.cpu_seconds() - cpu
        left = store.memory - memory
        times = [read(service, id) for id in ids[:READ]]
        appends = GAMES * (PLIES + 2)
        directory = Path(store.folder) / FILE
        with closing(sqlite3.connect(directory)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return Costs(
            hot / GAMES,
            left / GAMES,
            done.bytes / GAMES,
            directory.stat().st_size / GAMES,
            1000 * appending / appends,
            1000 * spent / GAMES,
            1000 * statistics.median(times),
        )


def play(service: Service, seed: int) -> str:
    """Play a game as pages do, each action with an idempotency key; return its id."""
    id = new_id()
    wish = CreateGame(variant=VARIANT, mode="scribe", first=new_id(), second=new_id())
    service.games.create(id, wish, ACTOR)
    for action in long_game(PLIES, seed):
        key = keyed_digest(service.secret, "key", new_id())
        receipt = Receipt(key, keyed_digest(service.secret, "body", action), 200, 0, 0)
        service.games.execute(id, PlayAction(token=action), ACTOR, receipt=receipt)
    service.games.execute(id, CloseGame(), ACTOR)
    return id


def read(service: Service, id: str) -> float:
    """Seconds by the clock to read an archived game's events."""
    begun = time.perf_counter()
    if not service.log.read(stream_of(id)):
        raise RuntimeError(f"{id} is gone")
    return time.perf_counter() - begun
