"""Questions about games in a small archive and in a large one, and what a game takes on disk.

The games are random ones whose first plies are those of few openings. Their rows are written as the
projector writes them, into SQLite. Every question is asked of both archives in turn.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from sqlalchemy import Connection, text

from benchmarks.turns import Measurement, progress
from engine.random_play import random_play
from engine.side import Side
from notation.registry import find_dialect
from service.game.state import GameState
from service.game.values import Ending, GameStatus, Mode, Played
from service.projection.database.database import Database
from service.projection.database.opening import open_database
from service.projection.games.explorer import Explorer
from service.projection.games.query import Query
from service.projection.games.rows import make_rows
from service.projection.games.search import Search
from service.projection.games.writer import GameWriter

SMALL = 10_000
LARGE = 50_000
PLIES = 80
OPENING = 8
OPENINGS = 200
PLAYED_BY_ONE = 40
BATCH = 100
VARIANT = "kerd"
ASKED = 1000
LIMIT = 20
RESULTS = ("1-0", "0-1", "1/2-1/2")
BARE = 3.0
"""How many bare reads of the same size the explorer may take."""
GROWTH = 1.5
"""How much longer the large archive may take than the small one."""


@dataclass(frozen=True, slots=True)
class Archive:
    """A database of so many games, and positions that came up in some of them, as FEN."""

    games: int
    database: Database
    folder: Path
    fens: list[str]

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(file.stat().st_size for file in self.folder.rglob("*") if file.is_file())


def figures(large: int = LARGE) -> list[Measurement]:
    """How answers slow down with the archive, the explorer against a bare read, and the disk."""
    with make_archive(SMALL) as small, make_archive(large) as grown:
        questions: dict[str, Callable[[Archive, Random], Callable[[], object]]] = {
            "the newest games": lambda archive, random: find(archive, Query()),
            "a player's games": lambda archive, random: find(
                archive, Query(player=f"player{random.randrange(archive.games // PLAYED_BY_ONE)}")
            ),
            "an event's games": lambda archive, random: find(
                archive, Query(tags=(("Event", f"Event {random.randrange(archive.games // 50)}"),))
            ),
            "a position's games": lambda archive, random: find(
                archive, Query(variant=VARIANT, fen=random.choice(archive.fens))
            ),
            "the explorer": explore_some,
        }
        found = [compare(name, ask, small, grown) for name, ask in questions.items()]
        return [*found, explorer_against_bare(grown), disk(grown)]


def find(archive: Archive, query: Query) -> Callable[[], object]:
    """A function that asks for the first page of a query."""
    search = Search(archive.database)
    return lambda: search.page(query, limit=LIMIT)


def explore_some(archive: Archive, random: Random) -> Callable[[], object]:
    """A function that explores a position that came up."""
    explorer = Explorer(archive.database)
    query = Query(variant=VARIANT, fen=random.choice(archive.fens))
    return lambda: explorer.explore(query)


def compare(
    name: str,
    ask: Callable[[Archive, Random], Callable[[], object]],
    small: Archive,
    large: Archive,
) -> Measurement:
    """The 99th percentiles of a question to both archives, asked in turn."""
    random = Random(name)
    pairs = [
        (timed(ask(large, random)), timed(ask(small, random))) for _ in progress(range(ASKED), name)
    ]
    candidate, baseline = (quantiles(times, n=100)[98] for times in zip(*pairs, strict=True))
    return Measurement(
        f"{name}, 99th percentile, {large.games:,} games against {small.games:,}",
        f"{1000 * candidate:.2f} ms",
        f"{1000 * baseline:.2f} ms",
        candidate / baseline,
        bar=GROWTH,
        most=True,
    )


def explorer_against_bare(archive: Archive) -> Measurement:
    """The explorer of positions that came up, against reading as many bytes by their key."""
    explorer = Explorer(archive.database)
    random = Random(1)
    pairs = []
    for key in progress(range(ASKED), "bare reads"):
        query = Query(variant=VARIANT, fen=random.choice(archive.fens))
        found = explorer.explore(query)
        size = sum(len(one.action) + 24 for one in found.continuations)
        archive.database.write(lambda connection, row=(key, size): put(connection, *row))  # type: ignore[misc]
        ours = timed(lambda asked=query: explorer.explore(asked))  # type: ignore[misc]
        pairs.append((ours, timed(lambda at=key: archive.database.read(lambda c: get(c, at)))))  # type: ignore[misc]
    candidate, baseline = (median(times) for times in zip(*pairs, strict=True))
    return Measurement(
        f"the explorer among {archive.games:,} games, against a bare read of the same size",
        f"{1000 * candidate:.3f} ms (median)",
        f"by primary key {1000 * baseline:.3f} ms",
        candidate / baseline,
        bar=BARE,
        most=True,
    )


def put(connection: Connection, key: int, size: int) -> None:
    """Keep so many bytes under a key."""
    connection.execute(
        text("CREATE TABLE IF NOT EXISTS bare (key INTEGER PRIMARY KEY, bytes BLOB)")
    )
    connection.execute(
        text("INSERT INTO bare VALUES (:key, :bytes)"), {"key": key, "bytes": b"x" * size}
    )


def get(connection: Connection, key: int) -> object:
    """Read them."""
    chosen = text("SELECT bytes FROM bare WHERE key = :key")
    return connection.execute(chosen, {"key": key}).scalar()


def disk(archive: Archive) -> Measurement:
    """What a game takes on disk, all indexes included."""
    each = archive.size / archive.games / 1024
    return Measurement(
        f"SQLite file of {archive.games:,} games of {PLIES} plies, a game",
        f"{each:.2f} KiB",
        "bar 6 KiB",
        each,
        bar=6.0,
        most=True,
    )


def timed(ask: Callable[[], object]) -> float:
    """The seconds that an answer takes."""
    begun = time.perf_counter()
    ask()
    return time.perf_counter() - begun


@contextmanager
def make_archive(games: int) -> Iterator[Archive]:
    """A database of so many random games, removed at the end."""
    with TemporaryDirectory() as folder:
        database = open_database(Path(folder), None)
        writer = GameWriter(lambda id, version: None)
        random = Random(games)
        fens: list[str] = []
        seeds = iter(progress(range(games), f"{games:,} games"))
        while states := [random_game(seed, games) for seed in islice(seeds, BATCH)]:
            rows = [make_rows(state, {}) for state in states]
            database.write(lambda connection, rows=rows: writer.write(connection, rows))  # type: ignore[misc]
            fens.append(position_in(random.choice(states), random))
        yield Archive(games, database, Path(folder), fens)
        database.close()


def random_game(seed: int, games: int) -> GameState:
    """A finished game of random actions, as a projector would have folded it."""
    texts = find_dialect(VARIANT)
    position = texts.start({})
    chosen = ((Random(seed % OPENINGS), OPENING), (Random(seed), PLIES - OPENING))
    actions = [
        action for random, plies in chosen for action, _ in random_play(position, random, plies)
    ]
    players = games // PLAYED_BY_ONE
    first = Random(-seed).randrange(players)
    played = tuple(
        Played(action, texts.coordinate(action), "", 1, Side.FIRST, "bench", 0)
        for action in actions
    )
    return GameState(
        id=f"game{seed}",
        version=1,
        variant=VARIANT,
        rules="1",
        mode=Mode.IMPORT,
        status=GameStatus.FINISHED,
        creator="bench",
        seats=(f"player{first}", f"player{(first + 1 + seed) % players}"),
        tags={
            "Event": f"Event {seed % (games // 50)}",
            "Date": "1999.12.31",
            "Round": str(seed % 9),
            "WhiteElo": str(1200 + seed % 1200),
            "BlackElo": str(1300 + seed % 1000),
        },
        fen=None,
        position=position,
        created_at=1_700_000_000_000 + 1000 * seed,
        updated_at=1_700_000_000_000 + 1000 * seed,
        plies=len(played),
        played=played,
        ending=Ending(RESULTS[seed % 3], "resignation"),
    )


def position_in(state: GameState, random: Random) -> str:
    """A position of a game, as FEN."""
    texts = find_dialect(VARIANT)
    position = texts.start({})
    for move in state.played[: random.randrange(len(state.played) + 1)]:
        position.play(move.action)
    return texts.write_fen(position)
