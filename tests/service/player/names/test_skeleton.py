"""Which names look alike."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable
from string import ascii_letters, digits

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from service.player.names.skeleton import look_alike, lookalike_keys, skeleton
from service.player.names.table import unicode_table

LIKE: dict[str, list[str]] = defaultdict(list)
for point in sorted(unicode_table().prototypes.keys() | range(33, 127)):
    LIKE[skeleton(chr(point))].append(chr(point))
CONFUSABLE = st.text(
    st.sampled_from(sorted(char for chars in LIKE.values() if len(chars) > 1 for char in chars)),
    min_size=1,
    max_size=8,
)
ANY = st.text(max_size=12) | CONFUSABLE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("paypal", "paypal"),
        ("раураl", "paypal"),  # Cyrillic but for the last
        ("modern", "rnodern"),
        ("a\u200db", "ab"),
        ("é", "e\u0301"),
        ("I1|", "lll"),
        ("ﬁ", "fi"),
    ],
)
def test_skeletons(text: str, expected: str) -> None:
    assert skeleton(text) == expected


ALIKE = [
    ("Victim", "Vіctim"),
    ("Victim", "VICTIM"),
    ("Victim", "ＶＩＣＴＩＭ"),
    ("Victim", "VlCTlM"),
    ("Victim", "𝐕𝐢𝐜𝐭𝐢𝐦"),
    ("Ann Lee", "Ann  Lee"),
    ("Ann Lee", "Ann Lee"),
    ("ΜΑΡΙΑ", "μαρια"),
    ("Марина", "МАРИНА"),
    ("STRASSE", "Straße"),
    ("modem", "modern"),
    ("rn", "M"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_that_look_alike(one: str, other: str) -> None:
    assert look_alike(one, other)
    assert look_alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Tim", "Rim"), ("Ann Lee", "AnnLee"), ("Ada", "Adá"), ("Sam", "Pam"), ("李", "李 明")],
)
def test_names_that_do_not(one: str, other: str) -> None:
    assert not look_alike(one, other)


@given(ANY)
def test_a_skeleton_is_that_of_the_normal_forms(text: str) -> None:
    for normal in (unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)):
        assert skeleton(normal) == skeleton(text)


def test_skeletons_are_in_normal_form() -> None:
    """For every confusable character, even before an accent that sorts ahead of its own."""
    for chars in LIKE.values():
        for char in chars:
            assert unicodedata.is_normalized("NFD", skeleton(char + "\u0327"))


@given(ANY, st.sampled_from([str.upper, str.lower, str.casefold, str.title]))
def test_a_name_looks_like_itself_in_any_case(text: str, change: Callable[[str], str]) -> None:
    assume(folded(change(text)) == folded(text))
    assert look_alike(text, change(text))


def folded(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


@given(CONFUSABLE, st.data())
def test_who_shares_a_skeleton_shares_a_key(text: str, data: st.DataObject) -> None:
    other = "".join(data.draw(st.sampled_from(LIKE[skeleton(char)])) for char in text)
    assume(skeleton(other) == skeleton(text))
    assert look_alike(other, text)


@given(ANY)
def test_a_name_has_one_key_or_two(text: str) -> None:
    assert 1 <= len(lookalike_keys(text)) <= 2


@given(st.text(ascii_letters + digits + " -.'", max_size=20))
def test_a_name_in_plain_letters_has_one(text: str) -> None:
    assert len(lookalike_keys(text)) == 1
