"""A file that caches records as they were exported, for the next export.

Only records that look the same to everybody are cached (`service.records.record_cache`). They are
cached without the players' names, which may change or go, but with the signature of the record that
has them. The digest shows whether the record is still the same once the names are put back in.

The file is in the data directory. It has at most MOST bytes, and records are dropped that are older
than AGE or of another release. A full file takes no more records: dropping the oldest ones would
drop all of them while an archive larger than the file is exported. The file only
saves work: where a record is missing, truncated, forged, or of a game that has gone on, it is made
anew.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from service.records.cached_record import CachedRecord, decode_record, encode_record
from service.storage.native_threads import call_natively
from service.storage.spare_file import SpareFile

NAME: Final = "exports.sqlite"
MOST: Final = 512 << 20
"""The most bytes that the file has: about 300,000 records of 80 plies."""
AGE: Final = 30 * 24 * 3600
"""Seconds after which a record is dropped."""
READ: Final = 16 << 20
"""Bytes of records that are read at once; those beyond are made anew."""

_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS record (id TEXT PRIMARY KEY, head TEXT NOT NULL,"
    " at INTEGER NOT NULL, body BLOB NOT NULL, code BLOB NOT NULL)"
)
_INDEX: Final = "CREATE INDEX IF NOT EXISTS record_at ON record (at)"
_FOUND: Final = (
    "SELECT id, CAST(head AS TEXT), CAST(body AS BLOB), CAST(code AS BLOB) FROM record"
    " WHERE id IN (SELECT value FROM json_each(?)) AND at >= ?"
)
Row = tuple[str, str, bytes, bytes]
Found = tuple[str, CachedRecord]
"""The digest of the game's newest event when a record was cached, and the record."""


class ExportCache:
    """The exported records that the web processes of this machine have cached.

    No method raises an error when the file fails: then nothing is cached.
    """

    def __init__(self, data_dir: Path, secret: bytes) -> None:
        """`secret` is the service's own; it proves who wrote the file."""
        self.path = data_dir / NAME
        self._file = SpareFile(self.path, "no exported records are kept", secret, MOST)

    def find(self, ids: Sequence[str]) -> dict[str, Found]:
        """The cached records of these games, by id; those that are not cached are missing."""
        return call_natively(partial(self._find, ids))

    def put(self, records: Mapping[str, Found]) -> None:
        """Cache the records of these games, in place of earlier ones."""
        if records:
            call_natively(partial(self._put, records))

    def _find(self, ids: Sequence[str]) -> dict[str, Found]:
        def read(database: sqlite3.Connection) -> list[Row]:
            rows: list[Row] = []
            size = 0
            for row in database.execute(_FOUND, (json.dumps(ids), int(time.time()) - AGE)):
                size += len(row[2])
                if size > READ:
                    break
                rows.append(row)
            return rows

        nothing: list[Row] = []
        return {
            id: (head, decode_record(body))
            for id, head, body, code in self._file.attempt(read, nothing)
            if code == self._sign(id, head, body)
        }

    def _put(self, records: Mapping[str, Found]) -> None:
        now = int(time.time())
        rows = []
        for id, (head, record) in records.items():
            body = encode_record(record)
            rows.append((id, head, now, body, self._sign(id, head, body)))

        def write(database: sqlite3.Connection) -> None:
            if self._file.has_room:
                database.execute(_TABLE)
                database.execute(_INDEX)
                self._forget_other_releases(database)
                database.execute("DELETE FROM record WHERE at < ?", (now - AGE,))
                database.executemany("INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?)", rows)

        self._file.begin()
        self._file.attempt(write, None)

    def _forget_other_releases(self, database: sqlite3.Connection) -> None:
        """Delete all records if the file is another release's; this release trusts none of them."""
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version != self._file.release:
            database.execute("DELETE FROM record")
            database.execute(f"PRAGMA user_version={self._file.release}")

    def _sign(self, id: str, head: str, body: bytes) -> bytes:
        return self._file.sign(id.encode(), head.encode(), body)
