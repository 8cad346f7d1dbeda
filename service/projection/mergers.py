"""Players who are one person: what they play stands in the lists of each they were merged into."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from typing import Final

import redis
from sqlalchemy import Connection

from service.log.interface import EventLog
from service.log.values import Pointer
from service.player.events import PlayerMerged, PlayerParted
from service.player.mergers import survivors
from service.player.state import KIND
from service.projection.games.writer import write_seats
from service.projection.tournaments import list_entered, load_readable, write_entrants
from service.projection.updates import Change
from service.tournament.repository import Tournaments

log = logging.getLogger(__name__)


class MergerProjection:
    """Lists what those have played anew who were merged into others, or parted from them."""

    kind: Final = KIND

    def __init__(self, events: EventLog, tournaments: Tournaments) -> None:
        self.events = events
        self.tournaments = tournaments

    def prepare(self, pointers: Sequence[Pointer]) -> Change:
        """Look for mergers among what these pointers name."""
        found = dict.fromkeys(one.stream.id for one in pointers if self._is_merger(one))

        def change(connection: Connection) -> None:
            # Those of others who were merged into this one stand in the list already.
            merged = partial(survivors, self.events)
            for player in found:
                write_seats(connection, player, merged)
                entered = load_readable(self.tournaments, list_entered(connection, player))
                write_entrants(connection, entered, merged)

        return change

    def _is_merger(self, pointer: Pointer) -> bool:
        count = pointer.last - pointer.first + 1
        try:
            recorded = self.events.read(pointer.stream, pointer.first - 1, count)
        except redis.RedisError:
            raise
        except Exception:
            log.exception("the games of %s are not listed anew", pointer.stream)
            return False
        return any(isinstance(entry.event, PlayerMerged | PlayerParted) for entry in recorded)
