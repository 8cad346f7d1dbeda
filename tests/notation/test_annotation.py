from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notation.annotation import check_comment, check_glyph, check_tag, clean_comment
from notation.errors import BadAnnotation


@given(st.text())
def test_a_cleaned_comment_is_clean(text: str) -> None:
    try:
        comment = clean_comment(text)
    except BadAnnotation as why:
        assert why.what == "comment"
        return
    check_comment(comment)
    assert clean_comment(comment) == comment
    assert comment.replace(" ", "") == "".join(c for c in text if c not in " \t\r\n\f\v")


def test_other_blanks_than_ascii_s_are_kept() -> None:
    assert clean_comment("a\xa0b\u2028c\x85d") == "a\xa0b\u2028c\x85d"


@pytest.mark.parametrize("text", ["", " \n", "a } b", "\x00", "a\x7f", "\ud800"])
def test_what_no_comment_can_hold(text: str) -> None:
    with pytest.raises(BadAnnotation):
        clean_comment(text)


@pytest.mark.parametrize("text", ["a  b", " a", "a\nb", "a\tb"])
def test_a_comment_of_a_game_is_in_its_normal_form(text: str) -> None:
    with pytest.raises(BadAnnotation, match="single spaces"):
        check_comment(text)


@pytest.mark.parametrize("nag", [-1, 256])
def test_glyphs_have_bounds(nag: int) -> None:
    check_glyph(0)
    check_glyph(255)
    with pytest.raises(BadAnnotation, match=r"glyph: \$"):
        check_glyph(nag)


@pytest.mark.parametrize("name", ["", "_A", "A-B", "A B", "Ä", 'A"', "A" * 256, "A\n"])
def test_tag_names_are_symbols(name: str) -> None:
    check_tag("A" * 255, "")
    check_tag("own_Tag9", "")
    with pytest.raises(BadAnnotation, match="tag: a name"):
        check_tag(name, "")


@pytest.mark.parametrize("value", ["a\nb", "\t", "\x7f", "\udfff", "\r"])
def test_tag_values_have_no_control_characters(value: str) -> None:
    check_tag("A", 'any "other" \\ char\xa0cter \U0001f600 }{')
    with pytest.raises(BadAnnotation, match="A: contains"):
        check_tag("A", value)
