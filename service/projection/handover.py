"""What importers hand over to the projector, so that it need not read the same records again.

It is kept in a small SQLite file in the data directory, under the digest of the event that it
covers, until the projector has written it. Rows that are not taken within AGE are removed, and the
file never exceeds MOST bytes. It is an aid and nothing more: where a row is missing, truncated,
forged, written by other code, or of a game that has gone on, the projector reads the log.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from service.game.repository import KIND
from service.log.interface import EventLog
from service.log.values import Recorded, StreamId
from service.projection.games.imported import (
    ImportedGame,
    decode_game,
    encode_game,
    outline_import,
)
from service.projection.games.play import IndexedPositions, PositionIndex
from service.storage.spare_file import SpareFile

NAME: Final = "handover.sqlite"
MOST: Final = 256 << 20
"""The most bytes that the file has: about a hundred thousand games not projected yet."""
AGE: Final = 600
"""Seconds after which handed-over games are dropped if nobody has taken them."""
Offer = tuple[str, Recorded, IndexedPositions]
"""A game's id, the event that imports it, and its positions."""

_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS game"
    " (head TEXT PRIMARY KEY, at INTEGER NOT NULL, body BLOB NOT NULL, code BLOB NOT NULL)"
)
_INDEX: Final = "CREATE INDEX IF NOT EXISTS game_at ON game (at)"


class Handover:
    """The games that importers of this machine hand over to its projector.

    Nothing is handed over where no projector has ever run with this data directory. No method
    raises an error when the file fails: then nothing is handed over.
    """

    def __init__(self, data_dir: Path, secret: bytes) -> None:
        """`secret` is the service's own; it proves who wrote the file."""
        self.path = data_dir / NAME
        self._file = SpareFile(self.path, "nothing is handed over to the projector", secret, MOST)

    @property
    def listener(self) -> Callable[[], PositionIndex] | None:
        """Makes a listener for the positions of records; None where nobody takes them."""
        return PositionIndex if self.path.exists() else None

    def offer(self, games: Iterable[Offer]) -> None:
        """Hand over games that are about to be appended to the log."""
        now = int(time.time())
        rows = []
        for id, entry, positions in games:
            body = encode_game(outline_import(id, entry, positions))
            rows.append((entry.hash, now, body, self._sign(entry.hash, body)))
        if not rows:
            return

        def write(database: sqlite3.Connection) -> None:
            if self._file.has_room:
                database.execute("DELETE FROM game WHERE at < ?", (now - AGE,))
                database.executemany("INSERT OR REPLACE INTO game VALUES (?, ?, ?, ?)", rows)

        self._file.attempt(write, None)

    def take(self, events: EventLog, ids: Sequence[str]) -> dict[str, ImportedGame]:
        """Those of these games that were handed over and stand in the log like that, by id.

        They stay until they are removed. Raises what the log raises.
        """
        if not ids or not self._file.attempt(_has_games, otherwise=False):
            return {}
        streams = [StreamId(KIND, id) for id in ids]
        heads = dict(zip(events.digests(streams), ids, strict=True))
        rows: list[tuple[str, bytes, bytes]] = []
        rows = self._file.attempt(lambda database: _select(database, heads), rows)
        return {
            heads[head]: decode_game(body)
            for head, body, code in rows
            if code == self._sign(head, body)
        }

    def remove(self, heads: Iterable[str]) -> None:
        """Forget the games with these digests: they are projected, or are not in the log."""
        rows = [(head,) for head in heads]

        def write(database: sqlite3.Connection) -> None:
            database.executemany("DELETE FROM game WHERE head = ?", rows)
            database.commit()
            if not _has_games(database):
                # A script runs to its end; a statement would free only one page.
                database.executescript("PRAGMA incremental_vacuum")

        if rows:
            self._file.attempt(write, None)

    def prepare(self) -> None:
        """Have importers hand games over from now on, and forget old ones."""

        def write(database: sqlite3.Connection) -> None:
            database.execute("PRAGMA auto_vacuum=INCREMENTAL")
            database.execute(_TABLE)
            database.execute(_INDEX)
            database.execute("DELETE FROM game WHERE at < ?", (int(time.time()) - AGE,))

        with suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file.begin()
        self._file.attempt(write, None)

    def _sign(self, head: str, body: bytes) -> bytes:
        return self._file.sign(head.encode(), body)


def _select(database: sqlite3.Connection, heads: Iterable[str]) -> list[tuple[str, bytes, bytes]]:
    return [
        row
        for head in heads
        for row in database.execute("SELECT head, body, code FROM game WHERE head = ?", (head,))
    ]


def _has_games(database: sqlite3.Connection) -> bool:
    return bool(database.execute("SELECT EXISTS (SELECT 1 FROM game)").fetchone()[0])
