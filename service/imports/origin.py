"""Where an imported game came from, stored as an attribute of the game's stream."""

from __future__ import annotations

from typing import Final

ORIGIN: Final = "origin"
"""The attribute of a game or of a kept record that says so."""


def write_origin(essence: str, source: str) -> str:
    """The attribute of a game: the digest of what its record said, and `name_source`'s text."""
    return f"{essence} {source}"


def read_origin(text: str) -> tuple[str, str]:
    """The essence and the source of `write_origin`.

    >>> read_origin(write_origin("f00", name_source("a2b3", 7)))
    ('f00', 'a2b3/7')
    """
    essence, _, source = text.partition(" ")
    return essence, source


def name_source(id: str, number: int) -> str:
    """The text that names the record with this number in an import's file."""
    return f"{id}/{number}"


def find_import(text: str) -> str:
    """The id of the import that a game with this attribute came from.

    >>> find_import(write_origin("f00", name_source("a2b3", 7)))
    'a2b3'
    """
    return read_origin(text)[1].partition("/")[0]
