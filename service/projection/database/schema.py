"""The schema of the tables: made new, or brought up to date by Alembic's migrations.

A new table or column goes into `tables.py` and, as a step from the revision before it, into
`migrations/versions/`; `tests/service/projection/database/test_schema.py` compares the two.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, String, column, insert, inspect, select, table, text

from service.projection.database.tables import METADATA
from service.projection.errors import NewerDatabase

if TYPE_CHECKING:
    from alembic.config import Config

HEAD: Final = "0001"
"""The revision of `tables.py`."""
VERSIONS: Final = "alembic_version"
_VERSION: Final = table(VERSIONS, column("version_num", String))


def create_tables(connection: Connection) -> None:
    """Make all tables in an empty database, in a transaction, and note their revision."""
    METADATA.create_all(connection, checkfirst=False)
    connection.execute(text(f"CREATE TABLE {VERSIONS} (version_num VARCHAR(32) PRIMARY KEY)"))
    connection.execute(insert(_VERSION).values(version_num=HEAD))


def upgrade(connection: Connection) -> None:
    """Bring the tables up to date, in a transaction.

    Raises NewerDatabase where a later version of the service has made them.
    """
    found = revision(connection)
    if found != HEAD:
        _migrate(connection, found)


def revision(connection: Connection) -> str | None:
    """The revision that the tables have; None where there are none."""
    if not inspect(connection).has_table(VERSIONS):
        return None
    return connection.execute(select(_VERSION.c.version_num)).scalar()


def _migrate(connection: Connection, found: str | None) -> None:
    # Imported only here: it takes as long as a start, and is needed once in a version.
    from alembic import command
    from alembic.script import ScriptDirectory

    config = configuration(connection)
    known = {one.revision for one in ScriptDirectory.from_config(config).walk_revisions()}
    if found is not None and found not in known:
        raise NewerDatabase(found)
    command.upgrade(config, HEAD)


def configuration(connection: Connection) -> Config:
    """What Alembic needs to know to migrate over a connection."""
    from alembic.config import Config

    config = Config()
    folder = files("service.projection.database").joinpath("migrations")
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
