"""Files of records as commands read them: plain or packed by gzip or zstd, or standard input."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import click

from service.cli.progress import progress

if TYPE_CHECKING:
    from notation.reader import ReadResult
    from service.imports.unpacking import Unpacked

FILE: Final = click.Path(exists=True, dir_okay=False, readable=True, allow_dash=True)
"""A file's name, or `-` for standard input."""
STDIN: Final = "-"
MOST: Final = 1 << 40
"""Bytes that a packed file may unpack to: whoever reads it here has the room for it."""


def verdicts(file: str) -> Iterator[ReadResult]:
    """What is read of the games of a file, one after the other; raises DamagedUpload."""
    from notation.reader import read

    size = None if file == STDIN else Path(file).stat().st_size
    with unpacked(file) as source, progress(size, "B", bytes=True) as bar:
        for verdict in read(source.lines):
            yield verdict
            bar.update((verdict.end if size is None else source.passed()) - bar.n)


def content(file: str) -> bytes:
    """All of a file, unpacked; raises DamagedUpload."""
    with unpacked(file) as source:
        return source.lines.read()


@contextmanager
def unpacked(file: str) -> Iterator[Unpacked]:
    """A file, or standard input, which cannot be gone back in, as its unpacked bytes."""
    from service.imports.unpacking import Unpacked, packing_of

    with click.open_file(file, "rb") as stream:
        raw = io.BufferedReader(cast(io.RawIOBase, stream))
        try:
            yield Unpacked(raw, packing_of(raw.peek(4)), MOST)
        finally:
            raw.detach()
