"""Questions about games in a small archive and in a large one, and what a game takes on disk.

    python -m benchmarks search                                         in a temporary folder
    python -m benchmarks.searching FOLDER [--games N]                   archives that are kept
    python -m benchmarks.searching FOLDER [--games N] --databases URL URL  copies of them

The archives in FOLDER are made if they do not exist, which takes half an hour for 200,000 games.
Every question is asked of both archives in turn. With the URLs of two empty databases in PostgreSQL
they are copied there first.

A question's time is the best of three, with all others of its kind asked in between, so that other
work of the machine does not count. SQLite works in this process, so its processor time is measured;
PostgreSQL is measured by the clock.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from math import log
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from sqlalchemy import Connection, text

from benchmarks.archives import PLIES, VARIANT, Archive, copy_archive, open_archive
from benchmarks.turns import Measurement, progress
from service.projection.games.explorer import Explorer
from service.projection.games.query import Query, Sort
from service.projection.games.search import Search

SMALL = 10_000
LARGE = 200_000
FORESEEN = (1_000_000, 10_000_000)
"""Sizes of archives for which figures are extrapolated."""
ASKED = 400
TRIES = 3
LIMIT = 20
BARE = 3.0
"""How many bare reads of the same size the explorer may take."""
GROWTH = 1.5
"""How much longer the large archive may take than the small one."""
DISK = 6.0
"""The most KiB that a game may take on disk."""

Ask = Callable[[], object]
Question = Callable[[Archive, Random], Ask]


def find(query: Query, sort: Sort = Sort.CREATED) -> Callable[[Archive], Ask]:
    """A question for the first page of a query."""
    return lambda archive: lambda: Search(archive.database).page(query, limit=LIMIT, sort=sort)


def explore(query: Query) -> Callable[[Archive], Ask]:
    """A question for what was played in the games of a query, with the newest and top games."""
    return lambda archive: lambda: Explorer(archive.database).explore(query)


def player_of(archive: Archive, random: Random) -> str:
    """One of the players."""
    return f"player{random.randrange(archive.players)}"


def position_of(archive: Archive, random: Random, plies: int = PLIES) -> Query:
    """A position that occurred in some game, after at most `plies` plies."""
    positions = random.choice(archive.positions)
    return Query(variant=VARIANT, fen=random.choice(positions[: plies + 1]))


def event_of(archive: Archive, random: Random) -> Query:
    """The games of an event."""
    return Query(tags=(("Event", f"Event {random.randrange(archive.events)}"),))


def year_of(random: Random) -> Query:
    """The games of a day in a year: dates are the first of a month."""
    day = f"{random.randrange(1990, 2026)}.{random.randrange(1, 13):02d}.01"
    return Query(since=day, until=day)


QUESTIONS: Mapping[str, Question] = {
    "the newest games": lambda archive, random: find(Query())(archive),
    "a variant's games": lambda archive, random: find(Query(variant=VARIANT))(archive),
    "games with a result": lambda archive, random: find(Query(result="1-0"))(archive),
    "games of a termination": lambda a, random: find(Query(termination="agreement"))(a),
    "a player's games": lambda a, random: find(Query(player=player_of(a, random)))(a),
    "a player's games on one side, by rating": lambda a, random: find(
        Query(player=player_of(a, random), side=0), Sort.RATING
    )(a),
    "two players' games": lambda a, random: find(
        Query(player=player_of(a, random), opponent=player_of(a, random))
    )(a),
    "an event's games": lambda a, random: find(event_of(a, random))(a),
    "the games of a time, by day": lambda a, random: find(year_of(random), Sort.DAY)(a),
    "the games of a rating, by rating": lambda a, random: find(
        Query(rating=(None, random.randrange(1300, 2500))), Sort.RATING
    )(a),
    "the longest games": lambda archive, random: find(Query(), Sort.PLIES)(archive),
    "a position's games": lambda a, random: find(position_of(a, random))(a),
    "an opening's games": lambda a, random: find(position_of(a, random, 8))(a),
    "an opening's games, by rating": lambda a, random: find(position_of(a, random, 8), Sort.RATING)(
        a
    ),
    "the explorer": lambda a, random: explore(position_of(a, random))(a),
    "the explorer of openings": lambda a, random: explore(position_of(a, random, 8))(a),
}
"""Questions that an index answers."""


def figures(large: int = LARGE) -> Iterator[Measurement]:
    """How answers slow down with the archive's size, the explorer against a bare read, disk use."""
    with TemporaryDirectory() as folder:
        yield from measure_both(Path(folder), large)


