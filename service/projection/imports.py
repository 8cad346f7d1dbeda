"""The list of imports: all of them, and each player's own.

The progress of an import is read from its log, so that a list never shows it too late.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import redis
from sqlalchemy import Connection, delete, insert, select

from service.imports.repository import KIND, Imports
from service.imports.state import ImportState
from service.log.values import Pointer
from service.projection.cursors import is_older, read_cursor, write_cursor
from service.projection.database.chunks import is_among, select_in
from service.projection.database.database import Database
from service.projection.database.tables import IMPORT
from service.projection.games.held import list_holders
from service.projection.updates import Change, NotMendable

log = logging.getLogger(__name__)


class ImportPage(NamedTuple):
    """Ids of imports newest first, and where the next page begins; None after the last."""

    ids: list[str]
    next_cursor: str | None


class ImportList:
    """The projected list of imports; it lags behind the log as the list of games does."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def page(self, by: str | None, cursor: str | None = None, limit: int = 50) -> ImportPage:
        """Up to `limit` imports of a player, or of everybody, older than `cursor`.

        Raises BadCursor.
        """
        at = IMPORT.c
        chosen = select(at.begun_at, at.id).order_by(at.begun_at.desc(), at.id.desc())
        if by is not None:
            chosen = chosen.where(at.by == by)
        last_key = read_cursor(cursor, by)
        if last_key is not None:
            chosen = chosen.where(is_older(at.begun_at, at.id, last_key))
        chosen = chosen.limit(limit + 1)
        found = [(at, id) for at, id in self.database.read(lambda c: c.execute(chosen).all())]
        following = write_cursor(found[limit - 1], by) if len(found) > limit else None
        return ImportPage([id for _, id in found[:limit]], following)


class ImportProjection:
    """Keeps the list of imports up to date."""

    kind: Final = KIND

    def __init__(self, imports: Imports) -> None:
        self.imports = imports

    def prepare(self, pointers: Sequence[Pointer]) -> Change:
        """Read the imports that these pointers name; those that cannot be read are left out."""
        states = self._load(pointer.stream.id for pointer in pointers)
        return lambda connection: write_imports(connection, states)

    def find_stale(self, connection: Connection, current: Mapping[str, int]) -> set[str]:
        """The imports that only the list or only the log has: what is listed never changes."""
        return set(connection.execute(select(IMPORT.c.id)).scalars()) ^ current.keys()

    def mend(self, stale: Sequence[str], found: Sequence[str]) -> Change:
        """List the imports in `found`, and none of the other stale ones.

        The returned change raises NotMendable where games are held back for an import that is gone.
        """
        states = self._load(found)
        gone = set(stale) - set(found)

        def change(connection: Connection) -> None:
            if not gone.isdisjoint(list_holders(connection)):
                raise NotMendable
            connection.execute(delete(IMPORT).where(is_among(connection, IMPORT.c.id, stale)))
            write_imports(connection, states)

        return change

    def _load(self, ids: Iterable[str]) -> list[ImportState]:
        """The imports of these ids, except those that cannot be read."""
        states = []
        for id in dict.fromkeys(ids):
            try:
                states.append(self.imports.load(id))
            except redis.RedisError:
                raise
            except Exception:
                log.exception("import %s cannot be read: it is not listed", id)
        return states


def write_imports(connection: Connection, states: Iterable[ImportState]) -> None:
    """List imports; one that is listed already stays as it is, since it is begun only once."""
    rows = {
        state.id: {"id": state.id, "by": state.by, "begun_at": state.begun_at} for state in states
    }
    known = select_in(connection, select(IMPORT.c.id), IMPORT.c.id, rows)
    new = [row for id, row in rows.items() if id not in known]
    if new:
        connection.execute(insert(IMPORT), new)
