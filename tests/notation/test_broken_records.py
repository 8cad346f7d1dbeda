"""The damaged files get their expected verdicts, line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from notation.reader import read
from tests.games import DATA

FILES = sorted((DATA / "broken").glob("*.pgn"))


def test_every_damaged_file_has_its_expectation_and_none_is_left_over() -> None:
    assert len(FILES) >= 19
    expectations = {path.stem for path in (DATA / "broken").glob("*.expected")}
    assert expectations == {path.stem for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_damaged_file_gets_its_verdicts(path: Path) -> None:
    with path.open("rb") as stream:
        verdicts = [str(verdict) for verdict in read(stream)]
    assert verdicts == path.with_suffix(".expected").read_text().splitlines()
