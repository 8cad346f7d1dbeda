"""The storage of imports' files, as the uploads and the verdicts use it.

An import has two files: the original, as received, and the verdicts, to which lines are added. They
are in a data directory (`local_files`) or in an object store (`stored_files`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, Final, Protocol

ORIGINAL: Final = "original"
VERDICTS: Final = "verdicts.ndjson"
NAMES: Final = (ORIGINAL, VERDICTS)
"""The files of an import."""


class LineFile(Protocol):
    """A file of lines that one process writes and any number may read. Offsets are in bytes."""

    def size(self) -> int:
        """The size in bytes; 0 if there is no file."""

    def truncate(self, size: int) -> None:
        """Drop everything after the first `size` bytes; it has at least that many."""

    def append(self, lines: bytes) -> int:
        """Append whole lines durably; returns the size of the file."""

    def read(self, start: int, length: int) -> bytes:
        """Read `length` bytes, fewer at the end."""

    def lines(self, start: int = 0) -> Iterator[bytes]:
        """Yield the lines from an offset on; the last may be incomplete."""


class ImportFiles(Protocol):
    """The files of all imports."""

    def lock(self, id: str) -> AbstractContextManager[None]:
        """Lock the files of an import against all other processes of the service."""

    def keep(self, id: str, draft: Path) -> None:
        """Make a file on this machine's disk the original of an import; it may be moved."""

    def size(self, id: str) -> int | None:
        """The size of the original of an import in bytes; None if there is none."""

    def open(self, id: str) -> BinaryIO:
        """Open the original of an import; raises FileNotFoundError."""

    def discard(self, id: str) -> None:
        """Remove the original of an import, if there is one."""

    def verdicts(self, id: str) -> LineFile:
        """The verdicts of an import."""
