"""What a record can hold beside its actions: tag pairs, comments, glyphs, and their checks.

Whatever passes these checks comes back unchanged from writing and reading. Text from outside (a
request, a foreign file) goes through `clean_comment` or the checks before it becomes part of a
game.
"""

from __future__ import annotations

import re
from typing import Final

from engine.phrase import phrase
from notation.errors import BadAnnotation

MAX_GLYPH: Final = 255
"""The largest numeric annotation glyph (PGN standard, 8.2.4)."""

MAX_NAME: Final = 255
"""The longest tag name (PGN standard, 7: a symbol)."""

_BLANK: Final = re.compile(r"[ \t\r\n\f\v]+")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_]*")
_UNWRITABLE: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


def clean_comment(text: str) -> str:
    """The comment made from `text`: one line, runs of white space as single spaces.

    Raises BadAnnotation where no comment can hold it: nothing but white space, a `}` (which
    would close it), a control character or half a surrogate pair.

    >>> clean_comment("  a quiet move,\\n  says the book ")
    'a quiet move, says the book'
    """
    comment = _BLANK.sub(" ", text).strip(" ")
    if not comment:
        raise BadAnnotation("comment", "is empty")
    if "}" in comment:
        raise BadAnnotation("comment", "contains '}', which would close it")
    if _UNWRITABLE.search(comment):
        raise BadAnnotation("comment", "contains a control character")
    return comment


def check_comment(comment: str) -> None:
    """Refuse a comment that `clean_comment` would refuse or change; raises BadAnnotation."""
    if clean_comment(comment) != comment:
        raise BadAnnotation("comment", "is not one line with single spaces")


def check_glyph(nag: int) -> None:
    """Refuse a numeric annotation glyph outside 0 to 255; raises BadAnnotation."""
    if not 0 <= nag <= MAX_GLYPH:
        raise BadAnnotation(
            "glyph",
            phrase("${nag} is not between $0 and ${most}", nag=nag, most=MAX_GLYPH),
        )


def check_tag(name: str, value: str) -> None:
    """Refuse a tag pair that cannot be written; raises BadAnnotation naming the tag."""
    if len(name) > MAX_NAME or not _NAME.fullmatch(name):
        raise BadAnnotation("tag", "a name is made of letters, digits and underscores")
    if not value.isprintable() and _UNWRITABLE.search(value):
        raise BadAnnotation(name, "contains a control character")
