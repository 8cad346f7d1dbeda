"""The list of players: by name, and by the beginning of any word of a name.

Names are compared without case and accents. Players who are erased or merged into others have no
words in the table. A name may change before its words do, so names are looked up again on reading.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import redis
from sqlalchemy import Connection, Row, and_, bindparam, delete, insert, or_, select, update

from service.log.interface import EventLog
from service.log.values import Pointer
from service.player.names.words import starts, words
from service.player.state import KIND, PlayerState, fold, stream_of
from service.projection.cursors import digest_query
from service.projection.data_version import advance_data_version
from service.projection.database.chunks import is_among, select_rows_in
from service.projection.database.database import Database
from service.projection.database.tables import NAMESAKE, PLAYER, PLAYER_WORD, SHORT_NAME
from service.projection.database.texts import storable
from service.projection.errors import AmbiguousName, BadCursor
from service.projection.namesakes import is_odd, namesake_rows
from service.projection.short_heads import find_differing, read_heads, shorten_head
from service.projection.spellings import shorten_name
from service.projection.updates import Change

log = logging.getLogger(__name__)

CHUNK: Final = 200
LOOKED_AT: Final = 2000
"""The most words that are looked at for one page."""
LAST: Final = "\U0010ffff"
"""Sorts after every text that continues with anything else."""
_CURSOR: Final = re.compile(r"([0-9a-f]{8}) (\S+) ([a-z0-9]{1,100})")

Names = Callable[[Iterable[str]], Mapping[str, str]]
"""Looks up the names of players by their ids."""


@dataclass(frozen=True, slots=True)
class ListedPlayer:
    """A player as the list shows them; `registered_at` is milliseconds since 1970 UTC."""

    id: str
    name: str
    claimed: bool
    registered_at: int


class PlayerPage(NamedTuple):
    """Players by name, and where the next page begins; None after the last."""

    players: list[ListedPlayer]
    next_cursor: str | None


class PlayerList:
    """The projected list of players; it lags behind the log as the list of games does."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def page(
        self, names: Names, name: str = "", cursor: str | None = None, limit: int = 50
    ) -> PlayerPage:
        """Up to `limit` players with a name that, from some word on, begins with `name`.

        A page may hold fewer and still have a next one. Raises BadCursor.
        """
        sought = "_".join(words(name))
        place = _read_cursor(cursor, sought)
        found: list[ListedPlayer] = []
        for _ in range(LOOKED_AT // CHUNK):
            rows = self._rows(sought, place)
            known = names(row.player for row in rows)
            for row in rows:
                player = _listed(row, known[row.player], sought)
                if player is not None and len(found) == limit:
                    return PlayerPage(found, _write_cursor(place, sought))
                found += [player] if player is not None else []
                place = (row.text, row.player)
            if len(rows) < CHUNK:
                return PlayerPage(found, None)
        return PlayerPage(found, _write_cursor(place, sought))

    def find_registered(self, names: Names, name: str) -> str | None:
        """The id of the registered player of this name, as names are compared; None for nobody.

        Raises AmbiguousName if several have it.
        """
        found = {
            player.id
            for player in self.page(names, name, limit=CHUNK).players
            if player.claimed and words(player.name) == words(name)
        }
        if len(found) > 1:
            raise AmbiguousName(name, 1)
        return next(iter(found), None)

    def _rows(self, sought: str, place: tuple[str, str] | None) -> list[Any]:
        """The next words that begin with `sought`, after a place."""
        at = PLAYER_WORD.c
        chosen = (
            select(at.text, at.player, PLAYER.c.claimed, PLAYER.c.registered_at)
            .join_from(PLAYER_WORD, PLAYER, PLAYER.c.id == at.player)
            .where(at.text >= sought, at.text < sought + LAST)
            .order_by(at.text, at.player)
            .limit(CHUNK)
        )
        if place is not None:
            text, player = place
            behind = or_(at.text > text, and_(at.text == text, at.player > player))
            chosen = chosen.where(at.text >= text, behind)
        return self.database.read(lambda connection: list(connection.execute(chosen)))


class PlayerProjection:
    """Keeps the list of players, and the namesakes, up to date."""

    kind: Final = KIND

    def __init__(self, events: EventLog) -> None:
        self.events = events

    def prepare(self, pointers: Sequence[Pointer]) -> Change:
        """Read the players that these pointers name; players that cannot be read are left out."""
        named = with_names(
            self.events, list(dict.fromkeys(pointer.stream.id for pointer in pointers))
        )
        return lambda connection: write_players(connection, named)

    def find_stale(self, connection: Connection, current: Mapping[str, int]) -> set[str]:
        """The players whose rows were made from other events than the log has."""
        return find_differing(read_heads(connection, PLAYER), current)

    def mend(self, stale: Sequence[str], found: Sequence[str]) -> Change:
        """Write the players in `found` anew, and delete the other stale ones."""
        named = with_names(self.events, found)

        def change(connection: Connection) -> None:
            for column in (
                PLAYER.c.id,
                PLAYER_WORD.c.player,
                SHORT_NAME.c.player,
                NAMESAKE.c.player,
            ):
                connection.execute(delete(column.table).where(is_among(connection, column, stale)))
            write_players(connection, named)
            advance_data_version(connection)

        return change


def write_players(connection: Connection, named: Iterable[tuple[PlayerState, str | None]]) -> None:
    """Write players with their names, unless what is known of them is newer.

    A name is kept beside the log and may be newer than the version that it is read with.
    """
    newest = {state.id: (state, name) for state, name in named}
    chosen = select(PLAYER.c.id, PLAYER.c.version, PLAYER.c.name)
    found = select_rows_in(connection, chosen, PLAYER.c.id, newest)
    known = {row.id: row.version for row in found}
    names = {row.id: row.name for row in found}
    written = [one for id, one in newest.items() if one[0].version >= known.get(id, 0)]
    rows = [_player_row(*one) for one in written]
    new = [row for row in rows if row["id"] not in known]
    before = [row | {"at": row["id"]} for row in rows if row["id"] in known]
    if before:
        connection.execute(update(PLAYER).where(PLAYER.c.id == bindparam("at")), before)
        ids = [{"at": row["at"]} for row in before]
        for table in (PLAYER_WORD, SHORT_NAME, NAMESAKE):
            connection.execute(delete(table).where(table.c.player == bindparam("at")), ids)
    for table, added in (
        (PLAYER, new),
        (PLAYER_WORD, [row for one in written for row in _word_rows(*one)]),
        (SHORT_NAME, [row for one in written for row in _short_name_rows(*one)]),
        (NAMESAKE, [row for one in written for row in namesake_rows(one[0], _listed_name(*one))]),
    ):
        if added:
            connection.execute(insert(table), added)
    news = sum(
        row["version"] - known.get(row["id"], 0) or row["name"] != names[row["id"]] for row in rows
    )
    if news:
        advance_data_version(connection, news)


def with_names(events: EventLog, ids: Sequence[str]) -> list[tuple[PlayerState, str | None]]:
    """The players with these ids and their own names; players that cannot be read are left out."""
    try:
        found = _states(events, ids)
    except redis.RedisError:
        raise
    except Exception:
        found = [state for id in ids for state in _readable(events, id)]
    names = events.attributes([(stream_of(state.id), "name") for state in found])
    return list(zip(found, names, strict=True))


def _states(events: EventLog, ids: Sequence[str]) -> list[PlayerState]:
    recorded = events.read_each([stream_of(id) for id in ids])
    states = [fold(id, entries) for id, entries in zip(ids, recorded, strict=True)]
    return [state for state in states if state is not None]


def _readable(events: EventLog, id: str) -> list[PlayerState]:
    try:
        return _states(events, [id])
    except redis.RedisError:
        raise
    except Exception:
        log.exception("player %s cannot be read", id)
        return []


def _listed(row: Row[Any], name: str, sought: str) -> ListedPlayer | None:
    """The player of a word; None where the name has changed, or the player was listed before."""
    # Of all words that match, only the first one's row gives the player.
    told = next((one for one in starts(name) if one.startswith(sought)), None)
    if told != row.text:
        return None
    return ListedPlayer(row.player, name, row.claimed, row.registered_at)


def _listed_name(state: PlayerState, name: str | None) -> str | None:
    """The name of a player who is listed; None for others."""
    listed = not state.erased and state.merged_into is None and name is not None
    return storable(name or "") if listed else None


def _player_row(state: PlayerState, name: str | None) -> dict[str, Any]:
    listed = _listed_name(state, name)
    return {
        "id": state.id,
        "version": state.version,
        "name": listed,
        "claimed": state.claimed,
        "registered_at": state.registered_at,
        "odd": is_odd(state, listed),
        "head": shorten_head(state.head),
    }


def _word_rows(state: PlayerState, name: str | None) -> list[dict[str, str]]:
    texts = dict.fromkeys(starts(_listed_name(state, name) or ""))
    return [{"text": text, "player": state.id} for text in texts]


def _short_name_rows(state: PlayerState, name: str | None) -> list[dict[str, str]]:
    texts = shorten_name(words(_listed_name(state, name) or ""))
    return [{"text": text, "player": state.id} for text in texts]


def _write_cursor(place: tuple[str, str] | None, sought: str) -> str:
    text, player = place or ("", "")
    return f"{digest_query(sought)} {text} {player}"


def _read_cursor(cursor: str | None, sought: str) -> tuple[str, str] | None:
    if cursor is None:
        return None
    match = _CURSOR.fullmatch(cursor)
    if match is None or match[1] != digest_query(sought) or not match[2].startswith(sought):
        raise BadCursor
    return match[2], match[3]
