"""Projecting imported games into SQLite: handed over by their importer, and read from the log.

By processor time of the process that projects, since others may be at work on the machine. Games
of a variant are imported in batches; of each two, the importer hands one over and not the other.
Both go into the same database, in turn.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
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
from service.composition import Service, compose
from service.imports.events import ImportBegun
from service.imports.parsing import ParsedRecord, parse_sections
from service.imports.state import ImportMode, ImportState
from service.jobs.queue import JobQueue
from service.operations.parent_death import die_with
from service.projection.games.play import PositionIndex
from service.projection.projector import Projector
from service.projector_composition import compose_projector
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
"""Imported games a second that the projector has to get through, by itself and beside an import."""


def figures() -> Iterator[Measurement]:
    """Imported games a second by processor time, alone and beside an import."""
    for beside in (False, True):
        for variant in VARIANTS:
            yield measure(variant, beside=beside)


def measure(variant: str, *, beside: bool) -> Measurement:
    """Project games of a variant that were handed over, and others that were not, in turn."""
    spent = {True: 0.0, False: 0.0}
    with Redis() as store:
        settings = {"MOVELOG_REDIS_URL": store.url, "MOVELOG_DATA_DIR": store.folder}
        service = compose(read_settings(settings))
        service.handover.prepare()
        projector = compose_projector(service, JobQueue(service.jobs, service.store))
        with importing(variant) if beside else nullcontext():
            for start in progress(range(0, GAMES, BATCH), f"projecting {variant}"):
                is_handed = start // BATCH % 2 == 0
                take_in(service, make_text(variant, start), start, is_handed=is_handed)
                spent[is_handed] += project(projector)
        service.database.close()
        size = service.database.size() / GAMES / 1024
    handed, read = (GAMES / 2 / spent[way] for way in (True, False))
    where = "beside an import" if beside else "alone"
    least = BESIDE if beside else IDLE
    return Measurement(
        f"{GAMES:,} imported {variant} games projected into SQLite {where}, by processor time",
        f"handed over {handed:.0f} games/s of {least}, {size:.1f} KiB a game",
        f"read from the log {read:.0f} games/s",
        handed / least,
        bar=1.0,
    )


def project(projector: Projector) -> float:
    """Seconds of processor time until all is projected."""
    begun = time.process_time()
    while projector.step(timeout=0.1):
        pass
    return time.process_time() - begun


def take_in(service: Service, text: str, start: int, *, is_handed: bool) -> None:
    """Import a batch of records as a worker does."""
    found = parse(text, is_handed=is_handed)
    begun = ImportBegun(mode=ImportMode.AS_PLAYED, size=1, sha256="0" * 64, packing="none")
    state = ImportState("i" * 16, "p" * 16, 0, begun)
    verdicts = Importer(service, state, lambda: None).import_records(found, start + 1)
    if any(verdict["status"] != "accepted" for verdict in verdicts):
        raise RuntimeError(f"not all was taken in: {verdicts[:3]}")


def parse(text: str, *, is_handed: bool) -> list[ParsedRecord]:
    """The records of a text, indexed if they are to be handed over."""
    listen = PositionIndex if is_handed else None
    return parse_sections(list(split_sections(StringIO(text))), listen)


def make_text(variant: str, start: int) -> str:
    """A batch of records."""
    return "\n".join(write(random_game(variant, seed)) for seed in range(start, start + BATCH))


def random_game(variant: str, seed: int) -> Game:
    """A record of random play whose first plies are those of few openings."""
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
    """A process that imports the same games into another service all the while."""
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
    """Import batch after batch, on a Redis of its own, until it is `over` or the parent dies."""
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
