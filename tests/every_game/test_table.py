"""The reader of the perft table."""

from __future__ import annotations

import pytest

from tests.every_game.table import BadPerftTable, PerftLine, read_table


def test_a_table_may_have_comments_and_empty_lines() -> None:
    lines = ["# variant depth count fen", "", "katruji 2 200 x s 0-0 - 0 1\n"]
    assert read_table(lines) == [PerftLine("katruji", 2, 200, "x s 0-0 - 0 1")]


@pytest.mark.parametrize(
    ("lines", "line", "reason"),
    [
        ([], 0, "no lines"),
        (["# only a comment"], 0, "no lines"),
        (["katruji 1 14"], 1, "not of the form"),
        (["", "chess 1 20 startpos"], 2, "unknown variant 'chess'"),
        (["katruji one 14 x"], 1, "must be numbers"),
        (["katruji 1 -14 x"], 1, "must be numbers"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused(lines: list[str], line: int, reason: str) -> None:
    with pytest.raises(BadPerftTable, match=reason) as refusal:
        read_table(lines)
    assert refusal.value.line == line
