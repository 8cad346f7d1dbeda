from __future__ import annotations

import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notation.section import Section, Unfinished, read_sections, split_sections
from tests.notation.sections_by_line import sections_by_line

LINES = st.lists(
    st.sampled_from(
        [
            '[Event "x"]',
            '[Site "y"]',
            '  [Round "z"]',
            "[Si",
            "",
            "; note",
            "% escape",
            "1. Pd1 *",
            " {",
            "}",
            "\ufeff",
        ]
    ),
    max_size=20,
)


def cut(text: str, limit: int = 1 << 20) -> list[Section]:
    return list(split_sections(io.BytesIO(text.encode()), limit))


def test_a_tag_line_behind_movetext_begins_a_section() -> None:
    first, second = cut('[Event "a"]\n\n1. Pd1 *\n[Event "b"]\n*\n')
    assert (first.text, first.line) == ('[Event "a"]\n\n1. Pd1 *\n', 1)
    assert (second.text, second.line) == ('[Event "b"]\n*\n', 4)


def test_a_section_knows_its_range_in_bytes() -> None:
    text = '[Event "Zürich"]\n*\n[Event "b"]\n*'
    data = text.encode()
    for section in split_sections(io.BytesIO(data)):
        assert data[section.start : section.end].decode() == section.text
    for section in split_sections(io.StringIO(text)):
        assert text[section.start : section.end] == section.text


def test_what_stands_before_the_first_tag_is_a_section_without_tags() -> None:
    before, game = cut('rubbish\n[Event "a"]\n*\n')
    assert (before.tagged, before.text) == (False, "rubbish\n")
    assert game.tagged


def test_an_indented_tag_does_not_part_the_tags_of_one_game() -> None:
    assert len(cut('[Event "a"]\n  [Date "c"]\n[Site "b"]\n\n*\n')) == 1
    assert len(cut('[Event "a"]\n\t[Date "c"]\n[Event "b"]\n\n*\n')) == 2
    assert len(cut('[Event "a"]\n{\n [Date "c"]}\n[Site "b"]\n\n*\n')) == 2


def test_blank_and_comment_lines_do_not_part_the_tags_of_one_game() -> None:
    assert len(cut('[Event "a"]\n\n; c\n%e\n[Site "b"]\n*\n')) == 1
    assert len(cut('[Event "a"]\n{c} {d} ; e\n[Site "b"]\n*\n')) == 1
    assert len(cut('[Event "a"]\n{c} *\n[Site "b"]\n*\n')) == 2


def test_a_game_cut_off_behind_its_tags_ends_where_a_name_comes_again() -> None:
    assert len(cut('[Event "a"]\n[Site "b"]\n\n[Event "c"]\n*\n')) == 2


def test_a_damaged_tag_does_not_make_the_next_one_a_beginning() -> None:
    assert len(cut('[Event "a"]\n[Si\n[Date "b"]\n\n1. Pd1 *\n')) == 1


def test_a_tag_line_inside_a_comment_begins_a_section() -> None:
    assert len(cut('[Event "a"]\n\n1. Pd1 { open\n\n[Event "b"]\n*\n')) == 2


def test_a_tag_that_is_not_in_the_first_column_begins_nothing() -> None:
    assert len(cut('[Event "a"]\n\n1. Pd1 {\n [Event "b"]} *\n')) == 1


def test_a_byte_order_mark_is_dropped_at_the_start_of_any_line() -> None:
    first, second = cut('\ufeff[Event "a"]\n*\n\ufeff[Event "b"]\n*\n')
    assert first.text.startswith("[Event")
    assert second.text.startswith("[Event")


def test_a_mark_before_a_line_of_latin_1_is_dropped() -> None:
    line = b"\xef\xbb\xbf" + '[Event "Müller"]\n'.encode("latin-1")
    (section,) = split_sections(io.BytesIO(line))
    assert section.text == '[Event "Müller"]\n'


def test_bytes_that_are_not_utf_8_are_latin_1() -> None:
    (section,) = split_sections(io.BytesIO('[Event "Müller"]\n'.encode("latin-1")))
    assert section.text == '[Event "Müller"]\n'


