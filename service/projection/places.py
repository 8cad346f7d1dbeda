"""Places in lists that are sorted by age: where a page ends, and the next one begins."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Final

from sqlalchemy import ColumnElement, and_, or_

from service.projection.errors import BadCursor

_FORM: Final = re.compile(r"([0-9a-f]{8})\.([0-9]{15}):([a-z0-9]{1,100})")

Place = tuple[int, str]
"""When something was created, in milliseconds since 1970 UTC, and its id."""


def digest_question(*question: str | None) -> str:
    """A short digest of the question that a list answers, by which its cursors are recognised."""
    return blake2b(repr(question).encode(errors="replace"), digest_size=4).hexdigest()


def write_place(place: Place, *question: str | None) -> str:
    """The cursor after a place in the answer to a question.

    >>> write_place((1_700_000_000_000, "a5x7"))
    '6b500cbb.001700000000000:a5x7'
    """
    created_at, id = place
    return f"{digest_question(*question)}.{created_at:015d}:{id}"


def read_place(text: str | None, *question: str | None) -> Place | None:
    """The place in a cursor; raises BadCursor for another question's, or for no cursor at all."""
    if text is None:
        return None
    match = _FORM.fullmatch(text)
    if match is None or match[1] != digest_question(*question):
        raise BadCursor
    return int(match[2]), match[3]


def is_older(
    created_at: ColumnElement[int], id: ColumnElement[str], than: Place
) -> ColumnElement[bool]:
    """A condition that something comes after a place."""
    # The first part alone lets an index scan begin there.
    return and_(created_at <= than[0], or_(created_at < than[0], id < than[1]))
