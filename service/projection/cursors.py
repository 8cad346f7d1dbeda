"""Cursors of lists that are sorted by age: each says where a page ended and the next one begins."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Final

from sqlalchemy import ColumnElement, and_, or_

from service.projection.errors import BadCursor

_FORM: Final = re.compile(r"([0-9a-f]{8})\.([0-9]{15}):([a-z0-9]{1,100})")

Key = tuple[int, str]
"""The sort key of an entry: when it was created, in milliseconds since 1970 UTC, and its id."""


def digest_query(*query: str | None) -> str:
    """A short digest of a list's query; a cursor is good only for the query it came from."""
    return blake2b(repr(query).encode(errors="replace"), digest_size=4).hexdigest()


def write_cursor(last: Key, *query: str | None) -> str:
    """The cursor of the page after the entry with the key `last`.

    >>> write_cursor((1_700_000_000_000, "a5x7"))
    '6b500cbb.001700000000000:a5x7'
    """
    created_at, id = last
    return f"{digest_query(*query)}.{created_at:015d}:{id}"


def read_cursor(text: str | None, *query: str | None) -> Key | None:
    """The key of the entry before a cursor's page; None without a cursor.

    Raises BadCursor for a text that is no cursor, and for the cursor of another query.
    """
    if text is None:
        return None
    match = _FORM.fullmatch(text)
    if match is None or match[1] != digest_query(*query):
        raise BadCursor
    return int(match[2]), match[3]


def is_older(
    created_at: ColumnElement[int], id: ColumnElement[str], than: Key
) -> ColumnElement[bool]:
    """The SQL condition that an entry with these columns comes after the key `than` in the list."""
    # The first part alone lets an index scan begin there.
    return and_(created_at <= than[0], or_(created_at < than[0], id < than[1]))
