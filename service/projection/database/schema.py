"""The schema of the tables: created new, or brought up to date by Alembic's migrations.

A new table or column goes into `tables.py` and, as a step from the previous revision, into
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

HEAD: Final = "0008"
"""The revision of `tables.py`."""
VERSIONS: Final = "alembic_version"
_VERSION: Final = table(VERSIONS, column("version_num", String))


def create_tables(connection: Connection) -> None:
    """Create all tables in an empty database, in a transaction, and note their revision."""
    METADATA.create_all(connection, checkfirst=False)
    connection.execute(text(f"CREATE TABLE {VERSIONS} (version_num VARCHAR(32) PRIMARY KEY)"))
    connection.execute(insert(_VERSION).values(version_num=HEAD))


def upgrade(connection: Connection) -> None:
    """Bring the tables up to date, in a transaction.

    Raises NewerDatabase where a later version of the service created them.
    """
    if not is_up_to_date(connection):
        _migrate(connection)


def is_up_to_date(connection: Connection) -> bool:
    """Whether `upgrade` has nothing to do; finding out needs no lock. Raises NewerDatabase."""
    found = revision(connection)
    if found in (None, HEAD):
        return found == HEAD
    # Imported only here: the import takes as long as a start, and is needed once per version.
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory.from_config(configuration(connection))
    if found not in {known.revision for known in scripts.walk_revisions()}:
        raise NewerDatabase(found)
    return False


def revision(connection: Connection) -> str | None:
    """The revision of the tables; None where there are none."""
    if not inspect(connection).has_table(VERSIONS):
        return None
    return connection.execute(select(_VERSION.c.version_num)).scalar()


def _migrate(connection: Connection) -> None:
    from alembic import command

    command.upgrade(configuration(connection), HEAD)


def configuration(connection: Connection) -> Config:
    """The configuration that Alembic needs to migrate over a connection."""
    from alembic.config import Config

    config = Config()
    folder = files("service.projection.database").joinpath("migrations")
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
