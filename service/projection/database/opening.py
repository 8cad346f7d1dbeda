"""Opens the database that the settings name."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from service.environment import BadSetting
from service.projection.database import FOLDER as FOLDER
from service.projection.database.database import Database
from service.projection.database.interface import Store
from service.projection.database.postgresql import PostgresqlStore
from service.projection.database.sqlite import SqliteStore

SETTING: Final = "MOVELOG_DATABASE_URL"


def open_database(data_dir: Path, url: str | None) -> Database:
    """The database at a `postgresql://` URL, or without one SQLite's in the data directory.

    It is first reached when it is first used. Then the tables are created where there are none, and
    older ones are migrated. Raises BadSetting for an impossible URL, and for one that needs a
    driver that is not installed.
    """
    return Database(_store(data_dir, url))


def _store(data_dir: Path, url: str | None) -> Store:
    if url is None:
        return SqliteStore(data_dir / FOLDER)
    if find_spec("psycopg") is None:
        raise BadSetting(SETTING, "PostgreSQL needs a driver: pip install 'movelog[postgresql]'")
    try:
        return PostgresqlStore(make_url(url).set(drivername="postgresql+psycopg"))
    except ArgumentError as error:
        raise BadSetting(SETTING, str(error)) from error
