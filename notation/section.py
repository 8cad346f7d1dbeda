"""A file cut into sections, one for each game, by its lines alone.

A section begins at a line that begins a tag section and reaches to the next such line, whatever is
between: the damage of a game ends with its section. A line belongs to a tag section if a tag pair
begins in its first column (`[Name "`, even in a comment: our writer never puts one there). It
begins a tag section if the line before it is not such a line. A blank line, a `;` or a `%` line or
an indented tag between two tags separates them only if the section already has a tag of that name.
Beyond `limit`, where a section is not kept, names are not remembered either: the next tag that
follows another line begins a section.

Lines end with LF or CRLF. A byte order mark is dropped. A line of bytes that is not UTF-8 is read
as Latin-1.

The stream is read in chunks, and only lines that begin with `[` or a byte order mark are looked at
one by one: a blank line costs no more than any other byte. In a section that is too large, only the
beginning of the next one is looked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any, AnyStr, Final, Generic, TypeAlias

from notation.lines import MARK, decode_lines, read_blocks

Stream: TypeAlias = IO[str] | IO[bytes]

DEFAULT_LIMIT: Final = 1 << 20
"""The largest game that is read, in the stream's units (bytes, or characters of a text stream)."""

_TAG: Final = re.compile(r'\[[ \t]*+([A-Za-z0-9_]++)[ \t]*+"')
_BRACKET: Final = re.compile(r"\[[ \t]*+[A-Za-z0-9_]")


@dataclass(frozen=True, slots=True)
class Section:
    """The text of one game, or the text before the first.

    `line` is the number of its first line, from 1; `start` and `end` are its range in the stream,
    in the stream's units. `tagged` says that it begins with a tag pair, `oversize` that it was
    larger than `limit` of these units, and then `text` is empty.
    """

    text: str
    line: int
    start: int
    end: int
    tagged: bool
    oversize: bool
    limit: int = DEFAULT_LIMIT

    def where(self, offset: int) -> tuple[int, int]:
        """Line and column, from 1, of the character at `offset` of the text."""
        line = self.line + self.text.count("\n", 0, offset)
        return line, offset - self.text.rfind("\n", 0, offset)


@dataclass(frozen=True, slots=True)
class Unfinished:
    """How far a section larger than the limit has been read: all that is needed to go on.

    `line`, `start` and `tagged` are the section's, `offset` and `next_line` are where the next
    block begins; `after_tag` says that the line before that belongs to a tag section.
    """

    line: int
    start: int
    tagged: bool
    offset: int
    next_line: int
    after_tag: bool

    def from_its_start(self) -> Unfinished:
        """The same, counted from the section's first line and unit."""
        offset, next_line = self.offset - self.start, self.next_line - self.line + 1
        return Unfinished(1, 0, self.tagged, offset, next_line, self.after_tag)


def split_sections(stream: Stream, limit: int = DEFAULT_LIMIT) -> Iterator[Section]:
    """The sections of a stream, in order; at most `limit` and two chunks are held at a time.

    `limit` is the largest section that is kept, in the stream's units.
    """
    return (found for found in read_sections(stream, limit) if isinstance(found, Section))


