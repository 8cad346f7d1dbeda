"""Where the files of imports lie, as the uploads and the verdicts use it.

An import has two: the original, as it came, and the verdicts, to which lines are added. They lie in
a data directory (`local_files`) or in an object store (`stored_files`).
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
    """A file of lines that one process writes and any number read. Offsets are in bytes."""

    def size(self) -> int:
        """How many bytes it has; none where there is no file."""

    def truncate(self, size: int) -> None:
        """Drop what stands behind the first `size` bytes, of which it has that many."""

    def append(self, lines: bytes) -> int:
        """Add whole lines, durably; returns the size of the file."""

    def read(self, start: int, length: int) -> bytes:
        """Read so many bytes, fewer at the end."""

    def lines(self, start: int = 0) -> Iterator[bytes]:
        """Yield the lines from an offset on; the last may be in the making."""


class ImportFiles(Protocol):
    """The files of all imports."""

    def lock(self, id: str) -> AbstractContextManager[None]:
        """Have the files of an import to oneself, among all processes of the service."""

    def keep(self, id: str, draft: Path) -> None:
        """Make a file on this machine's disk the original of an import; it may be moved."""

    def size(self, id: str) -> int | None:
        """How many bytes the original of an import has; None where there is none."""

    def open(self, id: str) -> BinaryIO:
        """Open the original of an import; raises FileNotFoundError."""

    def discard(self, id: str) -> None:
        """Remove the original of an import, if there is one."""

    def verdicts(self, id: str) -> LineFile:
        """The verdicts of an import."""
