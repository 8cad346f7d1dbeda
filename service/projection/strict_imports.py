"""Strict imports: whose games are held back, and when all of them are to be shown."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

import redis

from service.game.repository import stream_of
from service.imports.origin import ORIGIN, find_import
from service.imports.repository import KIND, Imports
from service.imports.state import ImportMode
from service.log.feed_range import parse_position
from service.log.interface import FEED_START
from service.log.values import Pointer
from service.projection.checkpoints import Positions
from service.projection.database.database import Database
from service.projection.games.held import list_holders

log = logging.getLogger(__name__)

REMEMBERED: Final = 10_000
"""Imports for which it is remembered whether they are strict."""


class StrictImports:
    """Says which records came with a strict import, and whether all of it is in the log."""

    def __init__(self, imports: Imports, ignored: Collection[str] = ()) -> None:
        """The `ignored` imports count as if they were not strict."""
        self.imports = imports
        self.ignored = ignored
        self.is_strict = lru_cache(REMEMBERED)(self._is_strict)

    def find_holders(self, games: Sequence[str]) -> Mapping[str, str]:
        """The strict imports that these games came with, by game; other games are left out."""
        origins = self.imports.log.attributes([(stream_of(id), ORIGIN) for id in games])
        found = {
            id: find_import(origin)
            for id, origin in zip(games, origins, strict=True)
            if origin is not None
        }
        return {id: one for id, one in found.items() if self.is_strict(one)}

    def is_complete(self, id: str) -> bool:
        """Whether all games of an import are in the log, and will be seen."""
        return self.imports.is_complete(self.imports.load(id))

    def except_complete(self) -> StrictImports:
        """The strict imports except those whose games are all in the log now."""
        ids = [stream.id for stream in self.imports.log.streams(KIND)]
        complete = [id for id in ids if self.is_strict(id) and self.is_complete(id)]
        return StrictImports(self.imports, frozenset(complete))

    def _is_strict(self, id: str) -> bool:
        if id in self.ignored:
            return False
        try:
            return self.imports.load(id).mode is ImportMode.STRICT
        except redis.RedisError:
            raise
        except Exception:
            # Its games are in the log: nobody would ever say that they are complete.
            log.exception("import %s cannot be read: its games are not held back", id)
            return False


class HeldImports:
    """The imports whose games a generation holds back, and which of these are due to be shown.

    An import is shown in the transaction that projects the last of what was in the log when the
    import was complete.
    """

    def __init__(self, imports: StrictImports | None, database: Database) -> None:
        """Without `imports` nothing is ever held back or shown."""
        self.imports = imports
        self.database = database
        self._until: dict[str, Positions | None] = {}

    @property
    def waits(self) -> bool:
        """Whether games of any import are held back."""
        return bool(self._until)

    def load(self) -> None:
        """Find out for which imports games are held back."""
        if self.imports is not None:
            self._until = dict.fromkeys(self.database.read(list_holders))
            self.look()

    def note(self, holders: Iterable[str], pointers: Sequence[Pointer]) -> None:
        """Note imports for which more games are held back, and what pointers to imports say."""
        new = set(holders) - self._until.keys()
        self._until |= dict.fromkeys(new)
        if new or any(pointer.stream.kind == KIND for pointer in pointers):
            self.look()

    def look(self) -> None:
        """Check which imports are complete by now."""
        for id, until in self._until.items():
            if until is None and self.imports is not None and self.imports.is_complete(id):
                self._until[id] = self.imports.imports.log.feed_positions()

    def due(self, written: Positions) -> list[str]:
        """The imports to show once these positions are written."""
        return [
            id
            for id, until in self._until.items()
            if until is not None
            and all(
                parse_position(written.get(p, FEED_START)) >= parse_position(position)
                for p, position in until.items()
            )
        ]

    def forget(self, shown: Iterable[str]) -> None:
        """Forget imports that are shown now."""
        for id in shown:
            self._until.pop(id, None)
