"""Counts of the changes of a SQLite file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from service.projection.database.changes import FileChanges


def write(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS t (a)")
        connection.execute("INSERT INTO t VALUES (1)")
    connection.close()


def test_each_change_and_each_other_file_has_another_count(tmp_path: Path) -> None:
    file, changes = tmp_path / "1.sqlite", FileChanges()
    write(file)
    seen = [changes.count("first", file)]
    assert changes.count("first", file) == seen[0]
    write(file)
    seen.append(changes.count("first", file))
    # Another file of the same name, as a rebuild creates if all files were deleted.
    file.unlink()
    write(file)
    seen.append(changes.count("second", file))
    changes.close()
    seen.append(changes.count("second", file))
    assert None not in seen
    assert len(set(seen)) == 4
    changes.close()


def test_a_file_that_is_gone_has_no_count(tmp_path: Path) -> None:
    assert FileChanges().count("first", tmp_path / "none.sqlite") is None
