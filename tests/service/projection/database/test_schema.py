"""The migrations produce the declared tables from every earlier revision."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, select, text

from service.projection.database.database import Database
from service.projection.database.opening import open_database
from service.projection.database.schema import HEAD, VERSIONS, configuration, revision, upgrade
from service.projection.database.tables import METADATA, PUZZLE_THEME
from tests.service.projection.database.test_database import add, ids


def differences(connection: Connection) -> list[Any]:
    """The differences between the tables and their declarations."""
    context = MigrationContext.configure(
        connection, opts={"include_name": lambda name, kind, parents: name != VERSIONS}
    )
    return list(compare_metadata(context, METADATA))


def columns(connection: Connection) -> dict[str, Any]:
    """The columns, primary key and indexes of each table."""
    found = inspect(connection)
    return {
        name: (
            [(one["name"], str(one["type"]), one["nullable"]) for one in found.get_columns(name)],
            found.get_pk_constraint(name)["constrained_columns"],
            sorted((str(one["name"]), one["column_names"]) for one in found.get_indexes(name)),
        )
        for name in METADATA.tables
    }


def test_new_tables_are_stamped_with_the_newest_revision(database: Database) -> None:
    assert database.read(revision) == HEAD
    assert database.read(differences) == []
    config = database.read(configuration)
    assert ScriptDirectory.from_config(config).get_current_head() == HEAD


def test_a_database_without_tables_is_brought_up_to_date_by_the_migrations(
    database: Database, tmp_path: Path, database_url: str | None
) -> None:
    made = database.read(columns)
    withoutrowid = database.read(_compact)

    def drop(connection: Connection) -> None:
        METADATA.drop_all(connection)
        connection.execute(text(f"DROP TABLE {VERSIONS}"))

    database.write(drop)
    database.close()
    opened = open_database(tmp_path, database_url)
    assert opened.read(revision) == HEAD
    assert opened.read(columns) == made
    assert opened.read(_compact) == withoutrowid
    assert opened.read(differences) == []
    opened.write(add("one"))
    assert opened.read(ids) == ["one"]
    opened.close()


def test_puzzles_keep_their_themes_when_ratings_are_put_beside_these(
    database: Database, tmp_path: Path, database_url: str | None
) -> None:
    def begin_before(connection: Connection) -> None:
        METADATA.drop_all(connection)
        connection.execute(text(f"DROP TABLE {VERSIONS}"))
        command.upgrade(configuration(connection), "0005")
        connection.execute(
            text(
                "INSERT INTO puzzle VALUES"
                " ('a', 'kerak', '', '', '', 'fork yara', 1500, 1512.5, 90, 0.06, 3),"
                " ('b', 'kerak', '', '', '', 'fork', 900, 900, 250, 0.06, 0)"
            )
        )
        connection.execute(
            text(
                "INSERT INTO puzzle_theme VALUES"
                " ('kerak', 'fork', 'a'), ('kerak', 'fork', 'b'), ('kerak', 'yara', 'a')"
            )
        )

    database.write(begin_before)
    database.close()
    opened = open_database(tmp_path, database_url)
    ordered = select(PUZZLE_THEME).order_by(PUZZLE_THEME.c.theme, PUZZLE_THEME.c.puzzle)
    assert opened.read(lambda connection: list(map(tuple, connection.execute(ordered)))) == [
        ("kerak", "fork", "a", 1512.5),
        ("kerak", "fork", "b", 900.0),
        ("kerak", "yara", "a", 1512.5),
    ]
    opened.close()


def test_a_migration_that_fails_changes_nothing(database: Database) -> None:
    def fail(connection: Connection) -> None:
        METADATA.drop_all(connection)
        connection.execute(text(f"DROP TABLE {VERSIONS}"))
        upgrade(connection)
        raise ZeroDivisionError

    _raises(lambda: database.write(fail))
    assert database.read(revision) == HEAD
    assert database.read(differences) == []


def _raises(call: Callable[[], object]) -> None:
    try:
        call()
    except ZeroDivisionError:
        return
    raise AssertionError("nothing was raised")


def _compact(connection: Connection) -> list[str]:
    """The SQLite tables without a rowid."""
    if connection.dialect.name != "sqlite":
        return []
    found = connection.execute(
        text("SELECT name FROM sqlite_master WHERE sql LIKE '%WITHOUT ROWID%' ORDER BY name")
    )
    return list(found.scalars())