def read_sections(
    stream: Stream, limit: int = DEFAULT_LIMIT, within: Unfinished | None = None
) -> Iterator[Section | Unfinished]:
    """The sections of a stream, and within one larger than `limit` how far it has been read.

    With `within` the stream is at its offset, and the first section is the rest of that section.
    """
    # An empty read tells text from bytes and consumes nothing.
    alphabet: _Alphabet[Any] = _TEXT if isinstance(stream.read(0), str) else _BYTES
    current = _Gathering(alphabet, limit, line=1, start=0, tagged=False)
    offset, line = 0, 1
    if within is not None:
        current = _Gathering(alphabet, limit, within.line, within.start, tagged=within.tagged)
        current.resume(within)
        offset, line = within.offset, within.next_line
    # For a pipe, read what is available rather than waiting for the full size.
    read: Callable[[int], Any] = getattr(stream, "read1", stream.read)
    for block, inside in read_blocks(read, alphabet.newline, limit):
        marks = alphabet.mark in block
        at = taken = 0
        while at < len(block) and not inside:
            found = current.next_line(block, at, marks)
            if found > at:
                current.pass_lines(block, at, found)
            if found == len(block):
                break
            at = block.find(alphabet.newline, found) + 1 or len(block)
            text = decode_lines(block[found:at])
            if current.ends_before(text, offset + found):
                line += block.count(alphabet.newline, taken, found)
                if offset + found:
                    yield current.section(block[taken:found])
                current = _Gathering(alphabet, limit, line, offset + found, tagged=True)
                taken = found
            current.pass_marked_line(text, offset + found)
        current.take(block[taken:])
        line += block.count(alphabet.newline, taken)
        offset += len(block)
        if current.is_oversize and block.endswith(alphabet.newline):
            yield current.unfinished(offset, line)
    if offset:
        yield current.section(alphabet.empty)


class _Alphabet(Generic[AnyStr]):
    """What is looked for in a stream of text or of bytes."""

    def __init__(self, empty: AnyStr, written: dict[str, AnyStr]) -> None:
        self.empty: AnyStr = empty
        self.newline: AnyStr = written["newline"]
        self.mark: AnyStr = written["mark"]
        self._bracket: AnyStr = written["newline"] + written["bracket"]
        self._starts: tuple[AnyStr, AnyStr] = (written["bracket"], written["mark"])
        self._marked: re.Pattern[AnyStr] = re.compile(written["marked"])
        self._neutral: re.Pattern[AnyStr] = re.compile(written["neutral"])
        self._tag: re.Pattern[AnyStr] = re.compile(written["tag"])
        self._bracket_line: re.Pattern[AnyStr] = re.compile(written["bracket line"])
        self._parted_tag: re.Pattern[AnyStr] = re.compile(written["parted tag"], re.MULTILINE)

    def next_marked_line(self, block: AnyStr, at: int, marks: bool) -> int:
        """The beginning of the first line from `at` on that may begin with a tag pair.

        The block's end where there is none. `marks` says that there are byte order marks in it.
        """
        if block.startswith(self._starts, at):
            return at
        if marks:
            found = self._marked.search(block, at)
            return found.end() if found else len(block)
        # Far faster where there are many line feeds and no brackets.
        return block.find(self._bracket, at) + 1 or len(block)

    def next_parted_tag(self, block: AnyStr, at: int, after_tag: bool, marks: bool) -> int:
        """The beginning of the first tag line, from `at` on, that follows a line of another kind.

        The block's end where there is none. `after_tag` says that the line before `at` belongs to
        a tag section, `marks` that there are byte order marks in the block.
        """
        if not after_tag and self._tag.match(block, at):
            return at
        # Far faster where there are many line feeds and no brackets.
        if not marks and block.find(self._bracket, at) < 0:
            return len(block)
        found = self._parted_tag.search(block, at)
        return found.end() if found else len(block)

    def ends_in_bracket_line(self, block: AnyStr, end: int) -> bool:
        """Whether the last line before `end` belongs to a tag section."""
        start = block.rfind(self.newline, 0, end - 1) + 1
        return self._bracket_line.match(block, start) is not None

    def is_neutral(self, block: AnyStr, start: int, end: int) -> bool:
        """Whether there is only what does not separate tags.

        These are blanks, comments within a line, and indented tags.
        """
        found = self._neutral.match(block, start, end)
        return found is not None and found.end() == end


