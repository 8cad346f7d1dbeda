"""Pages of verdicts: each takes bounded work, and together they hold every verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.imports import verdicts
from service.imports.local_files import LocalLineFile
from service.imports.verdicts import Verdict, VerdictFile, VerdictStatus

MADE: list[Verdict] = [
    {"number": n, "status": VerdictStatus.QUARANTINED if n % 10 == 0 else VerdictStatus.ACCEPTED}
    for n in range(1, 41)
]


@pytest.fixture
def file(tmp_path: Path) -> VerdictFile:
    file = VerdictFile(LocalLineFile(tmp_path / "verdicts.ndjson"))
    file.add(MADE)
    return file


def pages(file: VerdictFile, statuses: frozenset[str], limit: int) -> list[list[Verdict]]:
    """All pages, in order."""
    found: list[list[Verdict]] = []
    cursor: str | None = "0"
    while cursor is not None:
        assert len(found) <= len(MADE)
        page, cursor = file.page(statuses, int(cursor), limit)
        found.append(page)
    return found


@pytest.mark.parametrize("limit", [1, 7, 40, 41])
def test_a_page_has_no_more_than_its_limit(file: VerdictFile, limit: int) -> None:
    found = pages(file, frozenset(), limit)
    assert len(found) == -(-len(MADE) // limit)
    assert max(map(len, found)) <= limit
    assert [one for page in found for one in page] == MADE


def test_a_page_looks_at_so_many_lines_however_few_it_wants(
    file: VerdictFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verdicts, "LOOKED_AT", 8)
    wanted = frozenset({VerdictStatus.QUARANTINED})
    found = pages(file, wanted, 3)
    # At most one of every 8 lines is wanted; the fifth page ends with the file.
    assert [[one["number"] for one in page] for page in found] == [[], [10], [20], [30], [40]]
    none = frozenset({VerdictStatus.VALID})
    assert pages(file, none, 3) == [[]] * 5
