"""Objects of the archive that nothing refers to: rows of its directory.

A condemned object can never be referred to again. So it can be removed safely, even if a process
has stood still between writing a segment and noting it.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Final

from sqlalchemy import Connection, delete, insert, select, text, update

from service.archive.errors import DamagedSegment
from service.archive.tables import FEED, SEGMENT, STREAM, UNNAMED

SEGMENTS: Final = "segments"
ATTRIBUTES: Final = "attributes"
FEEDS: Final = "feeds"
FOLDERS: Final = (SEGMENTS, ATTRIBUTES, FEEDS)
NAMING: Final = 0x6D6F77
"""The advisory lock for referring to objects, or condemning them."""


def name_object(folder: str, digest: str) -> str:
    """The name of the object with this digest in a folder."""
    return f"{folder}/{digest[:2]}/{digest}"


def begin_naming(folder: str, digest: str, connection: Connection) -> None:
    """Begin to refer to an object of a folder; raises DamagedSegment for a condemned one.

    The caller's transaction writes the reference.
    """
    lock_names(connection)
    name = name_object(folder, digest)
    known = select(UNNAMED.c.condemned).where(UNNAMED.c.name == name)
    if connection.scalar(known):
        raise DamagedSegment(name, "it was removed, because nothing had named it for a long time")
    connection.execute(delete(UNNAMED).where(UNNAMED.c.name == name))


def condemn(objects: Collection[str], at: int, before: int, connection: Connection) -> set[str]:
    """Condemn those of these objects that every look since `before` has found unreferenced.

    Notes the other objects that are unreferenced at the time `at`; both are in milliseconds.
    Returns all of these objects that are condemned.
    """
    lock_names(connection)
    named = _list_named(connection)
    unnamed = {name for name in objects if name not in named}
    known = {row.name: row for row in connection.execute(select(UNNAMED))}
    fresh = unnamed - known.keys()
    back = [row.name for row in known.values() if not row.condemned and row.name not in unnamed]
    for name in back:
        connection.execute(delete(UNNAMED).where(UNNAMED.c.name == name))
    if fresh:
        rows = [{"name": name, "seen_at": at, "condemned": False} for name in sorted(fresh)]
        connection.execute(insert(UNNAMED), rows)
    due = (UNNAMED.c.seen_at <= before) & ~UNNAMED.c.condemned
    connection.execute(update(UNNAMED).where(due).values(condemned=True))
    condemned = list_condemned(connection)
    idle = SEGMENT.c.number.not_in(select(STREAM.c.segment))
    for row in connection.execute(select(SEGMENT.c.number, SEGMENT.c.digest).where(idle)).all():
        if name_object(SEGMENTS, row.digest) in condemned:
            connection.execute(delete(SEGMENT).where(SEGMENT.c.number == row.number))
    return condemned & unnamed


def list_condemned(connection: Connection) -> set[str]:
    """Every object that was ever condemned."""
    return set(connection.scalars(select(UNNAMED.c.name).where(UNNAMED.c.condemned)))


def lock_names(connection: Connection) -> None:
    """Keep others from referring to objects and condemning them until the transaction ends."""
    if connection.dialect.name == "postgresql":
        # A transaction that writes to SQLite is alone.
        connection.execute(text(f"SELECT pg_advisory_xact_lock({NAMING})"))


def _list_named(connection: Connection) -> set[str]:
    holding = SEGMENT.c.number.in_(select(STREAM.c.segment))
    named = set()
    for digest in connection.scalars(select(SEGMENT.c.digest).where(holding)):
        named |= set(map(partial(name_object, digest=digest), (SEGMENTS, ATTRIBUTES)))
    for digest in connection.scalars(select(FEED.c.segment).distinct()):
        named.add(name_object(FEEDS, digest))
    return named