_TAG_LINE: Final = rf"(?:{MARK})?+{_TAG.pattern}"
_BRACKET_LINE: Final = rf"(?:{MARK})?+{_BRACKET.pattern}"
_WRITTEN: Final = {
    "newline": "\n",
    "bracket": "[",
    "mark": MARK,
    "marked": rf"\n(?=\[|{MARK})",
    "neutral": rf"(?:[ \t\r\n\f\v]++|[;%][^\n]*+|\{{[^}}\n]*+\}}|{_TAG.pattern}[^\n]*+)*+",
    "tag": _TAG_LINE,
    "bracket line": _BRACKET_LINE,
    "parted tag": rf"^(?!{_BRACKET_LINE})[^\n]*+\n(?={_TAG_LINE})",
}
_TEXT: Final = _Alphabet("", _WRITTEN)
_BYTES: Final = _Alphabet(b"", {name: text.encode() for name, text in _WRITTEN.items()})


class _Gathering(Generic[AnyStr]):
    """A section that is being read."""

    def __init__(
        self, alphabet: _Alphabet[AnyStr], limit: int, line: int, start: int, tagged: bool
    ) -> None:
        self._alphabet: _Alphabet[AnyStr] = alphabet
        self._limit = limit
        self._line = line
        self._start = start
        self._tagged = tagged
        self._size = 0
        self._parts: list[AnyStr] = []
        self._names: set[str] = set()
        self._after_tag = False
        self._past_tags = False

    @property
    def is_oversize(self) -> bool:
        """Whether it is already larger than the limit."""
        return self._size > self._limit

    def resume(self, at: Unfinished) -> None:
        """Continue within a section that is larger than the limit."""
        self._size = at.offset - at.start
        self._after_tag = at.after_tag
        self._past_tags = True

    def unfinished(self, offset: int, line: int) -> Unfinished:
        """How far the section, which is larger than the limit, has been read."""
        return Unfinished(self._line, self._start, self._tagged, offset, line, self._after_tag)

    def next_line(self, block: AnyStr, at: int, marks: bool) -> int:
        """The beginning of the next line, from the one at `at` on, that has to be looked at."""
        if self.is_oversize:
            return self._alphabet.next_parted_tag(block, at, self._after_tag, marks)
        return self._alphabet.next_marked_line(block, at, marks)

    def ends_before(self, text: str, at: int) -> bool:
        """Whether a line that begins at `at` in the stream begins the next section."""
        if self._after_tag or not text.startswith("["):
            return False
        tag = _TAG.match(text)
        if tag is None:
            return False
        parted = not self._tagged or self._past_tags or self._is_beyond(at)
        return parted or tag.group(1) in self._names

    def _is_beyond(self, at: int) -> bool:
        return at - self._start > self._limit

    def pass_marked_line(self, text: str, at: int) -> None:
        """Note a line of the section that may begin with a tag pair."""
        self._after_tag = text.startswith("[") and _BRACKET.match(text) is not None
        if self._after_tag:
            if (tag := _TAG.match(text)) and not self._is_beyond(at):
                self._names.add(tag.group(1))
        elif not self._past_tags:
            self._past_tags = not _TEXT.is_neutral(text, 0, len(text))

    def pass_lines(self, block: AnyStr, start: int, end: int) -> None:
        """Note lines of the section that begin no section."""
        if self.is_oversize:
            self._after_tag = self._alphabet.ends_in_bracket_line(block, end)
            return
        self._after_tag = False
        if not self._past_tags:
            self._past_tags = not self._alphabet.is_neutral(block, start, end)

    def take(self, part: AnyStr) -> None:
        """Add the text of lines that have been noted."""
        self._size += len(part)
        if self._size > self._limit:
            self._parts.clear()
        else:
            self._parts.append(part)

    def section(self, last: AnyStr) -> Section:
        """The section, with the last part of its text."""
        self.take(last)
        text = decode_lines(self._alphabet.empty.join(self._parts))
        end, limit = self._start + self._size, self._limit
        oversize = self._size > limit
        return Section(text, self._line, self._start, end, self._tagged, oversize, limit)
