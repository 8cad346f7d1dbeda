"""What holds for the database of the read models, be it SQLite or PostgreSQL."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from service.projection.database.database import Database
from service.projection.database.opening import open_database
from service.projection.database.tables import CHECKPOINT, IMPORT
from service.projection.errors import DatabaseFull, RebuildSuperseded
from tests.waiting import PATIENCE, eventually, join


def add(id: str) -> Callable[[Connection], None]:
    def change(connection: Connection) -> None:
        connection.execute(insert(IMPORT).values(id=id, by="ann", begun_at=1))

    return change


def ids(connection: Connection) -> list[str]:
    return list(connection.execute(select(IMPORT.c.id).order_by(IMPORT.c.id)).scalars())


def test_what_is_written_is_read(database: Database) -> None:
    database.write(add("one"))
    assert database.read(ids) == ["one"]


def test_a_change_that_fails_writes_nothing(database: Database) -> None:
    def fail(connection: Connection) -> None:
        add("one")(connection)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        database.write(fail)
    with pytest.raises(IntegrityError):
        database.write(lambda connection: [add("two")(connection) for _ in range(2)])
    assert database.read(ids) == []


def test_a_question_is_answered_by_one_state_of_the_tables(
    database: Database, tmp_path: Path, database_url: str | None
) -> None:
    other = open_database(tmp_path, database_url)
    database.write(add("one"))

    def read_twice(connection: Connection) -> tuple[list[str], list[str]]:
        before = ids(connection)
        other.write(add("two"))
        return before, ids(connection)

    assert database.read(read_twice) == (["one"], ["one"])
    assert database.read(ids) == ["one", "two"]
    other.close()


def test_changes_wait_for_each_other(
    database: Database, tmp_path: Path, database_url: str | None
) -> None:
    other = open_database(tmp_path, database_url)
    database.write(lambda c: c.execute(insert(CHECKPOINT).values(partition=0, position="0")))
    reading, done = threading.Event(), threading.Event()

    def count_on(connection: Connection) -> None:
        known = int(connection.execute(select(CHECKPOINT.c.position)).scalar_one())
        reading.set()
        # The other change must wait: it begins after this one has read, but before it has written.
        assert not done.wait(0.2)
        connection.execute(update(CHECKPOINT).values(position=str(known + 1)))

    def count_on_at_once(connection: Connection) -> None:
        known = int(connection.execute(select(CHECKPOINT.c.position)).scalar_one())
        connection.execute(update(CHECKPOINT).values(position=str(known + 1)))

    def run_second() -> None:
        assert reading.wait(PATIENCE)
        other.write(count_on_at_once)
        done.set()

    second = threading.Thread(target=run_second)
    second.start()
    database.write(count_on)
    join(second)
    assert done.is_set()
    assert database.read(lambda c: c.execute(select(CHECKPOINT.c.position)).scalar()) == "2"
    other.close()


def test_a_new_generation_is_read_all_at_once(
    database: Database, tmp_path: Path, database_url: str | None
) -> None:
    other = open_database(tmp_path, database_url)
    other.write(add("old"))
    built = other.build()
    built.write(add("new"))
    assert database.read(ids) == ["old"]
    replacing = threading.Thread(target=lambda: other.replace_by(built, lambda _: None))

    def is_replaced() -> bool:
        return open_database(tmp_path, database_url).store.current() == built.building

    def read_on(connection: Connection) -> list[str]:
        before = ids(connection)
        if before == ["old"]:
            replacing.start()
            eventually(is_replaced)
        return before + ids(connection)

    assert database.read(read_on) in (["old", "old"], ["new", "new"])
    join(replacing)
    other.close()
    assert database.read(ids) == ["new"]
    database.write(add("newer"))
    assert database.read(ids) == ["new", "newer"]


def test_another_process_notices_the_new_generation(
    database: Database, tmp_path: Path, database_url: str | None
) -> None:
    other = open_database(tmp_path, database_url)
    other.write(add("old"))
    built = database.build()
    built.write(add("new"))
    database.replace_by(built, lambda _: None)
    assert other.read(ids) == ["new"]
    other.write(add("newer"))
    assert database.read(ids) == ["new", "newer"]
    other.close()


def test_a_change_that_waited_for_a_swap_goes_into_the_new_generation(
    database: Database, tmp_path: Path, database_url: str | None
) -> None:
    other = open_database(tmp_path, database_url)
    other.write(add("old"))
    built = database.build()
    writer = threading.Thread(target=lambda: other.write(add("late")))

    def finish(connection: Connection | None) -> None:
        assert connection is not None
        assert ids(connection) == ["old"]
        built.write(add("old"))
        writer.start()

    database.replace_by(built, finish)
    join(writer)
    assert database.read(ids) == ["late", "old"]
    other.close()


def test_the_later_rebuild_wins(
    database: Database, tmp_path: Path, database_url: str | None
) -> None:
    other = open_database(tmp_path, database_url)
    first = database.build()
    first.write(add("first"))
    second = other.build()
    with pytest.raises(RebuildSuperseded) as caught:
        first.write(add("more"))
    assert caught.value.generation == first.building
    with pytest.raises(RebuildSuperseded):
        database.replace_by(first, lambda _: None)
    second.write(add("second"))
    other.replace_by(second, lambda _: None)
    assert database.read(ids) == ["second"]
    other.close()


def test_a_question_to_a_dropped_generation_says_what_became_of_it(database: Database) -> None:
    dropped = database.build()
    database.build()
    with pytest.raises(RebuildSuperseded) as caught:
        dropped.read(ids)
    assert caught.value.generation == dropped.building


def test_a_rebuild_that_is_given_up_leaves_nothing(database: Database) -> None:
    database.write(add("old"))
    built = database.build()
    built.write(add("new"))
    built.discard()
    with pytest.raises(RebuildSuperseded):
        built.write(add("newer"))
    assert database.read(ids) == ["old"]


def test_a_child_has_connections_of_its_own(database: Database) -> None:
    database.write(add("parent"))
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            database.write(add("child"))
            os.write(write, ",".join(database.read(ids)).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        assert answer.read() == "child,parent"
    os.waitpid(child, 0)
    assert database.read(ids) == ["child", "parent"]


def test_its_size_is_told(database: Database) -> None:
    before = database.size()
    rows: list[dict[str, Any]] = [
        {"id": f"import{n}", "by": "x" * 200, "begun_at": n} for n in range(1000)
    ]
    database.write(lambda connection: connection.execute(insert(IMPORT), rows))
    assert database.size() >= before + 200_000
    assert database.read(lambda c: c.execute(select(func.count(IMPORT.c.id))).scalar()) == 1000


def test_what_the_log_needs_of_a_disk_is_left_to_it(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.projection.database.database.measure_spare_room", lambda folder: 0)
    if database.store.folder is None:
        database.write(lambda connection: None)
        return
    with pytest.raises(DatabaseFull):
        database.write(lambda connection: None)
    database.read(lambda connection: None)
