"""A file of records in batches, and the progress of an import in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from notation.section import Section, Unfinished, read_sections
from service.imports.decompression import Unpacked

GAMES: Final = 100
"""The most records in a batch."""
SIZE: Final = 1 << 17
"""The most bytes in a batch, unless its only record is larger."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Sections of a file, the line of the next one, and the bytes of the packed file read so far.

    A batch without sections says how far the next section, larger than the limit, has been read.
    """

    sections: list[Section]
    line: int
    passed: int
    within: Unfinished | None = None


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """An import's checkpoint: JSON values, kept with the job.

    `judging` says that records are only judged so far. `offset`, `line` and `number` are where
    the next record is looked for, `verdicts` is the size of the verdicts' file. `within` says how
    far that record has been read, counted from its start, if it is larger than the limit.
    """

    judging: bool
    offset: int = 0
    line: int = 1
    number: int = 1
    verdicts: int = 0
    passed: int = 0
    counts: dict[str, int] | None = None
    within: dict[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """The values by name."""
        return {name: getattr(self, name) for name in self.__slots__}

    @property
    def unread(self) -> int:
        """The offset from which to continue reading the file."""
        return self.offset + (self.within["offset"] if self.within else 0)


def cut_batches(file: Unpacked, at: Checkpoint) -> Iterator[Batch]:
    """The sections of a file from a checkpoint on, placed in the whole file."""
    batch: list[Section] = []
    within = None if at.within is None else Unfinished(**at.within)
    for found in read_sections(file.lines, within=within):
        line = found.line + at.line - 1
        if isinstance(found, Unfinished):
            if batch:
                yield Batch(batch, line, file.passed())
                batch = []
            yield Batch([], line, file.passed(), found.from_its_start())
            continue
        start, end = found.start + at.offset, found.end + at.offset
        if len(batch) == GAMES or (batch and end - batch[0].start > SIZE):
            yield Batch(batch, line, file.passed())
            batch = []
        batch.append(replace(found, line=line, start=start, end=end))
    if batch:
        yield Batch(batch, line, file.passed())
