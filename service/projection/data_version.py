"""Which state of the tables questions about finished games are answered from, as one number.

Whoever changes a finished game, what positions are called, or who the players are, counts it up in
the same transaction; what only running games change does not count.
"""

from __future__ import annotations

import secrets
from typing import Final

from sqlalchemy import Connection, bindparam, insert, select, update

from service.projection.database.tables import DATA_VERSION

FIRST_BYTES: Final = 6
"""Of the first number. It is random, so that tables which are built anew have other numbers."""
_ROW: Final = 1


def read_data_version(connection: Connection) -> int:
    """The number of the state that this transaction sees; 0 as long as there is nothing."""
    version: int | None = connection.execute(_READ).scalar()
    return version or 0


def advance_data_version(connection: Connection, changes: int = 1) -> None:
    """Give the state that this transaction leaves behind a number of its own.

    `changes`, above zero, are counted so that it does not matter in how many transactions they are
    written: what everybody sees of the number must not tell how the projector came along.
    """
    if connection.execute(_ADVANCE, {"changes": changes}).rowcount == 0:
        first = int.from_bytes(secrets.token_bytes(FIRST_BYTES)) + changes
        row = {"id": _ROW, "version": first}
        connection.execute(insert(DATA_VERSION).values(row))


_READ: Final = select(DATA_VERSION.c.version).where(DATA_VERSION.c.id == _ROW)
_ADVANCE: Final = (
    update(DATA_VERSION)
    .where(DATA_VERSION.c.id == _ROW)
    .values(version=DATA_VERSION.c.version + bindparam("changes"))
)
