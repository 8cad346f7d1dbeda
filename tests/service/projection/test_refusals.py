"""A game that the database refuses becomes a dead letter; a database that fails makes none."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from service.game.repository import Games
from service.projection.database import postgresql as postgresql_module
from service.projection.database import sqlite as sqlite_module
from service.projection.database.database import Database
from service.projection.database.opening import FOLDER, open_database
from service.projection.database.tables import METADATA
from service.projection.dead_letters import DeadLetters
from service.projection.errors import (
    DatabaseAway,
    DatabaseDamaged,
    DatabaseError,
    DatabaseFull,
    DatabaseLocked,
)
from service.projection.games.rows import GameRows
from service.projection.games.writer import GameWriter
from tests.service.postgresql import PostgresqlServer
from tests.service.projection.support import (
    create,
    dump,
    end,
    listed,
    play,
    project,
    projector_of,
    rebuild,
)


def fill(games: Games, count: int = 60) -> None:
    """Add more games than fit into the pages that are left."""
    for number in range(count):
        create(games, f"game{number}")
        play(games, f"game{number}", 6)
        end(games, f"game{number}", "1-0")


@contextmanager
def full(database: Database, folder: Path) -> Iterator[None]:
    """Leave SQLite only a few pages."""
    pages = database.read(lambda c: c.exec_driver_sql("PRAGMA page_count").scalar_one())
    database.close()
    with pytest.MonkeyPatch.context() as patched:
        bounded = f"PRAGMA max_page_count={pages + 3}"
        patched.setattr(sqlite_module, "WRITING", bounded)
        yield
    database.close()


@contextmanager
def locked(database: Database, folder: Path) -> Iterator[None]:
    """Hold a write transaction on another connection."""
    database.close()
    file = folder / f"{database.store.current()}.sqlite"
    pragmas = [one for one in sqlite_module.PRAGMAS if "busy_timeout" not in one]
    with pytest.MonkeyPatch.context() as patched, closing(sqlite3.connect(file)) as other:
        patched.setattr(sqlite_module, "PRAGMAS", [*pragmas, "PRAGMA busy_timeout=50"])
        other.execute("BEGIN IMMEDIATE")
        yield
    database.close()


@contextmanager
def away(database: Database, folder: Path) -> Iterator[None]:
    """Move the folder away for a while."""
    database.close()
    folder.rename(folder.with_name("elsewhere"))
    yield
    folder.with_name("elsewhere").rename(folder)


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(tmp_path, None)
    yield opened
    opened.close()


@pytest.mark.parametrize("isolating", [False, True], ids=["all at once", "one by one"])
@pytest.mark.parametrize(
    ("fail", "expected"), [(full, DatabaseFull), (locked, DatabaseLocked), (away, DatabaseAway)]
)
def test_a_failing_database_sets_no_game_aside(
    games: Games,
    sqlite: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fail: Callable[[Database, Path], Iterator[None]],
    expected: type[DatabaseError],
    isolating: bool,
) -> None:
    create(games, "first")
    projector = projector_of(games, sqlite)
    project(projector)
    fill(games)
    if isolating:
        refuse_several(monkeypatch)
    with fail(sqlite, tmp_path / FOLDER):  # type: ignore[attr-defined]
        for _ in range(3):
            with pytest.raises(expected):
                project(projector)
    assert DeadLetters(sqlite).all() == []
    assert len(listed(sqlite)) < 61
    early = read_by_game(sqlite)
    monkeypatch.undo()
    project(projector_of(games, sqlite))
    assert len(listed(sqlite)) == 61
    assert DeadLetters(sqlite).count() == 0
    # Games that found room were written completely.
    whole = read_by_game(sqlite)
    assert early == {number: whole[number] for number in early}


def read_by_game(database: Database) -> dict[int, dict[str, list[tuple[Any, ...]]]]:
    """The rows of each game, by table."""
    found: dict[int, dict[str, list[tuple[Any, ...]]]] = {}
    for table in METADATA.sorted_tables:
        if "number" in table.c:
            at = list(table.c).index(table.c.number)
            for row in dump(database, table.name)[table.name]:
                found.setdefault(row[at], {}).setdefault(table.name, []).append(row)
    return found


def refuse_several(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the database refuse each set of several games once, as if one of them were bad."""
    write = GameWriter.write
    refused: set[frozenset[str]] = set()

    def write_one(self: GameWriter, connection: Connection, rows: Sequence[GameRows]) -> list[str]:
        older = write(self, connection, rows)
        together = frozenset(one.id for one in rows)
        if len(together) > 1 and together not in refused:
            refused.add(together)
            connection.execute(text("INSERT INTO game_tag (pair) VALUES (NULL)"))
        return older

    monkeypatch.setattr(GameWriter, "write", write_one)


