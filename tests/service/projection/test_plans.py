"""Queries that an index answers touch as much of a large database as of a small one.

EXPLAIN ANALYZE shows what PostgreSQL has touched; for SQLite, the steps of its virtual machine are
counted. Both show which index they use.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from typing import Any, Final

import psycopg
import pytest
from sqlalchemy import Connection, event, insert

from notation.registry import find_dialect
from service.openings.values import Opening, OpeningTable
from service.projection.database.database import Database
from service.projection.database.tables import METADATA, RATING
from service.projection.games import novelty, walk
from service.projection.games.explorer import Explorer
from service.projection.games.keys import fen_key, material_key, tag_key
from service.projection.games.novelty import find_novelty
from service.projection.games.play import Play
from service.projection.games.query import Query, Sort
from service.projection.games.rows import GameRows
from service.projection.games.search import Search
from service.projection.games.writer import GameWriter
from service.projection.openings import write_edition
from service.projection.puzzles.puzzle_list import PuzzleList
from service.projection.puzzles.puzzles import describe_puzzle, write_puzzles
from service.projection.ratings import Pool, Ratings
from service.puzzles.puzzle import Puzzle
from tests.service.projection.support import create, end, memory_games, play

VARIANT = "katruji"
DIALECT = find_dialect(VARIANT)
START = DIALECT.write_fen(DIALECT.start({}))
LIMIT = 20
NARROW = 100
"""How many games are fetched together: so few that the small archive has more of most kinds."""
MOST: Final = 10 * NARROW
"""The most rows that a node of a plan may look at: a membership or a window, and the rows between
them in an index where only every second or seventh row matches.
"""
PERIOD = 60_000
NOW = 10 * PERIOD
RARE, COMMON = "yara", "fork"
"""Themes of a hundredth of the puzzles, and of all."""
FEW: Final = {"opening_edition"}
"""Tables of a row or two, however large the archive is."""
Statement = tuple[str, Any]


def after(*tokens: str) -> str:
    """The FEN after these actions."""
    position = DIALECT.start({})
    for token in tokens:
        position.play(DIALECT.resolve(position, token))
    return DIALECT.write_fen(position)


FIRST_ACTIONS = [DIALECT.coordinate(action) for action in DIALECT.start({}).legal()]
SECOND = after(FIRST_ACTIONS[0])
LAST = after(FIRST_ACTIONS[0], "Pa7")
"""START is a position of every game, SECOND of one in `len(FIRST_ACTIONS)`, LAST of a few."""


def rows_of(number: int) -> GameRows:
    """The rows of a game that nobody has played."""
    action = FIRST_ACTIONS[number % len(FIRST_ACTIONS)]
    fens = [START, after(action)] if number >= len(FIRST_ACTIONS) else [START, SECOND, LAST]
    steps = [(fen_key(VARIANT, fen), "c2d1") for fen in fens]
    steps.append((tag_key("the position of this game alone", str(number)), ""))
    game: dict[str, Any] = {
        "id": f"g{number}", "version": 1, "variant": VARIANT, "mode": "import",
        "status": "finished", "first": f"p{number // 10}", "second": f"q{number % 7}",
        "result": ("1-0", "0-1")[number % 2], "termination": ("mate", "time")[number // 2 % 2],
        "scored": False, "first_points": None, "second_points": None, "plies": number % 97,
        "created_at": 1_700_000_000_000 + 1000 * number, "updated_at": 1_700_000_000_000 + number,
        "ended_at": None, "day": f"{1900 + number % 101}.01.01", "speed": "blitz",
        "first_rating": 1000, "second_rating": None, "rating": 1000 + number % 1009,
        "rated": True, "computer": 0, "secret_choice": None, "fen": None, "tags": "{}",
        "sample": number % 1024,
    }  # fmt: skip
    first, second = game["first"], game["second"]
    seats = [(first, 0, "won", second), (second, 1, "lost", first)]
    material = frozenset({material_key(VARIANT, "-"), material_key(VARIANT, f"P{number // 5}")})
    played = Play(2 - number % 2 * 2, steps, material, f" {action} ", b"")
    pairs = frozenset({tag_key("Event", f"Cup {number // 20}")})
    return GameRows(game["id"], 1, game, seats, [first], pairs, played)


def puzzle_of(number: int) -> dict[str, Any]:
    """The row of a puzzle that nobody can solve."""
    themes = COMMON if number % 100 else f"{COMMON} {RARE}"
    rating = 800 + number * 7919 % 1700
    return describe_puzzle(Puzzle(VARIANT, START, None, (), tuple(themes.split()), rating)) | {
        "id": sha256(str(number).encode()).hexdigest()[:10]
    }


def rating_of(number: int) -> dict[str, Any]:
    """The row of a player's rating after one of two periods."""
    rating, period = 1000 + number // 2 * 7919 % 1700, number % 2
    return {
        "variant": VARIANT, "speed": "blitz", "player": f"p{number // 2}", "period": period,
        "rating": rating, "deviation": 60, "volatility": 0.06, "games": 3, "latest": period == 1,
    }  # fmt: skip


