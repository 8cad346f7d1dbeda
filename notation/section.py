"""A file cut into sections, one for each game, by its lines alone.

A section begins at a line that begins a tag section and reaches to the next one, whatever stands
between: a game's damage ends where its section ends. A line belongs to a tag section when a tag
pair begins in its first column (`[Name "`, in a comment too: our writer never puts one there);
it begins one when it does not follow another such line, and a blank line, a `;` or a `%` line
between two tags parts them only if the tag's name has been there already.

Lines end with LF or CRLF. A byte order mark is dropped, a line of bytes that is not UTF-8 is read
as Latin-1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Final, TypeAlias

Stream: TypeAlias = IO[str] | IO[bytes]

DEFAULT_LIMIT: Final = 1 << 20
"""The largest game that is read, in the stream's units (bytes, or characters of a text stream)."""

_MARK: Final = "\ufeff"
_TAG: Final = re.compile(r'\[[ \t]*+([A-Za-z0-9_]++)[ \t]*+"')
_BRACKET: Final = re.compile(r"\[[ \t]*+[A-Za-z0-9_]")
_NEUTRAL: Final = re.compile(r"[ \t\r\n\f\v]*+(?:$|;|%)")


@dataclass(frozen=True, slots=True)
class Section:
    """The text of one game, or what stands before the first.

    `line` is the number of its first line, from 1; `start` and `end` are its range in the stream,
    in the stream's units. `tagged` says that it begins with a tag pair, `oversize` that it was
    larger than the limit, and then `text` is empty.
    """

    text: str
    line: int
    start: int
    end: int
    tagged: bool
    oversize: bool

    def where(self, offset: int) -> tuple[int, int]:
        """Line and column, from 1, of the character at `offset` of the text."""
        line = self.line + self.text.count("\n", 0, offset)
        return line, offset - self.text.rfind("\n", 0, offset)


def sections(stream: Stream, limit: int = DEFAULT_LIMIT) -> Iterator[Section]:
    """The sections of a stream, in order; no more than `limit` and a line are held at a time."""
    current = _Gathering(1, 0, False)
    line = 1
    offset = 0
    continued = False
    while piece := stream.readline(limit + 1):
        text = _decoded(piece)
        if not continued and current.ends_before(text):
            if offset:
                yield current.section(offset)
            current = _Gathering(line, offset, True)
        offset += len(piece)
        current.add(text, offset, limit, continued)
        continued = not text.endswith("\n")
        line += not continued
    if offset:
        yield current.section(offset)


def _decoded(piece: str | bytes) -> str:
    if isinstance(piece, str):
        return piece.removeprefix(_MARK)
    try:
        return piece.decode("utf-8").removeprefix(_MARK)
    except UnicodeDecodeError:
        return piece.decode("latin-1")


class _Gathering:
    """A section in the making."""

    def __init__(self, line: int, start: int, tagged: bool) -> None:
        self._line = line
        self._start = start
        self._tagged = tagged
        self._oversize = False
        self._parts: list[str] = []
        self._names: set[str] = set()
        self._after_tag = False
        self._past_tags = False

    def ends_before(self, text: str) -> bool:
        """Whether a line begins the next section."""
        if self._after_tag or not text.startswith("["):
            return False
        tag = _TAG.match(text)
        if tag is None:
            return False
        return not self._tagged or self._past_tags or tag.group(1) in self._names

    def add(self, text: str, end: int, limit: int, continued: bool) -> None:
        """Take in a line, or the further part of an overlong one."""
        self._oversize = self._oversize or end - self._start > limit
        if self._oversize:
            self._parts.clear()
        else:
            self._parts.append(text)
        if continued:
            return
        self._after_tag = text.startswith("[") and _BRACKET.match(text) is not None
        if self._after_tag:
            if tag := _TAG.match(text):
                self._names.add(tag.group(1))
        elif not self._past_tags:
            self._past_tags = not _NEUTRAL.match(text)

    def section(self, end: int) -> Section:
        """The section that ends at `end`."""
        text = "".join(self._parts)
        return Section(text, self._line, self._start, end, self._tagged, self._oversize)