@pytest.mark.slow
def test_a_server_that_fails_sets_no_game_aside(
    games: Games, own_postgresql: PostgresqlServer, tmp_path: Path
) -> None:
    database = open_database(tmp_path, own_postgresql.empty())
    projector = projector_of(games, database)
    fill(games, 5)
    own_postgresql.stop()
    with pytest.raises(DatabaseAway):
        project(projector)
    own_postgresql.start()
    other = open_database(tmp_path, own_postgresql.url())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(postgresql_module, "PATIENCE", 1)

        def try_beside(connection: Connection) -> None:
            with pytest.raises(DatabaseLocked):
                project(projector_of(games, open_database(tmp_path, own_postgresql.url())))

        other.write(try_beside)
    with own_postgresql.connect() as server:
        server.execute("ALTER TABLE movelog_1.game RENAME TO gone")
        with pytest.raises(DatabaseDamaged):
            project(projector)
        server.execute("ALTER TABLE movelog_1.gone RENAME TO game")
    project(projector_of(games, database))
    assert len(listed(database)) == 5
    assert DeadLetters(database).count() == 0
    database.close()
    other.close()


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO game_tag (pair) VALUES (NULL)",
        "INSERT INTO open_game VALUES ('x', 1), ('x', 1)",
    ],
)
def test_what_is_refused_of_one_game_sets_that_aside(
    games: Games, database: Database, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    for id in ("good", "bad"):
        create(games, id)
    write = GameWriter.write

    def refuse(self: GameWriter, connection: Connection, rows: Sequence[GameRows]) -> list[str]:
        older = write(self, connection, rows)
        if any(one.id == "bad" for one in rows):
            connection.execute(text(statement))
        return older

    monkeypatch.setattr(GameWriter, "write", refuse)
    project(projector_of(games, database))
    assert listed(database) == ["good"]
    assert [letter.game for letter in DeadLetters(database).all()] == ["bad"]


def test_a_bug_of_the_program_sets_no_game_aside(
    games: Games, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(games, "a")

    def ask_nonsense(self: GameWriter, connection: Connection, rows: Sequence[GameRows]) -> None:
        connection.execute(text("INSERT INTO"))

    monkeypatch.setattr(GameWriter, "write", ask_nonsense)
    projector = projector_of(games, database)
    with pytest.raises(DBAPIError):
        project(projector)
    assert DeadLetters(database).count() == 0


@pytest.mark.slow
def test_a_rebuild_that_does_not_fit_leaves_the_old_rows(
    games: Games, sqlite: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(games, "old")
    project(projector_of(games, sqlite))
    fill(games)
    before = dump(sqlite)
    # Room only for the empty tables.
    pages = sqlite.build().read(lambda c: c.exec_driver_sql("PRAGMA page_count").scalar_one())
    monkeypatch.setattr(sqlite_module, "WRITING", f"PRAGMA max_page_count={pages + 3}")
    for _ in range(2):
        with pytest.raises(DatabaseFull):
            rebuild(games, sqlite)
        assert dump(sqlite) == before
        assert len(list((tmp_path / FOLDER).glob("*.sqlite"))) == 1
    monkeypatch.undo()
    sqlite.close()
    assert rebuild(games, sqlite) == 61
    assert len(listed(sqlite)) == 61


@pytest.mark.slow
def test_a_rebuild_whose_server_is_stopped_leaves_the_old_rows(
    games: Games, own_postgresql: PostgresqlServer, tmp_path: Path
) -> None:
    database = open_database(tmp_path, own_postgresql.empty())
    create(games, "old")
    project(projector_of(games, database))
    create(games, "new")

    def stop(done: int, total: int) -> None:
        own_postgresql.stop()

    with pytest.raises(DatabaseAway):
        rebuild(games, database, stop)
    own_postgresql.start()
    assert listed(database) == ["old"]
    assert rebuild(games, database) == 2
    assert listed(database) == ["new", "old"]
    with own_postgresql.connect() as server:
        found = server.execute("SELECT nspname FROM pg_namespace WHERE nspname ~ '^movelog_'")
        assert len(found.fetchall()) == 1
    database.close()
