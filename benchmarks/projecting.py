"""Projecting imported games: handed over by their importer, and read from the log.

    python -m benchmarks projecting                 into SQLite, in a temporary folder
    python -m benchmarks.projecting VARIANT URL     into an empty database in PostgreSQL

Games of a variant are imported in batches; of every two, the importer hands over one. Both go into
the same database, in turn. SQLite works in the process that projects, so its processor time is
measured, since the machine may have other work. PostgreSQL is measured by the clock.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from io import StringIO
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from random import Random

from benchmarks.server import Redis
from benchmarks.turns import Measurement, progress
from engine.random_play import random_play
from notation.game import Game, Move
from notation.registry import find_dialect
from notation.section import split_sections
from notation.writer import write
from service.composition.projector import compose_projector
from service.composition.service import Service, compose
from service.imports.events import ImportBegun
from service.imports.parsing import ParsedRecord, parse_sections
from service.imports.state import ImportMode, ImportState
from service.jobs.queue import JobQueue
from service.operations.parent_death import die_with
from service.projection.games.play import PositionIndex
from service.projection.projector import Projector
from service.settings import read_settings
from workers.record_importer import Importer

GAMES = 1200
BATCH = 100
PLIES = 80
OPENING = 8
OPENINGS = 200
VARIANTS = ("katruji", "kerak", "kerd")
IDLE = 600
BESIDE = 400
"""Imported games a second that the projector has to process, alone and beside an import."""


def figures() -> Iterator[Measurement]:
    """Imported games a second by processor time, alone and beside an import."""
    for beside in (False, True):
        for variant in VARIANTS:
            yield from measure(variant, beside=beside)


def measure(variant: str, *, beside: bool, url: str = "") -> Iterator[Measurement]:
    """Project games of a variant, in turn ones that were handed over and ones that were not."""
    clock = time.perf_counter if url else time.process_time
    spent = {True: 0.0, False: 0.0}
    with Redis() as store:
        settings = {"MOVELOG_REDIS_URL": store.url, "MOVELOG_DATA_DIR": store.folder}
        service = compose(read_settings(settings | {"MOVELOG_DATABASE_URL": url}))
        service.handover.prepare()
        projector = compose_projector(service, JobQueue(service.jobs, service.store))
        with importing(variant) if beside else nullcontext():
            for start in progress(range(0, GAMES, BATCH), f"projecting {variant}"):
                is_handed = start // BATCH % 2 == 0
                take_in(service, make_text(variant, start), start, is_handed=is_handed)
                spent[is_handed] += project(projector, clock)
        service.database.close()
        size = service.database.size() / GAMES / 1024
    into = "PostgreSQL, by the clock," if url else "SQLite, by processor time,"
    where = "beside an import" if beside else "alone"
    least = BESIDE if beside else IDLE
    for is_handed, way in ((True, "handed over"), (False, "read from the log")):
        rate = GAMES / 2 / spent[is_handed]
        yield Measurement(
            f"{GAMES // 2:,} imported {variant} games projected into {into} {where}, {way}",
            f"{rate:.0f} games/s",
            f"wanted {least}; {size:.1f} KiB a game",
            rate / least,
            bar=None if url else 1.0,
        )


def project(projector: Projector, clock: Callable[[], float]) -> float:
    """Seconds of a clock until all is projected."""
    spent = 0.0
    while True:
        begun = clock()
        if not projector.step(timeout=0.1):
            # It only waited for more.
            return spent
        spent += clock() - begun


def take_in(service: Service, text: str, start: int, *, is_handed: bool) -> None:
    """Import a batch of records like a worker."""
    found = parse(text, is_handed=is_handed)
    begun = ImportBegun(mode=ImportMode.AS_PLAYED, size=1, sha256="0" * 64, packing="none")
    state = ImportState("i" * 16, "p" * 16, 0, begun)
    verdicts = Importer(service, state, lambda: None).import_records(found, start + 1)
    if any(verdict["status"] != "accepted" for verdict in verdicts):
        raise RuntimeError(f"not all was taken in: {verdicts[:3]}")


def parse(text: str, *, is_handed: bool) -> list[ParsedRecord]:
    """The records in a text, indexed if they are to be handed over."""
    listen = PositionIndex if is_handed else None
    return parse_sections(list(split_sections(StringIO(text))), listen)


def make_text(variant: str, start: int) -> str:
    """A batch of records."""
    return "\n".join(write(random_game(variant, seed)) for seed in range(start, start + BATCH))


def random_game(variant: str, seed: int) -> Game:
    """A record of random play whose first plies come from a few openings."""
    texts = find_dialect(variant)
    position = texts.start({})
    moves = [
        Move(action)
        for random, plies in ((Random(seed % OPENINGS), OPENING), (Random(seed), PLIES - OPENING))
        for action, _ in random_play(position, random, plies)
    ]
    outcome = position.outcome()
    result = outcome.result if outcome else "*"
    first, second = texts.variant.sides
    tags = {
        "Event": f"Event {seed // 50}",
        "Date": "1999.12.31",
        "Round": str(seed),
        first: f"Player {seed % 100}",
        second: f"Opponent {seed % 97}",
        f"{first}Elo": str(1200 + seed % 1200),
        f"{second}Elo": str(1300 + seed % 1000),
    }
    return Game(variant, tags, tuple(moves), result)


@contextmanager
def importing(variant: str) -> Iterator[None]:
    """A process that meanwhile keeps importing the same games into another service."""
    context = get_context("spawn")
    over = context.Event()
    process = context.Process(target=import_on_and_on, args=(variant, over, os.getpid()))
    process.start()
    try:
        yield
    finally:
        over.set()
        process.join()


def import_on_and_on(variant: str, over: Event, parent: int) -> None:
    """Import batch after batch, into its own Redis, until `over` is set or the parent dies."""
    die_with(parent)()
    with Redis() as store:
        settings = {"MOVELOG_REDIS_URL": store.url, "MOVELOG_DATA_DIR": store.folder}
        service = compose(read_settings(settings))
        service.handover.prepare()
        text = make_text(variant, 0)
        start = 0
        while not over.is_set():
            fresh = text.replace('[Round "', f'[Round "{start}.')
            take_in(service, fresh, start, is_handed=True)
            start += BATCH


if __name__ == "__main__":
    print(*measure(sys.argv[1], beside=False, url=sys.argv[2]), sep="\n")
