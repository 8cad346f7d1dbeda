"""A database that is full, locked, gone, damaged or too new says so; no change is half written."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, insert, text
from sqlalchemy.exc import OperationalError

from service.environment import BadSetting
from service.projection.database import postgresql as postgresql_module
from service.projection.database import sqlite as sqlite_module
from service.projection.database.database import Database
from service.projection.database.opening import FOLDER, open_database
from service.projection.database.schema import HEAD
from service.projection.database.tables import IMPORT
from service.projection.errors import (
    DatabaseAway,
    DatabaseDamaged,
    DatabaseFull,
    DatabaseLocked,
    DatabaseSlow,
    NewerDatabase,
)
from service.storage.native_threads import TookTooLong
from tests.service.postgresql import PostgresqlServer
from tests.service.projection.database.test_database import add, ids


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(tmp_path, None)
    yield opened
    opened.close()


def test_a_full_database_writes_nothing_of_a_change(sqlite: Database) -> None:
    sqlite.write(add("one"))
    rows: list[dict[str, Any]] = [
        {"id": f"import{n}", "by": "x" * 500, "begun_at": n} for n in range(5000)
    ]

    def fill(connection: Connection) -> None:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages + 20}")
        connection.execute(insert(IMPORT), rows)

    with pytest.raises(DatabaseFull):
        sqlite.write(fill)
    assert sqlite.read(ids) == ["one"]
    sqlite.write(add("two"))
    assert sqlite.read(ids) == ["one", "two"]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let opened databases wait for a lock no longer than a test should take."""
    pragmas = [one for one in sqlite_module.PRAGMAS if "busy_timeout" not in one]
    monkeypatch.setattr(sqlite_module, "PRAGMAS", [*pragmas, "PRAGMA busy_timeout=50"])
    monkeypatch.setattr(postgresql_module, "PATIENCE", 1)


def test_a_database_that_others_hold_is_locked(
    impatient: None,
    database: Database,
    tmp_path: Path,
    database_url: str | None,
) -> None:
    database.write(add("one"))
    other = open_database(tmp_path, database_url)

    def try_beside(connection: Connection) -> None:
        with pytest.raises(DatabaseLocked):
            other.write(add("two"))
        # Readers are not held up.
        assert other.read(ids) == ["one"]

    database.write(try_beside)
    other.write(add("two"))
    assert database.read(ids) == ["one", "two"]
    other.close()


def test_a_folder_that_is_gone_is_away_until_it_is_back(sqlite: Database, tmp_path: Path) -> None:
    sqlite.write(add("one"))
    sqlite.close()
    (tmp_path / FOLDER).rename(tmp_path / "elsewhere")
    with pytest.raises(DatabaseAway):
        sqlite.read(ids)
    with pytest.raises(DatabaseAway):
        sqlite.write(add("two"))
    (tmp_path / "elsewhere").rename(tmp_path / FOLDER)
    assert sqlite.read(ids) == ["one"]


def test_a_file_that_is_no_database_is_damaged(sqlite: Database, tmp_path: Path) -> None:
    sqlite.write(add("one"))
    sqlite.close()
    [file] = (tmp_path / FOLDER).glob("*.sqlite")
    file.write_bytes(b"no database at all" * 1000)
    for end in ("-wal", "-shm"):
        file.with_name(f"{file.name}{end}").unlink(missing_ok=True)
    with pytest.raises(DatabaseDamaged, match="not a database"):
        sqlite.read(ids)
    opened = open_database(tmp_path, None)
    for _ in range(2):
        with pytest.raises(DatabaseDamaged):
            opened.read(ids)
    with pytest.raises(DatabaseDamaged):
        opened.write(add("one"))
    shutil.rmtree(tmp_path / FOLDER)
    assert opened.read(ids) == []
    opened.close()


def test_a_database_is_opened_while_another_process_writes(
    impatient: None,
    database: Database,
    tmp_path: Path,
    database_url: str | None,
) -> None:
    database.write(add("one"))

    def open_beside(connection: Connection) -> list[str]:
        add("two")(connection)
        other = open_database(tmp_path, database_url)
        try:
            return other.read(ids)
        finally:
            other.close()

    assert database.write(open_beside) == ["one"]


@pytest.mark.slow
def test_a_server_that_is_gone_is_away_until_it_is_back(
    own_postgresql: PostgresqlServer, tmp_path: Path
) -> None:
    url = own_postgresql.empty()
    database = open_database(tmp_path, url)
    database.write(add("one"))
    own_postgresql.stop()
    with pytest.raises(DatabaseAway):
        database.read(ids)
    with pytest.raises(DatabaseAway):
        database.write(add("two"))
    opened = open_database(tmp_path, url)
    with pytest.raises(DatabaseAway):
        opened.read(ids)
    own_postgresql.start()
    assert opened.read(ids) == ["one"]
    opened.close()
    assert database.read(ids) == ["one"]
    own_postgresql.stop()
    own_postgresql.start()
    # The kept connection is dead, so the query is sent on another one.
    assert database.read(ids) == ["one"]
    database.write(add("two"))
    assert database.read(ids) == ["one", "two"]
    database.close()


def test_a_server_with_a_full_disk(postgresql: PostgresqlServer, tmp_path: Path) -> None:
    database = open_database(tmp_path, postgresql.empty())
    raise_full = text("DO $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END $$")

    def fill(connection: Connection) -> None:
        add("one")(connection)
        connection.execute(raise_full)

    with pytest.raises(DatabaseFull):
        database.write(fill)
    assert database.read(ids) == []
    database.close()


