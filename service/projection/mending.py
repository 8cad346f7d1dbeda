"""Mends lists that know more than the log: only what differs from the log is written.

The heads that rows were made from are compared with those of the streams, in all partitions, since
a feed that was lost entirely looks like one that was trimmed. The rows of the streams that differ
are deleted and written anew, in the transaction that sets the checkpoints to what the log has.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from service.game.repository import Games
from service.projection.checkpoints import read_checkpoints, write_checkpoints
from service.projection.database.chunks import batched
from service.projection.database.database import Database
from service.projection.database.refusals import is_refused_row
from service.projection.games.mending import GameMending
from service.projection.heads import find_ahead
from service.projection.short_heads import shorten_head
from service.projection.strict_imports import StrictImports
from service.projection.updates import Mendable, NotMendable

log = logging.getLogger(__name__)

MOST: Final = 2000
"""Streams that are rewritten in one transaction; where more differ, everything is rebuilt."""
CHUNK: Final = 1000
"""Streams whose heads are read together."""


class Mending:
    """Rewrites what the tables have of streams of which the log has lost something."""

    def __init__(
        self,
        games: Games,
        database: Database,
        projections: Sequence[Mendable] = (),
        strict: StrictImports | None = None,
    ) -> None:
        self.log = games.log
        self.database = database
        self.parts: Sequence[Mendable] = [
            GameMending(games, database, strict),
            *projections,
        ]

    def run(self) -> bool:
        """Mend the tables; returns whether that was possible, or everything must be rebuilt.

        It is not possible where too many streams differ, as with rows that an earlier version wrote
        without heads, or where a stream differs that every game is classified by. Raises Overtaken
        where another process has written one of the games meanwhile, DatabaseError, and what the
        log raises.
        """
        known = self.database.read(read_checkpoints)
        # Events appended from here on are named in the feed after these positions. What others
        # project meanwhile is projected again.
        begun = known | self.log.feed_positions(find_ahead(self.log, known))
        found = {kind: self._read_heads(kind) for kind in {part.kind for part in self.parts}}
        stale = self._find_stale(found)
        if (count := sum(map(len, stale.values()))) > MOST:
            log.warning("%s streams differ from the log: everything is rebuilt", count)
            return False
        changes = [
            part.mend(ids, sorted(set(ids) & found[part.kind].keys()))
            for part in self.parts
            if (ids := sorted(stale[part.kind]))
        ]

        def write(connection: Connection) -> None:
            for change in changes:
                change(connection)
            write_checkpoints(connection, begun)

        try:
            self.database.write(write)
        except NotMendable:
            return False
        except DBAPIError as error:
            if not is_refused_row(error):
                raise
            return False
        log.info("%s streams differed from the log: their rows were rewritten", count)
        return True

    def _read_heads(self, kind: str) -> dict[str, int]:
        """The heads of all streams of a kind that the log has, by id."""
        return {
            stream.id: shorten_head(digest)
            for some in batched(self.log.streams(kind), CHUNK)
            for stream, digest in zip(some, self.log.digests(some), strict=True)
        }

    def _find_stale(self, found: Mapping[str, Mapping[str, int]]) -> dict[str, set[str]]:
        """The streams of each kind whose rows were made from other events than those in `found`."""

        def read(connection: Connection) -> dict[str, set[str]]:
            stale: dict[str, set[str]] = {kind: set() for kind in found}
            for part in self.parts:
                stale[part.kind] |= part.find_stale(connection, found[part.kind])
            return stale

        return self.database.read(read)
