"""Splits a file into sections line by line, as `notation.section` describes; slow."""

from __future__ import annotations

import re
from collections.abc import Iterator

from notation.section import Section

TAG = re.compile(r'\[[ \t]*([A-Za-z0-9_]+)[ \t]*"')
BRACKET = re.compile(r"\[[ \t]*[A-Za-z0-9_]")
NEUTRAL = re.compile(
    r"[ \t\r\n\f\v]*(?:\{[^}\n]*\}[ \t\r\n\f\v]*)*"
    r'(?:$|;|%|\[[ \t]*[A-Za-z0-9_]+[ \t]*")'
)


def sections_by_line(data: bytes, limit: int = 1 << 20) -> Iterator[Section]:
    """Yield the sections of a file, with the text of even those above the limit."""
    text, start, offset, line, first = "", 0, 0, 1, 1
    names: set[str] = set()
    tagged = after_tag = past_tags = False
    for piece in lines_of(data):
        shown = decoded(piece)
        tag = TAG.match(shown) if shown.startswith("[") else None
        beyond = offset - start > limit
        if tag and not after_tag and (not tagged or past_tags or beyond or tag[1] in names):
            if offset:
                yield Section(text, first, start, offset, tagged, offset - start > limit, limit)
            text, start, first = "", offset, line
            names, tagged, past_tags = set(), True, False
        text += shown
        offset += len(piece)
        line += 1
        after_tag = BRACKET.match(shown) is not None
        if tag:
            names.add(tag[1])
        elif not after_tag and not NEUTRAL.match(shown):
            past_tags = True
    if offset:
        yield Section(text, first, start, offset, tagged, offset - start > limit, limit)


def lines_of(data: bytes) -> list[bytes]:
    """The lines of a file, each with its line feed."""
    return re.findall(rb"[^\n]*\n|[^\n]+", data)


def decoded(line: bytes) -> str:
    """The text of one line."""
    try:
        return line.decode().removeprefix("\ufeff")
    except UnicodeDecodeError:
        return line.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
