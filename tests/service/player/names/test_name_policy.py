"""Names that can be chosen, and why others cannot."""

from __future__ import annotations

import pytest

from service.errors import BadValue
from service.player.names.errors import MixedScripts, ReservedName
from service.player.names.name_policy import chosen_name, is_plain
from service.player.names.scripts import mixed_scripts


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ada", "Ada"),
        ("  Ada   King ", "Ada King"),
        ("Zoe\u0308", "Zoë"),
        ("Zoë 🙂", "Zoë 🙂"),
        ("Ann O’Brien-Łuk, Jr.", "Ann O’Brien-Łuk, Jr."),
        ("李 明", "李 明"),
        ("日本のカナー", "日本のカナー"),
        ("한국人", "한국人"),
        ("ㄅㄆ字", "ㄅㄆ字"),
        ("Анна Smith", "Анна Smith"),
        ("दुःख", "दुःख"),
        ("محمد ٢", "محمد ٢"),
        ("Nguyễn Thị", "Nguyễn Thị"),
        ("x" * 100, "x" * 100),
        ("x" + "\u0301" * 4, "x" + "\u0301" * 4),
        ("administrator", "administrator"),
        ("computer", "computer"),
        ("Computerson", "Computerson"),
        ("Ad Min", "Ad Min"),
        ("What?", "What?"),
        ("!", "!"),
    ],
)
def test_names_to_choose(text: str, name: str) -> None:
    assert chosen_name(text) == name
    assert chosen_name(name) == name
    assert is_plain(name)


@pytest.mark.parametrize(
    ("name", "reserved"),
    [
        ("admin", "admin"),
        ("ADMIN", "admin"),
        ("Αdmin", "admin"),  # a Greek Alpha
        ("аdmіn", "admin"),  # two Cyrillic letters
        ("ａｄｍｉｎ", "admin"),
        ("𝐚𝐝𝐦𝐢𝐧", "admin"),
        ("Adm1n", "admin"),
        ("ADMlN", "admin"),
        (" admin! ", "admin"),
        ("-admin-", "admin"),
        ("admin\u2010", "admin"),  # a hyphen that is not ASCII
        ("«Admin…»", "admin"),
        ("★ movelog ★", "movelog"),
        ("Movelog", "movelog"),
        ("m0velog", "movelog"),
        ("rnovelog", "movelog"),
        ("Movelog Admin", "movelog admin"),
        ("Movelog-Admin", "movelog admin"),
        ("movelog_support", "movelog support"),
        ("Arbiter", "arbiter"),
        ("Αrbiter", "arbiter"),  # a Greek Alpha
        ("★ Arbiter ★", "arbiter"),
        ("M0veIog  Аdmіn", "movelog admin"),
        ("admin admin", "admin admin"),
        ("?", "?"),
        ("？", "?"),
        ("⁇", "?"),
        ("? ?", "?"),
        ("(?)", "?"),
        ("movelog:scorer", ":"),
        ("Ada：x", ":"),
        ("Ada ː x", ":"),
        ("Ada\u02f8", ":"),
        ("computer-5", "computer-"),
        ("Computer-5", "computer-"),
        ("Cоmputer-5", "computer-"),  # a Cyrillic o
        ("COMPUTER–strong", "computer-"),
        ("cornputer-x", "computer-"),
        ("Ann Lee #K7QF", "#"),
        ("Ann Lee ＃K7QF", "#"),
        ("Ann Lee ♯K7QF", "#"),
    ],
)
def test_names_of_the_service_itself(name: str, reserved: str) -> None:
    with pytest.raises(ReservedName, match=r"^name: ") as error:
        chosen_name(name)
    assert (error.value.code, error.value.reserved) == ("reserved-name", reserved)
    assert not is_plain(name)


@pytest.mark.parametrize(
    ("name", "word", "scripts"),
    [
        ("Vіctim", "Vіctim", ["Cyrillic", "Latin"]),
        ("Ann Lее", "Lее", ["Cyrillic", "Latin"]),
        ("Αnn", "Αnn", ["Greek", "Latin"]),
        ("カナ한", "カナ한", ["Hangul", "Katakana"]),
        ("T恤", "T恤", ["Han", "Latin"]),
        ("かㄅ", "かㄅ", ["Bopomofo", "Hiragana"]),
        ("Smith-Иванов", "Smith-Иванов", ["Cyrillic", "Latin"]),
        ("Aа\u0301Α", "Aа\u0301Α", ["Cyrillic", "Greek", "Latin"]),
    ],
)
def test_words_that_mix_scripts(name: str, word: str, scripts: list[str]) -> None:
    with pytest.raises(MixedScripts, match="write each word in one script") as error:
        chosen_name(name)
    assert (error.value.word, error.value.scripts) == (word, scripts)
    assert not is_plain(name)


def test_signs_of_several_scripts_count_for_each() -> None:
    """The prolonged sound mark belongs to Hiragana and Katakana, and to no other script."""
    assert mixed_scripts("ー") == []
    assert mixed_scripts("かー") == []
    assert mixed_scripts("aー") == ["Latin"]
    with pytest.raises(MixedScripts, match="'aー' mixes Latin with another script"):
        chosen_name("aー")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "is blank"),
        ("  ", "is blank"),
        ("x" * 101, "101 characters"),
        ("a\nb", r"U\+000A"),
        ("a\0", r"U\+0000"),
        ("\u202eevil", r"U\+202E, a control or invisible character"),
        ("\u2066x\u2069", r"U\+2066"),
        ("a\u200bdmin", r"U\+200B"),
        ("Ann\u00a0Lee", r"U\+00A0"),
        ("\u3164", r"U\+3164"),
        ("Ann\u034f", r"U\+034F"),
        ("\u2800", r"U\+2800"),
        ("x\ue000", r"U\+E000"),
        ("\ud800", r"U\+D800"),
        ("Zalgo" + "\u0301" * 5, "more than 4 accents"),
    ],
)
def test_names_nobody_can_read(name: str, reason: str) -> None:
    with pytest.raises(BadValue, match=reason) as error:
        chosen_name(name)
    assert (error.value.code, error.value.field) == ("bad-value", "name")


def test_a_longer_name_of_a_record_is_nothing_odd() -> None:
    assert is_plain("x" * 200)


@pytest.mark.parametrize(
    "name",
    [
        "Ann Arbiter",
        "Arbiter Ann",
        "Root Smith",
        "Jo Service",
        "Admina",
        "Team Oslo",
        "Ada Movelog",
    ],
)
def test_a_person_may_have_a_reserved_word_in_a_name(name: str) -> None:
    assert chosen_name(name) == name