def name_positions(connection: Connection) -> None:
    """Load a table of many openings, two of which name positions of the games."""
    openings = [Opening(VARIANT, f"Line {first}", (first,)) for first in FIRST_ACTIONS[:2]]
    for first in FIRST_ACTIONS:
        position = DIALECT.start({})
        position.play(DIALECT.resolve(position, first))
        seconds = [DIALECT.coordinate(action) for action in position.legal()]
        lines = [(first, second) for second in seconds]
        openings += [Opening(VARIANT, " ".join(line), line) for line in lines]
    write_edition(OpeningTable(1, openings), connection)


def fill(database: Database, url: str | None, begin: int, end: int) -> None:
    """Write so many games, puzzles and ratings; PostgreSQL vacuums and analyses its tables."""
    writer = GameWriter(lambda id, version: None)
    games = [rows_of(number) for number in range(begin, end)]
    puzzles = [puzzle_of(number) for number in range(begin, end)]
    database.write(lambda connection: writer.write(connection, games))
    database.write(lambda connection: write_puzzles(connection, puzzles))
    ratings = [rating_of(number) for number in range(begin, end)]
    database.write(lambda connection: connection.execute(insert(RATING), ratings))
    if url is not None:
        with psycopg.connect(url, autocommit=True) as server:
            server.execute("VACUUM ANALYZE")


def find(query: Query, sort: Sort = Sort.CREATED) -> Callable[[Database], Any]:
    return lambda database: Search(database, budget=600).page(query, limit=LIMIT, sort=sort)


def explore(fen: str) -> Callable[[Database], Any]:
    return lambda database: Explorer(database, budget=600).explore(Query(variant=VARIANT, fen=fen))


def leave(database: Database) -> Any:
    """Find the novelty of a game that is not listed yet."""
    log = memory_games()
    create(log, "new")
    play(log, "new", 3)
    return find_novelty(database, end(log, "new"))


def list_puzzles(variant: str | None, theme: str | None) -> Callable[[Database], Any]:
    return lambda database: PuzzleList(database).page(variant, theme, "8", LIMIT)


def choose_puzzle(theme: str | None) -> Callable[[Database], Any]:
    return lambda database: PuzzleList(database).find_near("p3", {VARIANT: 1500.0}, theme)


def rate(database: Database) -> Ratings:
    return Ratings(database, PERIOD)


QUESTIONS: Mapping[str, Callable[[Database], Any]] = {
    "the newest games": find(Query()),
    "a variant's games": find(Query(variant=VARIANT)),
    "games by status": find(Query(status="finished")),
    "games by result": find(Query(result="1-0")),
    "games by termination": find(Query(termination="mate")),
    "a player's games": find(Query(player="p3")),
    "a player's games by rating": find(Query(player="p3", side=0), Sort.RATING),
    "a busy player's games": find(Query(player="q3")),
    "a busy player's games on a side": find(Query(player="q3", side=1)),
    "two players' games": find(Query(player="q3", opponent="p3")),
    "open games": find(Query(open_for="p3")),
    "an event's games": find(Query(tags=(("Event", "Cup 3"),))),
    "the games of a time, by day": find(Query(since="1930.01.01", until="1960.01.01"), Sort.DAY),
    "the games of a length, by length": find(Query(plies=(30, 60)), Sort.PLIES),
    "the games of a rating, by rating": find(Query(rating=(1200, 1500)), Sort.RATING),
    "the games that changed last": find(Query(), Sort.UPDATED),
    "the first position's games": find(Query(variant=VARIANT, fen=START)),
    "the first position's games by rating": find(Query(variant=VARIANT, fen=START), Sort.RATING),
    "a common position's games by rating": find(
        Query(variant=VARIANT, fen=SECOND, rating=(1200, 1500)), Sort.RATING
    ),
    "a position's games": find(Query(variant=VARIANT, fen=LAST)),
    "a position's games by rating": find(Query(variant=VARIANT, fen=LAST), Sort.RATING),
    "an opening's games": find(Query(opening=f"line {FIRST_ACTIONS[0]}")),
    "an opening's games by rating": find(Query(opening=f"line {FIRST_ACTIONS[0]}"), Sort.RATING),
    "games with material": find(Query(variant=VARIANT, material="P3")),
    "games with common material": find(Query(variant=VARIANT, material="-")),
    "the explorer of the first position": explore(START),
    "the explorer of a common position": explore(SECOND),
    "the explorer of a rare position": explore(LAST),
    "a novelty": leave,
    "puzzles": list_puzzles(None, None),
    "a variant's puzzles": list_puzzles(VARIANT, None),
    "a rare theme's puzzles": list_puzzles(VARIANT, RARE),
    "a rare theme's puzzles of all variants": list_puzzles(None, RARE),
    "a common theme's puzzles": list_puzzles(VARIANT, COMMON),
    "a puzzle near a rating": choose_puzzle(None),
    "a rare theme's puzzle near a rating": choose_puzzle(RARE),
    "a common theme's puzzle near a rating": choose_puzzle(COMMON),
    "a ranking": lambda database: rate(database).ranking(Pool(VARIANT, "blitz"), NOW, LIMIT),
    "players' ratings": lambda database: rate(database).of(["p3", "p7"], NOW),
}


