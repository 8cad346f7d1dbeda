"""Where each archived stream is: a table in SQLite or PostgreSQL.

It is not a read model, and rebuilding those does not touch it. Its rows are on the disk before
anything leaves Redis, and are never deleted, so that an archived stream cannot look new. A stream
that came back to Redis, where it is looked for first, keeps its row until it is archived again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar
from uuid import uuid4

from sqlalchemy import Connection, Engine, Row, create_engine, event, func, make_url, select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from service.archive import FILE as FILE
from service.archive.errors import DirectoryAway
from service.archive.segment import Entry
from service.archive.tables import (
    FEED,
    IDENTITY,
    REMOVALS,
    SEGMENT,
    STREAM,
    TABLES,
    UNNAMED,
    find_insert,
)
from service.archive.unnamed import SEGMENTS, begin_naming, list_condemned
from service.log.values import StreamId
from service.storage.errors import CHECK_FILES, CHECK_SERVER
from service.storage.native_threads import call_natively

T = TypeVar("T")

SCHEMA: Final = "movelog_directory"
PATIENCE: Final = 10
"""Seconds to wait for another process's change, and for a server."""
MAKING: Final = 0x6D6F76
"""The advisory lock of processes that create the tables."""
ASKED: Final = 500
"""The number of streams looked up in one query."""


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """A segment: its digest, size and dictionary in bytes, when it was made."""

    digest: str
    size: int
    dictionary: int
    made_at: int


@dataclass(frozen=True, slots=True)
class DirectoryState:
    """Which directory it is, and how many removals from Redis it knows of.

    An older copy of it knows of fewer.
    """

    identity: str
    removals: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a stream is."""

    segment: SegmentRow
    entry: Entry


@dataclass(frozen=True, slots=True)
class Held:
    """A stream at a version, with attributes if `sealed`, and its segment's digest and size."""

    stream: StreamId
    version: int
    sealed: bool
    segment: str
    size: int


class Directory:
    """The table, reached when it is first used. Safe for threads, greenlets and forks.

    Every method raises DirectoryAway, which names what to check.
    """

    def __init__(self, engine: Callable[[], Engine], check: str = CHECK_FILES) -> None:
        self._make_engine = engine
        self._check = check
        self._engine: Engine | None = None

    def find(self, streams: Sequence[StreamId]) -> dict[StreamId, Place]:
        """The places of those of these streams that were ever archived."""
        found: dict[StreamId, Place] = {}
        for start in range(0, len(streams), ASKED):
            found |= self.call(partial(_find, streams[start : start + ASKED]))
        return found

    def add(self, segment: SegmentRow, entries: Sequence[Entry]) -> None:
        """Note a segment and its streams, except those of which a newer entry is known.

        Raises DamagedSegment for a segment that was removed because nothing referred to it.
        """
        self.call(partial(_add, segment, entries), writing=True)

    def streams(self, kind: str) -> list[StreamId]:
        """Every stream of a kind that was ever archived."""
        query = select(STREAM.c.id).where(STREAM.c.kind == kind)
        return self.call(lambda c: [StreamId(kind, id) for id in c.scalars(query)])

    def list_held(self) -> list[Held]:
        """Every stream and the segment that holds it, segment by segment."""
        query = (
            select(STREAM.c.kind, STREAM.c.id, STREAM.c.version, STREAM.c.sealed)
            .add_columns(SEGMENT.c.digest, SEGMENT.c.size)
            .join(SEGMENT, SEGMENT.c.number == STREAM.c.segment)
            .order_by(SEGMENT.c.number)
        )
        return self.call(
            lambda c: [
                Held(StreamId(row.kind, row.id), row.version, row.sealed, row.digest, row.size)
                for row in c.execute(query)
            ]
        )

    def list_condemned(self) -> set[str]:
        """The names of objects that may never be noted again."""
        return self.call(list_condemned)

    def identity(self) -> str:
        """The unique id of this directory; one that replaces a lost one has another id."""
        return self.call(lambda c: str(c.scalars(select(IDENTITY.c.id)).one()))

    def state(self) -> DirectoryState:
        """Which directory this is, and how many removals it knows of."""
        query = select(IDENTITY.c.id, select(REMOVALS.c.number).scalar_subquery())

        def ask(connection: Connection) -> DirectoryState:
            identity, removals = connection.execute(query).one()
            return DirectoryState(identity, removals)

        return self.call(ask)

    def count_removal(self, least: int = 0) -> int:
        """Count that what is noted here is about to leave Redis; returns the number of removals.

        It is at least `least` afterwards.
        """
        return self.call(partial(_count_removal, least), writing=True)

    def count(self) -> tuple[int, int, int]:
        """How many streams and segments there are, and how many bytes the segments have."""
        streams = select(func.count()).select_from(STREAM)
        segments = select(func.count(), func.coalesce(func.sum(SEGMENT.c.size), 0))

        def ask(connection: Connection) -> tuple[int, int, int]:
            number, size = connection.execute(segments).one()
            return connection.scalar(streams) or 0, int(number), int(size)

        return self.call(ask)

    def clear(self) -> None:
        """Forget everything, because the log is another one."""
        self.call(_clear, writing=True)

    def call(self, call: Callable[[Connection], T], *, writing: bool = False) -> T:
        """The result of a call in a transaction; its changes are on the disk then."""
        try:
            return call_natively(partial(self._run, call, writing))
        except (SQLAlchemyError, OSError) as error:
            said = getattr(error, "orig", None) or error
            reason = str(said).partition("\n")[0]
            raise DirectoryAway(f"{reason}; check {self._check}") from error

    def _run(self, call: Callable[[Connection], T], writing: bool) -> T:
        if self._engine is None:
            self._engine = _prepare(self._make_engine())
        options = {"writing": writing}
        with self._engine.connect().execution_options(**options) as connection, connection.begin():
            return call(connection)


