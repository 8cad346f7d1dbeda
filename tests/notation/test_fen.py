from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notation import fen
from notation.errors import BadFen

ROWS = st.lists(st.lists(st.sampled_from(["", "", "a", "B"]), min_size=1, max_size=12), min_size=1)


def written(rows: list[list[str]]) -> str:
    """The rows as a placement field."""
    return fen.write_rows("".join(cell or " " for cell in row) for row in rows)


@given(ROWS)
def test_reading_rows_undoes_writing_them(rows: list[list[str]]) -> None:
    assert fen.read_rows(written(rows), [len(row) for row in rows], "aB") == rows


@given(st.lists(st.integers(0, 40), min_size=4, max_size=4))
def test_reading_counts_undoes_writing_them(counts: list[int]) -> None:
    assert fen.read_counts(fen.write_counts(tuple(counts), "IAia"), "IAia", "hand") == counts


@given(st.text("IAia0123456789-", max_size=8))
def test_counts_have_one_spelling(text: str) -> None:
    try:
        counts = fen.read_counts(text, "IAia", "hand")
    except BadFen as error:
        assert error.field == "hand"
        return
    assert fen.write_counts(tuple(counts), "IAia") == text


@given(st.text("aBb/0123", max_size=12))
def test_rows_have_one_spelling(text: str) -> None:
    try:
        rows = fen.read_rows(text, [3, 11], "aB")
    except BadFen as error:
        assert error.field == "placement"
        return
    assert written(rows) == text


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (lambda text: fen.read_rows(text, [3], "a"), "3/3"),
        (lambda text: fen.read_rows(text, [3], "a"), "12"),
        (lambda text: fen.read_rows(text, [12], "a"), "111"),
        (lambda text: fen.read_rows(text, [12], "a"), "120"),
        (lambda text: fen.read_rows(text, [3], "a"), "99999999999"),
        (lambda text: fen.read_rows(text, [3], "a"), "٣"),
        (lambda text: fen.read_counts(text, "Ia", "hand"), "I1"),
        (lambda text: fen.read_counts(text, "Ia", "hand"), "aI"),
        (lambda text: fen.read_counts(text, "Ia", "hand"), ""),
        (lambda text: fen.read_counts(text, "Ia", "hand"), "I" * 99),
        (lambda text: fen.read_number(text, "move"), "01"),
        (lambda text: fen.read_number(text, "move"), "9" * 99),
        (lambda text: fen.read_number(text, "move", 1), "0"),
        (fen.read_points, "1"),
        (fen.read_points, "1-2-3"),
        (lambda text: fen.read_choice(text, "side", "wb"), "wb"),
        (lambda text: fen.read_choice(text, "side", "wb"), ""),
        (lambda text: fen.split_fields(text, ("a", "b")), "x"),
        (lambda text: fen.split_fields(text, ("a", "b")), "x y z"),
        (lambda text: fen.split_fields(text, ("a", "b")), "x "),
    ],
)
def test_what_is_not_canonical(read: Callable[[str], object], text: str) -> None:
    with pytest.raises(BadFen) as caught:
        read(text)
    assert len(str(caught.value)) < 120


def test_long_text_is_cut_where_it_is_shown() -> None:
    assert fen.quote_text("x" * 41) == repr("x" * 40 + "…")


def test_the_fen_of_a_game_s_tags() -> None:
    assert fen.tagged_fen({}) is None
    assert fen.tagged_fen({"SetUp": "0"}) is None
    assert fen.tagged_fen({"FEN": "x"}) == fen.tagged_fen({"FEN": "x", "SetUp": "1"}) == "x"
    with pytest.raises(BadFen) as caught:
        fen.tagged_fen({"SetUp": "1"})
    assert caught.value.field == "SetUp"
