"""How commands read files of records: plain, packed by gzip or zstd, or from standard input."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import click

from service.cli.progress import make_progress_bar

if TYPE_CHECKING:
    from notation.reader import ReadResult
    from service.imports.decompression import Unpacked

FILE: Final = click.Path(exists=True, dir_okay=False, readable=True, allow_dash=True)
"""A file's name, or `-` for standard input."""
STDIN: Final = "-"
LIMIT: Final = 1 << 40
"""The most bytes that a packed file may unpack to; a user's own file has no other limit."""


def read_games(file: str) -> Iterator[ReadResult]:
    """Yield the verdict on each game of a file, under a progress bar; raises DamagedUpload."""
    from notation.reader import read

    size = None if file == STDIN else Path(file).stat().st_size
    with open_unpacked(file) as source, make_progress_bar(size, "B", bytes=True) as bar:
        for verdict in read(source.lines):
            yield verdict
            bar.update((verdict.end if size is None else source.passed()) - bar.n)


def read_all(file: str) -> bytes:
    """The whole file, unpacked; raises DamagedUpload."""
    with open_unpacked(file) as source:
        return source.lines.read()


@contextmanager
def open_unpacked(file: str) -> Iterator[Unpacked]:
    """Open a file, or standard input, which cannot seek, for its unpacked bytes."""
    from service.imports.decompression import Unpacked, packing_of

    with click.open_file(file, "rb") as stream:
        raw = io.BufferedReader(cast(io.RawIOBase, stream))
        try:
            yield Unpacked(raw, packing_of(raw.peek(4)), LIMIT)
        finally:
            raw.detach()
