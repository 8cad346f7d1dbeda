from __future__ import annotations

import pytest

from notation.squares import disambiguate_origin


@pytest.mark.parametrize(
    ("origin", "others", "told"),
    [
        ("d1", [], ""),
        ("d1", ["d1"], ""),
        ("d1", ["e1"], "d"),
        ("d1", ["e5", "f7"], "d"),
        ("d1", ["d5"], "1"),
        ("d1", ["d12", "e5"], "1"),
        ("d1", ["d5", "e1"], "d1"),
        ("d12", ["d1", "e12"], "d12"),
    ],
)
def test_disambiguation_as_in_pgn(origin: str, others: list[str], told: str) -> None:
    assert disambiguate_origin(origin, others) == told
    assert disambiguate_origin(origin, [*others, origin]) == told
