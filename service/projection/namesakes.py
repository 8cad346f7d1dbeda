"""Players as they are shown: by name, with a mark where they could be taken for somebody else.

Players whose names have a key in common (`service.player.names.skeleton`) stand together in the
table. The name of an `odd` one could not be chosen today; it comes from a record or an old archive,
and is always marked. Players who were erased or merged into another have no row. The rows lag
behind the log as the list of players does.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Final, TypeVar

from sqlalchemy import Connection, func, select

from service.computer.registration import REGISTRAR
from service.log.noted_reads import note_doubt, note_names
from service.player.admins import OPERATOR
from service.player.names.name_policy import NOBODY, is_plain
from service.player.names.shown import ShownName
from service.player.names.skeleton import lookalike_keys
from service.player.repository import Players
from service.player.state import PlayerState
from service.projection.data_version import read_data_version
from service.projection.database.chunks import select_rows_in
from service.projection.database.database import Database
from service.projection.database.tables import NAMESAKE, PLAYER
from service.projection.errors import DatabaseError, DatabaseSlow

T = TypeVar("T")

log = logging.getLogger(__name__)

SHORTEST: Final = 4
"""Characters of an id in a mark; more where two marks would be the same."""
NO_NAME: Final = ShownName(NOBODY)
PATIENCE: Final = 1.5
"""Seconds that a game waits for the marks of its players' names."""
PAUSE: Final = 2.0
"""Seconds after which a database that did not answer is asked for marks again."""


class Namesakes:
    """Says under which names, with which marks, players are shown."""

    def __init__(self, database: Database, players: Players) -> None:
        self.players = players
        self.database = database
        self._asked_again_at = float("-inf")

    def shown(self, ids: Iterable[str | None]) -> dict[str, ShownName]:
        """The names of these players by id, as `Players.names` has them, with their marks.

        A player who is merged into another is shown as that one.
        """
        known = self.players.known(ids)
        marks = self._marks({one: name for one, name in known.values() if name is not None})
        return {
            id: NO_NAME if name is None else ShownName(name, marks.get(one))
            for id, (one, name) in known.items()
        }

    def read_version(self) -> int | None:
        """The state of the tables that the marks are of; None if the database does not answer."""
        return self._ask(read_data_version)

    def _marks(self, names: Mapping[str, str]) -> Mapping[str, str]:
        """The marks of those of these players who need one; of all where that is unknown."""
        asked = [(id, digest) for id, name in names.items() for digest in digests(name)]
        if not asked:
            return {}
        with note_names():
            found = self._ask(lambda connection: find_marks(connection, asked))
        if found is not None:
            return found
        note_doubt()
        # Games can be played without the lists; marking everybody meanwhile keeps names
        # unambiguous.
        return {id: id[:SHORTEST].upper() for id in names}

    def _ask(self, query: Callable[[Connection], T]) -> T | None:
        """What a query finds; None where the database does not answer, or did not a moment ago."""
        if time.monotonic() >= self._asked_again_at:
            try:
                return self.database.read(query, PATIENCE)
            except DatabaseError as error:
                self._go_without(error)
        return None

    def _go_without(self, error: DatabaseError) -> None:
        """Stop asking for a while; of many callers that waited at once only the first logs it."""
        if time.monotonic() >= self._asked_again_at:
            # A moment in which this process had too much to do is no fault of the database.
            level = logging.INFO if isinstance(error, DatabaseSlow) else logging.WARNING
            log.log(level, "every name is shown with its mark: %s", error)
        self._asked_again_at = time.monotonic() + PAUSE


def find_marks(connection: Connection, asked: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    """Marks that no other player of the same key has: longer than the ids' common part.

    `asked` are players with each of their keys; players who need no mark get none.
    """
    known = {
        (row.player, row.digest): (row.before, row.after, row.odd)
        for row in select_rows_in(
            connection, _LISTED, _OWN.player, dict.fromkeys(id for id, _ in asked)
        )
    }
    lengths: dict[str, int] = {}
    for id, digest in asked:
        # A player who is not listed under the key yet, since the list lags, has neighbours there
        # too.
        found = known.get((id, digest)) or _find_neighbours(connection, id, digest)
        *neighbours, odd = found
        others = [other for other in neighbours if other is not None]
        if others or odd:
            needed = [_shared(id, other) + 1 for other in others]
            lengths[id] = max(SHORTEST, lengths.get(id, 0), *needed)
    return {id: id[:length].upper() for id, length in lengths.items()}


def _find_neighbours(
    connection: Connection, id: str, digest: str
) -> tuple[str | None, str | None, bool]:
    of_key = NAMESAKE.c.digest == digest
    before = select(func.max(NAMESAKE.c.player)).where(of_key, NAMESAKE.c.player < id)
    after = select(func.min(NAMESAKE.c.player)).where(of_key, NAMESAKE.c.player > id)
    return connection.execute(before).scalar(), connection.execute(after).scalar(), False


def namesake_rows(state: PlayerState, name: str | None) -> list[dict[str, str]]:
    """The rows of a player with this name; none for a player who is not listed."""
    keys = dict.fromkeys(digests(name)) if name is not None else {}
    return [{"digest": key, "player": state.id} for key in keys]


def is_odd(state: PlayerState, name: str | None) -> bool:
    """Whether no player could choose this name."""
    # The operator's admin and the computer rightly have names reserved for the service.
    rightly = state.registered_by in (OPERATOR, REGISTRAR)
    return name is not None and not rightly and not is_plain(name)


def digests(name: str) -> list[str]:
    """The keys of a name, each shortened to the same length."""
    return [
        blake2b(key.encode(errors="replace"), digest_size=10).hexdigest()
        for key in lookalike_keys(name)
    ]


def _shared(one: str, other: str) -> int:
    """The length of the common beginning of two ids."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))


_OWN: Final = NAMESAKE.c
_OTHER: Final = NAMESAKE.alias("other").c
_LISTED: Final = select(
    _OWN.player,
    _OWN.digest,
    select(func.max(_OTHER.player))
    .where(_OTHER.digest == _OWN.digest, _OTHER.player < _OWN.player)
    .scalar_subquery()
    .label("before"),
    select(func.min(_OTHER.player))
    .where(_OTHER.digest == _OWN.digest, _OTHER.player > _OWN.player)
    .scalar_subquery()
    .label("after"),
    PLAYER.c.odd,
).join_from(NAMESAKE, PLAYER, PLAYER.c.id == _OWN.player)
"""The listed keys of players, each with the neighbouring players of the same key."""
