"""What PostgreSQL notes of the generations: a row with the current and the newest number.

Anybody with the rights can change it, so it is read with care.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection, text

from service.projection.errors import DatabaseDamaged

SCHEMA: Final = "movelog"
NOTES: Final = f"{SCHEMA}.generation"
REPLACED: Final = "_replaced"
NONE: Final = 0
"""The number of the current generation while none can be read."""


def has_notes(connection: Connection) -> bool:
    """Whether anything was ever noted."""
    return connection.execute(text(f"SELECT to_regclass('{NOTES}')")).scalar() is not None


def read_notes(connection: Connection) -> dict[str, Any]:
    """The row that names the current generation; raises DatabaseDamaged where there is none."""
    return _read_row(connection)[0]


def read_number(connection: Connection) -> int:
    """The number of the current generation; raises DatabaseDamaged where that has no tables."""
    notes, has_tables = _read_row(connection)
    number = notes.get("current")
    if isinstance(number, int) and number > NONE and has_tables:
        return number
    raise DatabaseDamaged(f"the table {NOTES} does not name a generation that is there")


def read_newest(connection: Connection) -> int:
    """The newest number that was ever begun, if it is noted."""
    newest = read_notes(connection).get("newest")
    return newest if isinstance(newest, int) else 0


def write_notes(connection: Connection, current: int, newest: int) -> None:
    """Note which generation is current, whatever was noted before."""
    values = f"current = {current}, newest = {newest}"
    if has_notes(connection) and _are_whole(connection):
        connection.execute(text(f"UPDATE {NOTES} SET {values}"))
        return
    connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))
    connection.execute(text(f"DROP TABLE IF EXISTS {NOTES}"))
    connection.execute(
        text(f"CREATE TABLE {NOTES} (current integer NOT NULL, newest integer NOT NULL)")
    )
    connection.execute(text(f"INSERT INTO {NOTES} VALUES ({current}, {newest})"))


def _read_row(connection: Connection) -> tuple[dict[str, Any], bool]:
    """The row, and whether its generation has tables, as of one moment.

    With two questions, a rebuild that ends in between would make the first answer wrong.
    """
    # As JSON, which can be read whatever the columns are.
    question = (
        "SELECT to_json(g), EXISTS (SELECT FROM pg_namespace"
        f" WHERE nspname = '{SCHEMA}_' || (to_json(g) ->> 'current')) FROM {NOTES} g"
    )
    rows = connection.execute(text(question)).all() if has_notes(connection) else []
    if len(rows) != 1:
        raise DatabaseDamaged(f"the table {NOTES} has not one row, which names a generation")
    return dict(rows[0][0]), bool(rows[0][1])


def _are_whole(connection: Connection) -> bool:
    """Whether there is exactly one row, with both numbers."""
    try:
        found = read_notes(connection)
    except DatabaseDamaged:
        return False
    return all(isinstance(found.get(name), int) for name in ("current", "newest"))


def number_of(schema: str) -> int:
    """The number of a generation, read from its schema's name."""
    return int(schema.removesuffix(REPLACED).rpartition("_")[2])
