"""Projecting imported records into SQLite, against folding the same records from their texts.

Both read the records from one Redis, in this process, one batch after the other.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.memory import PLIES, import_one
from benchmarks.server import Redis
from benchmarks.turns import Measurement
from service.composition import compose
from service.game.evolve import fold
from service.projection.projector import Projector
from service.settings import read_settings

GAMES = 2000
BATCH = 100


def figures() -> Sequence[Measurement]:
    """Games a second by processor time, and the bytes of a game in the database."""
    with Redis() as store:
        settings = {"MOVELOG_REDIS_URL": store.url, "MOVELOG_DATA_DIR": str(Path(store.folder))}
        service = compose(read_settings(settings))
        for seed in range(GAMES):
            import_one(service, seed)
        streams = list(service.log.streams("game"))
        begun = time.process_time()
        for start in range(0, GAMES, BATCH):
            some = streams[start : start + BATCH]
            for stream, recorded in zip(some, service.log.read_each(some), strict=True):
                fold(stream.id, recorded)
        folded = time.process_time() - begun
        projector = Projector(service.games, service.database)
        begun = time.process_time()
        while projector.step(timeout=0.1):
            pass
        projected = time.process_time() - begun
        # Closing the last connection brings the write-ahead log into the file.
        service.database.close()
        size = service.database.size() / GAMES
    return [
        Measurement(
            f"projecting {GAMES:,} imported games of {PLIES} plies into SQLite, by processor time",
            f"movelog {GAMES / projected:.0f} games/s, {size / 1024:.1f} KiB a game",
            f"reading their texts {GAMES / folded:.0f} games/s",
            folded / projected,
        )
    ]