def open_directory(data_dir: Path, url: str | None) -> Directory:
    """The directory beside the read models: in the data directory, or in PostgreSQL."""
    if url is None:
        return Directory(partial(_open_sqlite, data_dir / FILE))
    return Directory(partial(_open_postgresql, url), CHECK_SERVER)


def _open_sqlite(file: Path) -> Engine:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.touch(mode=0o600)

    def connect() -> sqlite3.Connection:
        made = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        made.execute(f"PRAGMA busy_timeout={1000 * PATIENCE}")
        made.execute("PRAGMA journal_mode=WAL")
        # On the disk when a change returns: Redis forgets what is noted here.
        made.execute("PRAGMA synchronous=FULL")
        return made

    engine = create_engine("sqlite://", poolclass=NullPool, creator=connect)
    event.listen(engine, "begin", _begin)
    return engine


def _open_postgresql(url: str) -> Engine:
    return create_engine(
        make_url(url).set(drivername="postgresql+psycopg"),
        poolclass=NullPool,
        connect_args={
            "connect_timeout": PATIENCE,
            "options": f"-c search_path={SCHEMA} -c synchronous_commit=on"
            f" -c statement_timeout={3000 * PATIENCE}",
        },
    )


def _begin(connection: Connection) -> None:
    writing = connection.get_execution_options().get("writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _prepare(engine: Engine) -> Engine:
    """Create the tables if there are none; several processes may do so at once."""
    with engine.connect().execution_options(writing=True) as connection, connection.begin():
        if engine.dialect.name == "postgresql":
            connection.execute(text(f"SELECT pg_advisory_xact_lock({MAKING})"))
            connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))
        TABLES.create_all(connection)
        if connection.scalar(select(IDENTITY.c.id)) is None:
            connection.execute(IDENTITY.insert().values(id=uuid4().hex))
        if connection.scalar(select(REMOVALS.c.number)) is None:
            connection.execute(REMOVALS.insert().values(number=0))
    return engine


def _find(streams: Sequence[StreamId], connection: Connection) -> dict[StreamId, Place]:
    found = {}
    for kind in {stream.kind for stream in streams}:
        ids = [stream.id for stream in streams if stream.kind == kind]
        query = (
            select(STREAM, SEGMENT.c.digest, SEGMENT.c.size, SEGMENT.c.dictionary)
            .add_columns(SEGMENT.c.made_at.label("segment_made_at"))
            .join(SEGMENT, SEGMENT.c.number == STREAM.c.segment)
            .where(STREAM.c.kind == kind, STREAM.c.id.in_(ids))
        )
        for row in connection.execute(query):
            place = _place_of(row)
            found[place.entry.stream] = place
    return found


def _place_of(row: Row[Any]) -> Place:
    segment = SegmentRow(row.digest, row.size, row.dictionary, row.segment_made_at)
    stream = StreamId(row.kind, row.id)
    head = bytes(row.head).hex()
    return Place(segment, Entry(stream, row.start, row.length, row.version, head, row.sealed))


def _count_removal(least: int, connection: Connection) -> int:
    known = connection.scalar(select(REMOVALS.c.number).with_for_update()) or 0
    number = max(known + 1, least)
    connection.execute(REMOVALS.update().values(number=number))
    return number


def _add(segment: SegmentRow, entries: Sequence[Entry], connection: Connection) -> None:
    begin_naming(SEGMENTS, segment.digest, connection)
    insert = find_insert(connection)
    known = {
        "digest": segment.digest,
        "size": segment.size,
        "dictionary": segment.dictionary,
        "made_at": segment.made_at,
    }
    connection.execute(insert(SEGMENT).values(known).on_conflict_do_nothing())
    number = connection.scalar(select(SEGMENT.c.number).where(SEGMENT.c.digest == segment.digest))
    rows = [_row_of(entry, number, segment.made_at) for entry in entries]
    adding = insert(STREAM)
    new = adding.excluded
    older = (new.version > STREAM.c.version) | (
        (new.version == STREAM.c.version) & (new.made_at > STREAM.c.made_at)
    )
    fresh = {name: new[name] for name in rows[0] if name not in ("kind", "id")}
    adding = adding.on_conflict_do_update(
        index_elements=[STREAM.c.kind, STREAM.c.id], set_=fresh, where=older
    )
    connection.execute(adding, rows)


def _row_of(entry: Entry, segment: int | None, made_at: int) -> Mapping[str, Any]:
    return {
        "kind": entry.stream.kind,
        "id": entry.stream.id,
        "segment": segment,
        "start": entry.start,
        "length": entry.length,
        "version": entry.version,
        "head": bytes.fromhex(entry.head),
        "sealed": entry.sealed,
        "made_at": made_at,
    }


def _clear(connection: Connection) -> None:
    connection.execute(FEED.delete())
    connection.execute(STREAM.delete())
    connection.execute(SEGMENT.delete())
    connection.execute(UNNAMED.delete())
