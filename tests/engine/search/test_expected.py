"""Compiled and pure searches reproduce the results on file."""

from __future__ import annotations

import pytest

from engine.registry import VARIANTS
from tests.engine.search.expected import COUNT, FILE, found

ROWS = [row.split(" | ") for row in FILE.read_text("ascii").splitlines()]


def test_every_variant_has_its_rows() -> None:
    assert [name for name, *_ in ROWS] == [name for name in VARIANTS for _ in range(COUNT)]


@pytest.mark.parametrize(("name", "expected", "fen"), ROWS)
def test_a_search_finds_what_is_written_down(name: str, expected: str, fen: str) -> None:
    assert found(name, fen) == expected
