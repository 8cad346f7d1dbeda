"""A table of openings is accepted whole, or refused with every wrong line."""

from __future__ import annotations

import pytest

from service.openings.errors import BadOpenings, NotOpenings
from service.openings.reading import LARGEST, LONGEST_NAME, MOST, SHOWN, read_openings
from service.openings.values import Opening

HEAD = "variant\tname\tactions\tcode\n"


def refusal(text: str) -> list[tuple[int, str]]:
    """The wrong lines and the reasons."""
    with pytest.raises(BadOpenings) as refused:
        read_openings(text.encode())
    return [(one.line, one.reason) for one in refused.value.lines]


def test_tabs_and_either_form_of_actions_are_read() -> None:
    text = HEAD + "kerd\tKing's Walk: Early\t1. e3 Hd9 2. Ji3\tK1\r\n\nkatruji\tDash\tPd4\t\n"
    assert read_openings(text.encode()) == [
        Opening("kerd", "King's Walk: Early", ("e2e3", "d12d9", "k1i3"), "K1"),
        Opening("katruji", "Dash", ("c3d4",), None),
    ]


def test_commas_and_quotes_are_read() -> None:
    text = '\ufeffname,actions,Variant\n"Dash, Left ""wing""",c3d4,katruji\n'
    assert read_openings(text.encode()) == [
        Opening("katruji", 'Dash, Left "wing"', ("c3d4",), None)
    ]


def test_every_wrong_line_is_told_with_what_was_expected() -> None:
    text = (
        f"{HEAD}chess\tA\te4\t\nkatruji\tB\tc3d4 a1a1\t\nkatruji\tC\tc3d4\t\nkatruji\t\tc3d4\t\n"
        "katruji\tD\t1.\t\nkatruji\tE\nkatruji\tc\tb2c2\t\nkatruji\tF\tPd4\t\n"
    )
    wrong = refusal(text)
    assert [line for line, _ in wrong] == [2, 3, 5, 6, 7, 8, 9]
    reasons = [reason for _, reason in wrong]
    assert reasons[0] == ("no variant 'chess'; the variants are katruji, kerak, kerd, kerd-draft")
    assert reasons[1].startswith("action 2: a1a1: ")
    assert reasons[2] == f"name: 1 to {LONGEST_NAME} printable characters"
    assert reasons[3] == "0 actions; an opening has 1 to 100"
    assert reasons[4] == "2 fields for 4 columns"
    assert reasons[5:] == ["line 4 already has this name", "line 4 already has this position"]


def test_an_illegal_action_comes_with_the_nearest_legal_ones() -> None:
    ((line, reason),) = refusal(f"{HEAD}kerd\tA\te3 Hd8 Ji9\t\n")
    assert line == 2
    assert reason.startswith("action 2: Hd8: ")
    assert "Hd9" in reason


def test_transpositions_are_one_position() -> None:
    text = f"{HEAD}kerd\tA\te3 e10 a3\t\nkerd\tB\ta3 e10 e3\t\n"
    assert refusal(text) == [(3, "line 2 already has this position")]


def test_a_position_may_have_a_name_in_each_variant() -> None:
    text = f"{HEAD}kerd\tA\te3\t\nkerd-draft\tA\te3\t\n"
    assert len(read_openings(text.encode())) == 2


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "its first line must name the columns"),
        (b"\n\n", "its first line must name the columns"),
        (b"variant,name\nkerd,A\n", "its first line must name the columns"),
        (b"variant,name,actions,name\n", "its first line must name the columns"),
        (b"variant,name,actions,eco\n", "its first line must name the columns"),
        (HEAD.encode(), "it names no opening; to remove the table, clear it"),
        (b"variant,name,actions\n\xff\n", "byte 21 is not UTF-8"),
        (b'variant,name,actions\nkerd,"A\n', "line 2: unexpected end of data"),
        (b"x" * (LARGEST + 1), "it is larger than 16,777,216 bytes"),
        (b"PK\x03\x04" + bytes(100), "its first line must name the columns"),
        (b"variant,name,actions\n" + b"a" * 200_000, "line 2: field larger than field limit"),
    ],
)
def test_what_is_no_table_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(NotOpenings, match="not a table of openings") as refused:
        read_openings(data)
    assert refused.value.reason.startswith(reason)
    assert refused.value.code == "not-openings"


def test_hostile_texts_are_refused() -> None:
    long = " ".join(["c3d4"] * 101)
    text = (
        f"{HEAD}katruji\tA\x00\tc3d4\t\nkatruji\t{'n' * 201}\tc3d4\t\nkatruji\tB\t{long}\t\n"
        f"katruji\tC\tc3d4\t{'c' * 21}\n"
    )
    assert [line for line, _ in refusal(text)] == [2, 3, 4, 5]


def test_reading_ends_where_very_many_lines_are_wrong() -> None:
    assert len(refusal(HEAD + "chess\tA\te4\t\n" * 1000)) == SHOWN


def test_a_table_has_a_largest_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.openings.reading.MOST", 1)
    with pytest.raises(NotOpenings, match="more than 1 openings"):
        read_openings(f"{HEAD}kerd\tA\te3\t\nkerd\tB\ta3\t\n".encode())
    assert MOST == 20_000