@pytest.mark.parametrize("huge", ["x" * 5000, "x\n" * 2500, "x" * 90 + "\n" + "[y]" * 999 + "\n"])
def test_a_section_above_the_limit_is_not_kept_and_harms_no_other(huge: str) -> None:
    text = f'[Event "a"]\n*\n[Event "b"]\n{huge}\n[Event "c"]\n*\n'
    first, second, third = cut(text, limit=1000)
    assert (first.oversize, second.oversize, third.oversize) == (False, True, False)
    assert second.text == ""
    assert third.text == '[Event "c"]\n*\n'
    assert third.line == text[: third.start].count("\n") + 1


def test_a_section_of_exactly_the_limit_is_kept() -> None:
    text = '[Event "a"]\n*\n'
    assert [section.oversize for section in cut(text, len(text))] == [False]
    assert [section.oversize for section in cut(text, len(text) - 1)] == [True]


def test_a_tag_in_the_further_part_of_an_overlong_line_begins_nothing() -> None:
    first = '[Event "a"]\n*\n'
    line = "x" * 101 + '[Event "b"]\n'
    assert len(cut(first + line, limit=100)) == 1


def test_a_place_is_given_as_line_and_column() -> None:
    _, second = cut('[Event "a"]\n*\n[Event "b"]\n\n 1. Pd1 *\n')
    assert second.where(second.text.index("Event")) == (3, 2)
    assert second.where(second.text.index("Pd1")) == (5, 5)


@given(lines=LINES, ending=st.sampled_from(["\n", "\r\n"]))
def test_sections_cover_the_stream_without_gaps(lines: list[str], ending: str) -> None:
    text = ending.join(lines)
    end = 0
    for section in split_sections(io.StringIO(text, newline="")):
        assert section.start == end
        assert section.line == text.count("\n", 0, section.start) + 1
        end = section.end
    assert end == len(text)


BYTES = st.lists(
    st.sampled_from(
        [
            b'[Event "x"]',
            b'[Site "y"]',
            b'[ A "',
            b"[Si",
            b"[",
            b"\xef\xbb\xbf",
            b"\xff",
            "é".encode(),
            b"; note",
            b"% escape",
            b"1. Pd1 *",
            b" ",
            b"\r",
            b"\n",
            b"\n",
            b"\n\n",
        ]
    ),
    max_size=40,
)


@given(parts=BYTES, chunk=st.integers(1, 40))
def test_chunks_make_no_difference(parts: list[bytes], chunk: int) -> None:
    data = b"".join(parts)
    by_line = list(sections_by_line(data))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("notation.lines.CHUNK", chunk)
        assert list(split_sections(io.BytesIO(data))) == by_line
    assert list(split_sections(io.BytesIO(data))) == by_line


@given(parts=BYTES, chunk=st.integers(1, 40), limit=st.integers(20, 60))
def test_chunks_make_no_difference_to_what_is_too_large(
    parts: list[bytes], chunk: int, limit: int
) -> None:
    # A line above the limit is read in parts; these lines are cut to the limit.
    data = b"".join(line[:limit] for line in b"".join(parts).splitlines(keepends=True))
    by_line = [
        replace(section, text="") if section.oversize else section
        for section in sections_by_line(data, limit)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("notation.lines.CHUNK", chunk)
        assert list(split_sections(io.BytesIO(data), limit)) == by_line
    assert list(split_sections(io.BytesIO(data), limit)) == by_line


@given(LINES, st.integers(12, 40), st.integers(1, 40))
def test_a_section_that_is_too_large_is_gone_on_with_anywhere(
    lines: list[str], limit: int, chunk: int
) -> None:
    data = "\n".join(lines * 3).encode()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("notation.lines.CHUNK", chunk)
        found = list(read_sections(io.BytesIO(data), limit))
        for number, mark in enumerate(found):
            if isinstance(mark, Unfinished):
                expected = [rest for rest in found[number:] if isinstance(rest, Section)]
                stream = io.BytesIO(data[mark.offset :])
                rest = read_sections(stream, limit, mark)
                assert [each for each in rest if isinstance(each, Section)] == expected


def test_how_far_a_section_is_read_that_is_too_large_is_told_at_each_block() -> None:
    data = b'[Event "a"]\n' + b"[ x\n" * 200_000 + b'*\n[Event "b"]\n*\n'
    found = list(read_sections(io.BytesIO(data), 1000))
    marks = [mark for mark in found if isinstance(mark, Unfinished)]
    assert len(marks) > 10
    first, last = split_sections(io.BytesIO(data), 1000)
    assert first.oversize
    assert found[-2:] == [first, last]
    for mark in marks:
        assert mark.next_line == data.count(b"\n", 0, mark.offset) + 1
