"""A file of records in batches, and how far an import is in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from notation.section import Section, Unfinished, read_sections
from service.imports.decompression import Unpacked

GAMES: Final = 100
"""Records in a batch at most."""
SIZE: Final = 1 << 17
"""Bytes of a batch, but for a last record that is larger."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Sections of a file, on which line the next one begins, and how many bytes of the packed
    file were read to get them.

    A batch without sections says how far the next one is read, which is larger than the limit.
    """

    sections: list[Section]
    line: int
    passed: int
    within: Unfinished | None = None


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """An import's checkpoint: JSON values, kept with the job.

    `judging` says that records are only judged so far. `offset`, `line` and `number` are where
    the next record is looked for, `verdicts` is the size of the verdicts' file. `within` is
    how far that record is read where it is larger than the limit, counted from its start.
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
        """The offset from which to read the file on."""
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