@pytest.mark.slow
def test_a_question_takes_so_long_at_most_and_a_change_as_long_as_it_needs(
    postgresql: PostgresqlServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql_module, "LONGEST_QUESTION", 1)
    database = open_database(tmp_path, postgresql.empty())

    def sleep(connection: Connection) -> None:
        connection.execute(text("SELECT pg_sleep(1.2)"))

    with pytest.raises(DatabaseAway, match="statement timeout"):
        database.read(sleep)
    database.write(sleep)
    built = database.build()
    built.write(sleep)
    built.close()
    database.close()


@pytest.mark.parametrize(
    "code", ["25006", "58030", "XX001", "42501", "57014", "57P01", "53300", "58000", "XX000"]
)
def test_a_server_that_fails_or_refuses_is_away(
    postgresql: PostgresqlServer, tmp_path: Path, code: str
) -> None:
    database = open_database(tmp_path, postgresql.empty())

    def fail(connection: Connection) -> None:
        add("one")(connection)
        connection.execute(text(f"DO $$ BEGIN RAISE 'no luck' USING ERRCODE = '{code}'; END $$"))

    with pytest.raises(DatabaseAway, match="no luck"):
        database.write(fail)
    assert database.read(ids) == []
    database.write(add("two"))
    assert database.read(ids) == ["two"]
    database.close()


def test_a_row_that_no_index_takes_is_no_matter_of_the_server(
    postgresql: PostgresqlServer, tmp_path: Path
) -> None:
    database = open_database(tmp_path, postgresql.empty())
    # Text that hardly compresses: an index row may take no more than a third of a page.
    long = "".join(f"{random.Random(n).getrandbits(256):x}" for n in range(500))
    with pytest.raises(OperationalError) as caught:
        database.write(add(long))
    assert getattr(caught.value.orig, "sqlstate", None) == "54000"
    database.close()


def test_a_server_that_falls_silent_is_noticed(
    postgresql: PostgresqlServer, tmp_path: Path
) -> None:
    database = open_database(tmp_path, postgresql.empty())

    def parameters(connection: Connection) -> dict[str, str]:
        info: dict[str, str] = connection.connection.driver_connection.info.get_parameters()  # type: ignore[union-attr]
        return info

    for ask in (database.read, database.write):
        known = ask(parameters)
        assert known["connect_timeout"] == "3"
        assert known["tcp_user_timeout"] == "10000"
        assert known["keepalives_idle"] == "10"
    database.close()


def test_a_newer_schema_is_refused_and_left_alone(
    database: Database, tmp_path: Path, database_url: str | None
) -> None:
    database.write(add("one"))
    newer = text("UPDATE alembic_version SET version_num = '9999'")
    database.write(lambda connection: connection.execute(newer))
    opened = open_database(tmp_path, database_url)
    for ask in (opened.size, opened.build, lambda: opened.write(add("two"))):
        with pytest.raises(NewerDatabase) as caught:
            ask()
        assert caught.value.revision == "9999"
    assert database.read(ids) == ["one"]
    known = text(f"UPDATE alembic_version SET version_num = '{HEAD}'")
    database.write(lambda connection: connection.execute(known))
    assert opened.read(ids) == ["one"]
    opened.close()


def test_a_url_that_cannot_be_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadSetting, match="MOVELOG_DATABASE_URL"):
        open_database(tmp_path, "no url at all")
    opened = open_database(tmp_path, f"postgresql://nobody@/none?host={tmp_path}")
    with pytest.raises(DatabaseAway):
        opened.read(ids)
    monkeypatch.setattr("service.projection.database.opening.find_spec", lambda name: None)
    with pytest.raises(BadSetting, match=r"movelog\[postgresql\]"):
        open_database(tmp_path, "postgresql://nobody@/none")


def test_who_cannot_wait_is_told_that_it_takes_too_long(
    sqlite: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def take_too_long(call: object, patience: float | None) -> None:
        assert patience == 0.5
        raise TookTooLong

    monkeypatch.setattr("service.projection.database.database.call_natively", take_too_long)
    with pytest.raises(DatabaseSlow):
        sqlite.read(ids, 0.5)


def test_only_who_writes_has_a_large_cache(sqlite: Database) -> None:
    def ask(connection: Connection) -> int:
        return -int(connection.exec_driver_sql("PRAGMA cache_size").scalar_one())

    assert sqlite.write(ask) == 64 << 10
    assert sqlite.read(ask) == 8 << 10


def test_two_connections_are_kept_for_the_next_questions(
    sqlite: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[object] = []
    close = Connection.close
    sqlite.write(add("one"))

    def note(connection: Connection) -> None:
        closed.append(connection)
        close(connection)

    def nest(depth: int) -> list[str]:
        return sqlite.read(lambda c: nest(depth - 1) if depth else ids(c))

    monkeypatch.setattr(Connection, "close", note)
    assert nest(4) == ["one"]
    assert len(closed) == 3
    assert nest(1) == ["one"]
    assert len(closed) == 3


def test_a_disk_without_room_for_a_new_generation(
    sqlite: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, **given: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "touch", refuse)
    with pytest.raises(DatabaseFull):
        sqlite.build()
    shutil.rmtree(tmp_path / FOLDER)
