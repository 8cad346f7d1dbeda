"""Verdicts: what became of each game of a file, kept as lines of JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, Final

from service.errors import BadValue
from service.imports.files import LineFile

LOOKED_AT: Final = 20_000
"""The most lines that a page looks at, however few of them match."""

Verdict = dict[str, Any]
"""One verdict, a JSON object: `number`, `status`, `line`, `bytes`, and what the status needs."""


class VerdictStatus(StrEnum):
    """The possible verdicts on a record."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    """The service already has this record: `game`, or `record` for one kept as played."""
    VARIANT_OF = "variant-of"
    """Accepted; the same game as `of`, whose record says other things besides the moves."""
    QUARANTINED = "quarantined"
    AS_PLAYED = "as-played"
    """Kept as `record`, which is not a game."""
    VALID = "valid"
    """Nothing is wrong with it, but it was not imported: the strict import was refused."""


BAD: Final = frozenset({VerdictStatus.QUARANTINED, VerdictStatus.AS_PLAYED})


class VerdictFile:
    """The verdicts of one import, in the file's order. One process writes, any number may read."""

    def __init__(self, file: LineFile) -> None:
        self.file = file

    def resume(self, size: int) -> bool:
        """Drop everything after the first `size` bytes; False if there are fewer than that."""
        if self.file.size() < size:
            self.file.truncate(0)
            return False
        self.file.truncate(size)
        return True

    def add(self, verdicts: Iterable[Verdict]) -> int:
        """Append verdicts durably; returns the size of the file."""
        return self.file.append("".join(map(_line, verdicts)).encode())

    def lines(self, after: int = 0) -> Iterator[tuple[Verdict, int]]:
        """The verdicts from an offset on, each with the offset after it.

        Raises BadValue for an offset at which no verdict begins.
        """
        if after and self.file.read(after - 1, 1) != b"\n":
            raise BadValue("cursor", "expected the next_cursor of an earlier page")
        return self._lines(after)

    def _lines(self, after: int) -> Iterator[tuple[Verdict, int]]:
        for line in self.file.lines(after):
            # The last line may be incomplete.
            if not line.endswith(b"\n"):
                return
            after += len(line)
            yield json.loads(line), after

    def page(
        self, statuses: frozenset[str], after: int, limit: int
    ) -> tuple[list[Verdict], str | None]:
        """Up to `limit` verdicts of these statuses (all if empty), and the next page's cursor.

        The cursor is None if there are no more. Raises BadValue as `lines` does.
        """
        found: list[Verdict] = []
        for seen, (verdict, end) in enumerate(self.lines(after), 1):
            if not statuses or verdict["status"] in statuses:
                found.append(verdict)
            if len(found) == limit or seen == LOOKED_AT:
                return found, str(end) if end < self.file.size() else None
        return found, None

    def tally(self) -> dict[str, int]:
        """The number of verdicts by status, and of those that `was` something else before."""
        return dict(count_verdicts(verdict for verdict, _ in self.lines()))


def count_verdicts(verdicts: Iterable[Verdict]) -> Counter[str]:
    """The number of verdicts by status.

    `changed` counts those that differ from what an earlier import of the same file said.
    """
    counted: Counter[str] = Counter()
    for verdict in verdicts:
        counted[verdict["status"]] += 1
        counted["changed"] += "was" in verdict
    return counted


def compare_with_earlier(verdict: Verdict, earlier: Verdict | None) -> Verdict:
    """The verdict, with what an earlier import of the same file said if that was different.

    A game that was accepted then and is a duplicate now is not a difference.
    """
    if earlier is None or _complaint(earlier) == _complaint(verdict):
        return verdict
    was = {name: earlier[name] for name in ("status", "code") if name in earlier}
    return {**verdict, "was": was}


def _complaint(verdict: Mapping[str, Any]) -> Any:
    return verdict["code"] if verdict["status"] in BAD else None


def _line(verdict: Verdict) -> str:
    return json.dumps(verdict, separators=(",", ":")) + "\n"
