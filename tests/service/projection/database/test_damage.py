"""A database whose pointer or tables are damaged says so, and a rebuild mends it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from sqlalchemy import Connection, text

from service.projection.database import sqlite
from service.projection.database.database import Database
from service.projection.database.opening import FOLDER, open_database
from service.projection.errors import DatabaseDamaged, RebuildSuperseded
from tests.service.postgresql import PostgresqlServer
from tests.service.projection.database.test_database import add, ids


def only_file(folder: Path) -> Path:
    [file] = folder.glob("*.sqlite")
    return file


def empty_file(folder: Path) -> None:
    only_file(folder).write_bytes(b"")


def remove_file(folder: Path) -> None:
    only_file(folder).unlink()


def spoil_file(folder: Path) -> None:
    only_file(folder).write_bytes(b"no database at all" * 1000)


def write_pointer(written: bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / "current").write_bytes(written)

    return write


FILES = {
    "empty pointer": write_pointer(b""),
    "pointer to no number": write_pointer(b"no number\n"),
    "pointer of other bytes": write_pointer(b"\xff"),
    "pointer to no file": write_pointer(b"77\n"),
    "negative pointer": write_pointer(b"-1\n"),
    "no file": remove_file,
    "no database": spoil_file,
}
ROWS = {
    "no row": "DELETE FROM movelog.generation",
    "two rows": "INSERT INTO movelog.generation VALUES (1, 1)",
    "a number that was never begun": "UPDATE movelog.generation SET current = 77",
    "a negative number": "UPDATE movelog.generation SET current = -1",
    "no table": "DROP TABLE movelog.generation",
    "other columns": "ALTER TABLE movelog.generation RENAME COLUMN current TO once",
    "no number": "ALTER TABLE movelog.generation ALTER COLUMN current TYPE text USING 'x'",
    "no schema": "DROP SCHEMA movelog_1 CASCADE",
}


EVERYDAY = "no row"
"""The damage to a server that the everyday tests cover; the others are slow."""


@pytest.fixture(
    params=[
        *FILES,
        EVERYDAY,
        *(pytest.param(name, marks=pytest.mark.slow) for name in ROWS if name != EVERYDAY),
    ]
)
def damaged(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[Database, Callable[[], Database]]]:
    """A database that was used and then damaged, and a function that opens it again."""
    url = None
    if request.param in ROWS:
        server: PostgresqlServer = request.getfixturevalue("postgresql")
        url = server.empty()
    opened: list[Database] = []

    def open_anew() -> Database:
        opened.append(open_database(tmp_path, url))
        return opened[-1]

    database = open_anew()
    database.write(add("one"))
    if request.param in ROWS:
        database.write(lambda connection: connection.execute(text(ROWS[request.param])))
    else:
        database.close()
        for file in (tmp_path / FOLDER).glob("*.sqlite-*"):
            file.unlink()
        FILES[request.param](tmp_path / FOLDER)
    yield database, open_anew
    for each in opened:
        each.close()


def test_damage_is_told_and_mended_by_a_rebuild(
    damaged: tuple[Database, Callable[[], Database]],
) -> None:
    before, open_anew = damaged
    other = open_anew()
    for _ in range(2):
        for ask in (other.size, lambda: other.read(ids), lambda: other.write(add("two"))):
            with pytest.raises(DatabaseDamaged) as caught:
                ask()
            assert "movelog rebuild" in str(caught.value)
    told: list[Connection | None] = []
    mending = open_anew()
    built = mending.build()
    built.write(add("new"))
    with pytest.raises(DatabaseDamaged):
        other.read(ids)
    mending.replace_by(built, told.append)
    assert told[-1] is None
    # Whoever had it open, in whatever state, continues in the new one.
    for each in (mending, other, before, open_anew()):
        assert each.read(ids) == ["new"]
    before.write(add("newer"))
    assert other.read(ids) == ["new", "newer"]
    again = other.build()
    other.replace_by(again, lambda connection: None)
    assert before.read(ids) == []


def test_a_rebuild_of_a_damaged_database_can_be_broken_off(
    damaged: tuple[Database, Callable[[], Database]],
) -> None:
    _, open_anew = damaged
    open_anew().build().write(add("half"))
    other = open_anew()
    with pytest.raises(DatabaseDamaged):
        other.read(ids)
    second = open_anew()
    built = second.build()
    built.write(add("whole"))
    second.replace_by(built, lambda connection: None)
    assert other.read(ids) == ["whole"]


def test_a_file_that_is_emptied_beneath_the_service_is_damaged(tmp_path: Path) -> None:
    """SQLite takes the file for a new database, and finds no table in it."""
    database = open_database(tmp_path, None)
    database.write(add("one"))
    database.close()
    for file in (tmp_path / FOLDER).glob("*.sqlite-*"):
        file.unlink()
    empty_file(tmp_path / FOLDER)
    with pytest.raises(DatabaseDamaged, match="no such table"):
        database.read(ids)
    with pytest.raises(DatabaseDamaged, match="no such table"):
        database.write(add("two"))
    mending = open_database(tmp_path, None)
    built = mending.build()
    built.write(add("new"))
    mending.replace_by(built, lambda connection: None)
    assert database.read(ids) == ["new"]
    for each in (database, mending):
        each.close()


def test_a_folder_that_is_made_again_is_read_by_who_knew_the_deleted_one(tmp_path: Path) -> None:
    database = open_database(tmp_path, None)
    database.write(add("old"))
    assert database.read(ids) == ["old"]
    rmtree(tmp_path / FOLDER)
    other = open_database(tmp_path, None)
    other.write(add("new"))
    assert database.read(ids) == ["new"]
    database.write(add("newer"))
    assert other.read(ids) == ["new", "newer"]
    for each in (database, other):
        each.close()


def test_a_dropped_rebuild_does_not_write_into_a_later_one(tmp_path: Path) -> None:
    database = open_database(tmp_path, None)
    dropped = database.build()
    dropped.write(add("dropped"))
    database.build().discard()
    later = database.build()
    later.write(add("later"))
    with pytest.raises(RebuildSuperseded):
        dropped.write(add("lost"))
    with pytest.raises(RebuildSuperseded):
        database.replace_by(dropped, lambda connection: None)
    database.replace_by(later, lambda connection: None)
    assert database.read(ids) == ["later"]
    database.close()


def test_a_table_that_is_gone_is_damage(database: Database) -> None:
    database.write(lambda connection: connection.execute(text("DROP TABLE import")))
    for ask in (lambda: database.read(ids), lambda: database.write(add("two"))):
        with pytest.raises(DatabaseDamaged):
            ask()
    built = database.build()
    built.write(add("new"))
    database.replace_by(built, lambda connection: None)
    assert database.read(ids) == ["new"]


def test_damage_of_what_is_built_leaves_the_current_generation(database: Database) -> None:
    database.write(add("old"))
    built = database.build()
    built.write(lambda connection: connection.execute(text("DROP TABLE import")))

    def finish(connection: Connection | None) -> None:
        built.write(add("new"))

    with pytest.raises((DatabaseDamaged, RebuildSuperseded)):
        database.replace_by(built, finish)
    built.discard()
    assert database.read(ids) == ["old"]


def test_a_swap_during_the_first_use_is_not_noticed(
    database: Database, tmp_path: Path, database_url: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.write(add("old"))
    other = open_database(tmp_path, database_url)
    migrate = other.store.migrate
    numbers: list[int] = []

    def migrate_late(number: int) -> None:
        if not numbers:
            # Between reading the number of the generation and looking at its tables.
            built = database.build()
            built.write(add("new"))
            database.replace_by(built, lambda connection: None)
        numbers.append(number)
        migrate(number)

    monkeypatch.setattr(other.store, "migrate", migrate_late)
    assert other.read(ids) == ["new"]
    assert len(numbers) == 2
    other.close()


def test_tables_that_are_replaced_while_they_are_opened_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is deleted just after it was opened must not be read without its log."""
    database, other = (open_database(tmp_path, None) for _ in range(2))
    database.write(add("old"))
    set_up = sqlite._set_pragmas

    def replace_first(connection: Any, record: object) -> None:
        monkeypatch.setattr(sqlite, "_set_pragmas", set_up)
        built = database.build()
        built.write(add("old"))
        built.write(add("new"))
        database.replace_by(built, lambda connection: None)
        set_up(connection, record)

    other.read(ids)
    other.close()
    other._engines.clear()
    monkeypatch.setattr(sqlite, "_set_pragmas", replace_first)
    assert other.read(ids) == ["new", "old"]
    for each in (database, other):
        each.close()
