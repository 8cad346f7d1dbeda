"""Small files that unpack to a lot, or to nothing for a long time, to hold an import up."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from typing import Final

import zstandard

HEAD: Final = b'[Variant "katruji"]\n[Event "x"]\n\n1. Pd2 '
DEEP: Final = b"(Pd1 " * 100 + b")" * 100
TAGS: Final = b"".join(b'[Tag%d "x"]\n' % number for number in range(1000))


def repeated(piece: bytes, size: int) -> Iterator[bytes]:
    """About `size` bytes of a repeated piece, in blocks of about a megabyte."""
    block = piece * max(1, (1 << 20) // len(piece))
    for _ in range(max(1, size // len(block))):
        yield block


def zstd(head: bytes, piece: bytes, size: int) -> bytes:
    """One frame of a head and then about `size` bytes of a repeated piece."""
    packer = zstandard.ZstdCompressor().compressobj()
    parts = [packer.compress(head), *map(packer.compress, repeated(piece, size))]
    return b"".join([*parts, packer.flush()])


def gzipped(head: bytes, piece: bytes, size: int) -> bytes:
    """The same as one gzip member."""
    packer = zlib.compressobj(wbits=31)
    parts = [packer.compress(head), *map(packer.compress, repeated(piece, size))]
    return b"".join([*parts, packer.flush()])


def named(size: int) -> bytes:
    """A gzip member with a file name of this many bytes."""
    whole = gzip.compress(HEAD + b"*\n")
    return whole[:3] + b"\x08" + whole[4:10] + b"x" * size + b"\0" + whole[10:]


HOSTILE: Final[dict[str, Callable[[int], bytes]]] = {
    "line feeds behind tags": lambda n: zstd(TAGS, b"\n", n),
    "line feeds in gzip": lambda n: gzipped(TAGS, b"\n", n),
    "one endless line": lambda n: zstd(b"", b"x", n),
    "one endless tag line": lambda n: zstd(b'[Event "', b"x", n),
    "one endless comment": lambda n: zstd(HEAD + b"{", b"w\n", n),
    "endless blanks": lambda n: zstd(HEAD, b" ", n),
    "endless tag lines": lambda n: zstd(b"", b'[Event "x"]\n', n),
    "endless sections": lambda n: zstd(b"", HEAD + b"*\n\n", n),
    "endless brackets": lambda n: zstd(b"", b"[\n", n),
    "endless escapes": lambda n: zstd(HEAD, b"%\n", n),
    "endless line comments": lambda n: zstd(HEAD, b";\n", n),
    "open variations": lambda n: zstd(HEAD, b"(", n),
    "the deepest variations": lambda n: zstd(b"", HEAD + DEEP * 990 + b"*\n\n", n),
    "what is no UTF-8": lambda n: zstd(HEAD, b"\xff\n", n),
    "byte order marks": lambda n: zstd(HEAD, b"\xef\xbb\xbf\n", n),
    "many frames": lambda n: zstd(b"", b"\n", 1 << 16) * (n >> 16),
    "many members": lambda n: gzip.compress(b"\n" * (1 << 16)) * (n >> 16),
    "a member's endless name": lambda n: named(n >> 4),
    "endless padding": lambda n: gzip.compress(b"\n") + bytes(n >> 4),
}
"""Functions that make a file which unpacks to about so many bytes, or keeps its reader as busy."""
EMPTY: Final = {
    "frames": zstandard.compress(b""),
    "members": gzip.compress(b""),
}
"""Parts that take work to unpack and give nothing."""
