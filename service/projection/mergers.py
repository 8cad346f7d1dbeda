"""Players who are one person: their games are listed under each player they were merged into."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import redis
from sqlalchemy import Connection, select

from service.log.interface import EventLog
from service.log.values import Pointer
from service.player.events import PlayerMerged, PlayerParted
from service.player.mergers import survivors
from service.player.state import KIND
from service.projection.database.chunks import select_in
from service.projection.database.tables import PLAYER
from service.projection.games.seats import write_seats
from service.projection.tournaments import list_entered, load_readable, write_entrants
from service.projection.updates import Change
from service.tournament.repository import Tournaments

log = logging.getLogger(__name__)


class MergerProjection:
    """Lists anew the games of players who were merged into others, or parted from them."""

    kind: Final = KIND

    def __init__(self, events: EventLog, tournaments: Tournaments) -> None:
        self.events = events
        self.tournaments = tournaments

    def prepare(self, pointers: Sequence[Pointer]) -> Change:
        """Look for mergers among what these pointers name."""
        found = dict.fromkeys(one.stream.id for one in pointers if self._is_merger(one))

        def change(connection: Connection) -> None:
            # Games of players who were merged into this one are in the list already.
            for player in found:
                self._list_anew(connection, player)

        return change

    def find_stale(self, connection: Connection, current: Mapping[str, int]) -> set[str]:
        """Always empty: `service.projection.players` finds the players whose rows are stale."""
        return set()

    def mend(self, stale: Sequence[str], found: Sequence[str]) -> Change:
        """List anew the games of players who are merged, or were before the log lost it."""
        merged = survivors(self.events, stale).keys()

        def change(connection: Connection) -> None:
            # Read from the old rows of players, which are rewritten later.
            at = PLAYER.c
            nameless = select_in(connection, select(at.id).where(at.name.is_(None)), at.id, stale)
            for player in sorted({*merged, *nameless}):
                self._list_anew(connection, player)

        return change

    def _list_anew(self, connection: Connection, player: str) -> None:
        merged = partial(survivors, self.events)
        write_seats(connection, player, merged)
        entered = load_readable(self.tournaments, list_entered(connection, player))
        write_entrants(connection, entered, merged)

    def _is_merger(self, pointer: Pointer) -> bool:
        count = pointer.last - pointer.first + 1
        try:
            recorded = self.events.read(pointer.stream, pointer.first - 1, count)
        except redis.RedisError:
            raise
        except Exception:
            log.exception("the games of %s are not listed again", pointer.stream)
            return False
        return any(isinstance(entry.event, PlayerMerged | PlayerParted) for entry in recorded)
