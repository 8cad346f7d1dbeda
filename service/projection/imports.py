"""The lists of imports: all of them, and each player's own.

    list-of-imports       sorted set: every import
    imports-by=<player>   sorted set: the imports of one player

What becomes of an import is read from its log, so that a list never tells of it too late.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import redis

from service.errors import BadValue
from service.imports.repository import KIND, Imports
from service.imports.state import ImportState
from service.log.values import Pointer
from service.projection.generation import Current
from service.projection.keys import list_name
from service.projection.sorted_lists import PLACE_BY_AGE, Line, Lines, place_by_age

log = logging.getLogger(__name__)

LIST: Final = "list-of-imports"


class ImportPage(NamedTuple):
    """Ids of imports newest first, and where the next page begins; None after the last."""

    ids: list[str]
    next_cursor: str | None


class ImportList:
    """The projected lists of imports; they lag behind the log as the list of games does."""

    def __init__(self, store: redis.Redis) -> None:
        self.lines = Lines(store, "imports")
        self._current = Current(store)

    def write(self, states: Iterable[ImportState], generation: int | None = None) -> None:
        """Write these imports; see `Lines.write`."""
        self.lines.write((line for state in states for line in _lines(state)), generation)

    def page(self, by: str | None, cursor: str | None = None, limit: int = 50) -> ImportPage:
        """Up to `limit` imports of a player, or of everybody, older than `cursor`.

        Raises BadValue for a bad cursor.
        """
        if cursor is not None and not PLACE_BY_AGE.fullmatch(cursor):
            raise BadValue("cursor", "expected the next_cursor of an earlier page")
        name = LIST if by is None else _own(by)
        bound = "+" if cursor is None else f"({cursor}"
        [found] = self._current.fetch(
            lambda ask, base: ask.zrevrangebylex(f"{base}{name}", bound, "-", 0, limit + 1)
        )
        places = [place.decode() for place in found]
        ids = [place.partition(":")[2] for place in places[:limit]]
        return ImportPage(ids, places[limit - 1] if len(places) > limit else None)


class ImportFollower:
    """Follows the feed and keeps the lists of imports up to date."""

    kind: Final = KIND

    def __init__(self, imports: Imports, store: redis.Redis) -> None:
        self.imports = imports
        self.list = ImportList(store)

    def follow(self, pointers: Sequence[Pointer]) -> None:
        """List the imports that these pointers name; doing it again changes nothing."""
        for id in dict.fromkeys(pointer.stream.id for pointer in pointers):
            try:
                self.list.write([self.imports.load(id)])
            except redis.RedisError:
                raise
            except Exception:
                log.exception("import %s cannot be read: it is not listed", id)


def _own(player: str) -> str:
    return list_name("imports-by", player)


def _lines(state: ImportState) -> Iterator[Line]:
    # It is begun once: no later version stands anywhere else.
    place = place_by_age(state.begun_at, state.id)
    yield Line(f"{state.id} {LIST}", 1, LIST, text=place)
    yield Line(f"{state.id} own", 1, _own(state.by), text=place)
