from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notation.errors import BadFen
from notation.fen import (
    quote_text,
    read_choice,
    read_counts,
    read_number,
    read_points,
    read_rows,
    split_fields,
    tagged_fen,
    write_counts,
    write_rows,
)

ROWS = st.lists(st.lists(st.sampled_from(["", "", "a", "B"]), min_size=1, max_size=12), min_size=1)


def written(rows: list[list[str]]) -> str:
    """The rows as a placement."""
    return write_rows("".join(cell or " " for cell in row) for row in rows)


@given(ROWS)
def test_reading_rows_undoes_writing_them(rows: list[list[str]]) -> None:
    assert read_rows(written(rows), [len(row) for row in rows], "aB") == rows


@given(st.lists(st.integers(0, 40), min_size=4, max_size=4))
def test_reading_counts_undoes_writing_them(counts: list[int]) -> None:
    assert read_counts(write_counts(tuple(counts), "IAia"), "IAia", "hand") == counts


@given(st.text("IAia0123456789-", max_size=8))
def test_counts_have_one_spelling(text: str) -> None:
    try:
        counts = read_counts(text, "IAia", "hand")
    except BadFen as error:
        assert error.field == "hand"
        return
    assert write_counts(tuple(counts), "IAia") == text


@given(st.text("aBb/0123", max_size=12))
def test_rows_have_one_spelling(text: str) -> None:
    try:
        rows = read_rows(text, [3, 11], "aB")
    except BadFen as error:
        assert error.field == "placement"
        return
    assert written(rows) == text


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (lambda text: read_rows(text, [3], "a"), "3/3"),
        (lambda text: read_rows(text, [3], "a"), "12"),
        (lambda text: read_rows(text, [12], "a"), "111"),
        (lambda text: read_rows(text, [12], "a"), "120"),
        (lambda text: read_rows(text, [3], "a"), "99999999999"),
        (lambda text: read_rows(text, [3], "a"), "٣"),
        (lambda text: read_counts(text, "Ia", "hand"), "I1"),
        (lambda text: read_counts(text, "Ia", "hand"), "aI"),
        (lambda text: read_counts(text, "Ia", "hand"), ""),
        (lambda text: read_counts(text, "Ia", "hand"), "I" * 99),
        (lambda text: read_number(text, "move"), "01"),
        (lambda text: read_number(text, "move"), "9" * 99),
        (lambda text: read_number(text, "move", 1), "0"),
        (read_points, "1"),
        (read_points, "1-2-3"),
        (lambda text: read_choice(text, "side", "wb"), "wb"),
        (lambda text: read_choice(text, "side", "wb"), ""),
        (lambda text: split_fields(text, ("a", "b")), "x"),
        (lambda text: split_fields(text, ("a", "b")), "x y z"),
        (lambda text: split_fields(text, ("a", "b")), "x "),
    ],
)
def test_what_is_not_canonical(read: Callable[[str], object], text: str) -> None:
    with pytest.raises(BadFen) as caught:
        read(text)
    assert len(str(caught.value)) < 120


def test_long_text_is_cut_where_it_is_shown() -> None:
    assert quote_text("x" * 41) == repr("x" * 40 + "…")


def test_the_fen_of_a_game_s_tags() -> None:
    assert tagged_fen({}) is None
    assert tagged_fen({"SetUp": "0"}) is None
    assert tagged_fen({"FEN": "x"}) == tagged_fen({"FEN": "x", "SetUp": "1"}) == "x"
    with pytest.raises(BadFen) as caught:
        tagged_fen({"SetUp": "1"})
    assert caught.value.field == "SetUp"