def measure_both(folder: Path, games: int, urls: Sequence[str] = ()) -> Iterator[Measurement]:
    """The figures of SQLite's archives in a folder, or of copies of them in PostgreSQL."""
    with (
        opened(folder / str(SMALL), SMALL, urls[:1]) as small,
        opened(folder / str(games), games, urls[1:]) as large,
    ):
        for name, ask in QUESTIONS.items():
            random = Random(name)
            asked = [(ask(large, random), ask(small, random)) for _ in range(ASKED)]
            rounds = [
                [(timed(large, one), timed(small, other)) for one, other in asked]
                for _ in progress(range(TRIES), name)
            ]
            tries = zip(*(zip(*taken, strict=True) for taken in rounds), strict=True)
            slow, fast = ([min(each) for each in zip(*side, strict=True)] for side in tries)
            yield from compare(name, small, large, slow, fast)
        yield explorer_against_bare(large)
        yield disk(large)


@contextmanager
def opened(folder: Path, games: int, urls: Sequence[str]) -> Iterator[Archive]:
    """Open an archive in SQLite, or its copy at a URL, and close it at the end."""
    archive = open_archive(folder, games)
    for url in urls:
        source, archive = archive, copy_archive(archive, url)
        source.database.close()
    yield archive
    archive.database.close()


def compare(
    name: str, small: Archive, large: Archive, slow: Sequence[float], fast: Sequence[float]
) -> Iterator[Measurement]:
    """The 99th percentiles of a question to both archives, and extrapolations from them."""
    candidate, baseline = (quantiles(times, n=100)[98] for times in (slow, fast))
    # An index is deeper by a constant for each factor of its size.
    slope = (median(slow) - median(fast)) / log(large.games / small.games)
    expected = ", ".join(
        f"{1000 * (median(slow) + slope * log(games / large.games)):.2f} ms among {games:,}"
        for games in FORESEEN
    )
    yield Measurement(
        f"{large.name}: {name}, 99th percentile, {large.games:,} games against {small.games:,}",
        f"{1000 * candidate:.2f} ms",
        f"{1000 * baseline:.2f} ms; medians {1000 * median(slow):.2f} and {1000 * median(fast):.2f}"
        f" ms, expected {expected}",
        candidate / baseline,
        bar=GROWTH,
        most=True,
    )


def explorer_against_bare(archive: Archive) -> Measurement:
    """The explorer's sums for positions that occurred, against reading as many bytes by key."""
    explorer = Explorer(archive.database)
    random = Random(1)
    pairs = []
    for key in progress(range(ASKED), "bare reads"):
        query = position_of(archive, random, 8 if key % 2 else PLIES)
        found = explorer.explore(query, shown=0)
        size = sum(len(one.action) + 24 for one in found.continuations)
        archive.database.write(partial(put, key, size))
        sums = partial(explorer.explore, query, shown=0)
        bare = partial(archive.database.read, partial(get, key))
        pairs.append([min(timed(archive, ask) for _ in range(TRIES)) for ask in (sums, bare)])
    archive.database.write(lambda connection: connection.execute(text("DROP TABLE bare")))
    candidate, baseline = (median(times) for times in zip(*pairs, strict=True))
    return Measurement(
        f"{archive.name}: the explorer's sums among {archive.games:,} games, against a bare read",
        f"{1000 * candidate:.3f} ms (median)",
        f"as many bytes by primary key {1000 * baseline:.3f} ms",
        candidate / baseline,
        bar=BARE,
        most=True,
    )


def put(key: int, size: int, connection: Connection) -> None:
    """Store `size` bytes under a key."""
    connection.execute(
        text("CREATE TABLE IF NOT EXISTS bare (key INTEGER PRIMARY KEY, bytes TEXT)")
    )
    connection.execute(
        text("INSERT INTO bare VALUES (:key, :bytes)"), {"key": key, "bytes": "x" * size}
    )


def get(key: int, connection: Connection) -> object:
    """Read them."""
    chosen = text("SELECT bytes FROM bare WHERE key = :key")
    return connection.execute(chosen, {"key": key}).scalar()


def disk(archive: Archive) -> Measurement:
    """What a game takes on disk, all indexes included."""
    each = archive.database.size() / archive.games / 1024
    expected = ", ".join(f"{each * games / 1024**2:.0f} GiB for {games:,}" for games in FORESEEN)
    is_bound = archive.database.store.folder is not None
    return Measurement(
        f"{archive.name}: {archive.games:,} games of {PLIES} plies on disk, a game",
        f"{each:.2f} KiB",
        f"expected {expected}",
        each,
        bar=DISK if is_bound else None,
        most=True,
    )


def timed(archive: Archive, ask: Ask) -> float:
    """Measure the seconds that an answer takes."""
    clock = time.thread_time if archive.name == "SQLite" else time.perf_counter
    begun = clock()
    ask()
    return clock() - begun


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure archives that are kept; 1 where a bar is missed."""
    made = argparse.ArgumentParser(prog="python -m benchmarks.searching")
    made.add_argument("folder", type=Path)
    made.add_argument("--games", type=int, default=LARGE)
    made.add_argument("--databases", metavar="URL", nargs=2, default=())
    given = made.parse_args(arguments)
    missed = 0
    for figure in measure_both(given.folder, given.games, given.databases):
        print(figure, flush=True)
        missed += figure.met is False
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