@contextmanager
def heard(database: Database) -> Iterator[list[Statement]]:
    """The statements that are executed within the context."""
    statements: list[Statement] = []

    def hear(connection: Connection, cursor: Any, statement: str, given: Any, *_: Any) -> None:
        if statement.startswith(("SELECT", "WITH")):
            statements.append((statement, given))

    engine = database.read(lambda connection: connection.engine)
    event.listen(engine, "before_cursor_execute", hear)
    try:
        yield statements
    finally:
        event.remove(engine, "before_cursor_execute", hear)


def work_of(database: Database, ask: Callable[[Database], Any]) -> int:
    """Check the plans of a query, and measure what it touches in a unit of the database's own."""
    with heard(database) as statements:
        ask(database)
    assert statements
    if database.store.folder is not None:
        for statement in statements:
            assert_sqlite_searches(database.read(lambda c, s=statement: plan_of(c, s)))  # type: ignore[misc]
        return count_steps(database, ask)
    return sum(
        count_rows(database.read(lambda c, s=statement: analyse(c, s)))  # type: ignore[misc]
        for statement in statements
    )


def plan_of(connection: Connection, statement: Statement) -> list[str]:
    found = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement[0]}", statement[1])
    return [str(row[-1]) for row in found]


def assert_sqlite_searches(plan: list[str]) -> None:
    """Fail unless tables are searched by an index, or read in its order until a page is full."""
    tables = "|".join(table.name for table in METADATA.sorted_tables)
    for line in plan:
        if re.match(rf"SCAN ({tables})\b", line):
            assert "INDEX game_" in line or "INDEX sqlite_autoindex_game_1" in line, plan
        # Only the games of a narrow membership are sorted.
        assert "TEMP B-TREE FOR ORDER BY" not in line or "MATERIALIZE fetched" in plan, plan


def count_steps(database: Database, ask: Callable[[Database], Any]) -> int:
    """The steps of SQLite's virtual machine, in hundreds."""
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    def listen(connection: Connection) -> None:
        driven = connection.connection.driver_connection
        assert isinstance(driven, sqlite3.Connection)
        driven.set_progress_handler(step, 100)

    with pytest.MonkeyPatch.context() as patched:
        # The time limit would replace the progress handler; nothing here is slow.
        for module in ("explorer", "search", "walk"):
            patched.setattr(f"service.projection.games.{module}.time_limit", unlimited)
        database.read(listen)
        ask(database)
        database.close()
    return steps


@contextmanager
def unlimited(connection: Connection, deadline: float) -> Iterator[None]:
    yield


def analyse(connection: Connection, statement: Statement) -> Mapping[str, Any]:
    explained = f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {statement[0]}"
    (found,) = connection.exec_driver_sql(explained, statement[1]).scalar_one()
    plan: Mapping[str, Any] = found["Plan"]
    return plan


def count_rows(plan: Mapping[str, Any]) -> int:
    """The rows that the nodes of a PostgreSQL plan have looked at; fails if one looked at many."""
    rows = 0
    for node in nodes_of(plan):
        looked_at = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
        assert looked_at * node["Actual Loops"] <= MOST, json.dumps(plan, indent=1)
        whole = node["Node Type"].startswith("Seq Scan")
        assert not whole or node["Relation Name"] in FEW, json.dumps(plan, indent=1)
        rows += looked_at * node["Actual Loops"]
    return rows


def nodes_of(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from nodes_of(inner)


@pytest.mark.slow
def test_work_does_not_grow_with_the_archive(
    database: Database, database_url: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "NARROW", NARROW)
    monkeypatch.setattr(walk, "WINDOWS", (NARROW, NARROW))
    monkeypatch.setattr(novelty, "COUNTED", NARROW)
    database.write(name_positions)
    fill(database, database_url, 0, 1000)
    small = {name: work_of(database, ask) for name, ask in QUESTIONS.items()}
    fill(database, database_url, 1000, 10_000)
    large = {name: work_of(database, ask) for name, ask in QUESTIONS.items()}
    # PostgreSQL may choose an equally good plan that looks at one window more.
    more = 10 if database_url is None else NARROW
    grown = {
        name: (small[name], large[name])
        for name in QUESTIONS
        if large[name] > 1.5 * small[name] + more
    }
    assert not grown
