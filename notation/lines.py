"""Reading a stream in blocks of whole lines, and decoding lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import AnyStr, Final

CHUNK: Final = 1 << 16
"""How much of the stream is read at once, in its units (bytes or characters)."""
MARK: Final = "\ufeff"
"""A byte order mark."""

_MARKED: Final = re.compile(f"^{MARK}", re.MULTILINE)
_BEYOND_ASCII: Final = re.compile(rb"[\x80-\xff]")


def read_blocks(
    read: Callable[[int], AnyStr], newline: AnyStr, limit: int
) -> Iterator[tuple[AnyStr, bool]]:
    """The stream in blocks of whole lines; `newline` is a line feed, `limit` the longest line.

    A line longer than that is split: its beginning is one block, and the blocks that continue it
    are marked by True.
    """
    empty = newline[:0]
    held: list[AnyStr] = []
    size = 0
    inside = False
    while chunk := read(CHUNK):
        if inside:
            end = chunk.find(newline) + 1
            yield chunk[: end or None], True
            if not end:
                continue
            inside, chunk = False, chunk[end:]
        cut = chunk.rfind(newline) + 1
        if cut:
            held.append(chunk[:cut])
            yield empty.join(held), False
            held, size = [], 0
        if cut < len(chunk):
            held.append(chunk[cut:])
            size += len(chunk) - cut
        if size > limit:
            yield empty.join(held), False
            held, size, inside = [], 0, True
    if held:
        yield empty.join(held), False


def decode_lines(piece: str | bytes) -> str:
    """The text of some lines, each without a byte order mark at its beginning."""
    if isinstance(piece, str):
        return _MARKED.sub("", piece) if MARK in piece else piece
    try:
        return decode_lines(piece.decode("utf-8"))
    except UnicodeDecodeError:
        return "".join(_decode_each(piece))


def _decode_each(data: bytes) -> Iterator[str]:
    """The text, in pieces, of lines some of which are not UTF-8."""
    at = 0
    while found := _BEYOND_ASCII.search(data, at):
        start = data.rfind(b"\n", at, found.start()) + 1 or at
        end = data.find(b"\n", found.start()) + 1 or len(data)
        yield data[at:start].decode("ascii")
        try:
            yield data[start:end].decode("utf-8").removeprefix(MARK)
        except UnicodeDecodeError:
            yield data[start:end].removeprefix(MARK.encode()).decode("latin-1")
        at = end
    yield data[at:].decode("ascii")
