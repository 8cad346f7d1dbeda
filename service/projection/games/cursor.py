"""Cursors: where the next page of a sorted answer begins, as text."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Final

from service.projection.errors import BadCursor
from service.projection.games.query import Query, Sort
from service.projection.games.walk import Place

_FORM: Final = re.compile(r"([0-9a-f]{8})\.([0-9.]{0,20})\.([0-9]{1,19})")
_LARGEST: Final = 2**63 - 1
_LARGEST_SMALL: Final = 2**31 - 1


def write_cursor(query: Query, sort: Sort, place: Place) -> str:
    """The cursor after a place."""
    value, number = place
    return f"{_digest(query, sort)}.{'' if sort is Sort.CREATED else value}.{number}"


def read_cursor(query: Query, sort: Sort, text: str) -> Place:
    """The place in a cursor; raises BadCursor for another query's cursor, or no cursor at all."""
    match = _FORM.fullmatch(text)
    if match is None or match[1] != _digest(query, sort) or int(match[3]) > _LARGEST:
        raise BadCursor
    number = int(match[3])
    if sort is Sort.DAY:
        return match[2], number
    if sort is Sort.CREATED:
        return number, number
    largest = _LARGEST if sort is Sort.UPDATED else _LARGEST_SMALL
    if not match[2].isdigit() or int(match[2]) > largest:
        raise BadCursor
    return int(match[2]), number


def _digest(query: Query, sort: Sort) -> str:
    return blake2b(f"{sort} {query!r}".encode(errors="replace"), digest_size=4).hexdigest()
