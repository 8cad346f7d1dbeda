"""A translation of the rules differs from the English page only in its words."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from service.boards.examples import Example, find_examples
from service.languages.catalogue import SOURCE
from service.pages.rule_book import NAMES, RULINGS, RulesPage, load_page, read_text
from tests.project.tree import ROOT

RULES = ROOT / "docs" / "rules"
TRANSLATIONS = sorted((page.parent.name, page.stem) for page in RULES.glob("*/*.md"))
ROW = re.compile(r"^(\| [^|]+ \| [^|]+ \|)[^\n]*", re.MULTILINE)
SHOWN = 2
"""How many columns of the rulings a page shows; the others name places in the sources."""
EVERY = pytest.mark.parametrize(("language", "name"), TRANSLATIONS)


def blank(example: Example) -> Example:
    """An example without its words: only the facts, which the engine has confirmed."""
    return replace(
        example,
        shows="",
        lines=tuple(replace(line, said="") for line in example.lines),
        refused=tuple(replace(one, because="") for one in example.refused),
    )


def list_words(example: Example) -> list[str]:
    said = [example.shows, *(line.said for line in example.lines)]
    return [*said, *(one.because for one in example.refused)]


def measure_tables(page: RulesPage) -> list[list[str]]:
    """The token types of each table that a page shows, in order."""
    tables: list[list[str]] = []
    cells = 0
    for token in page.tokens:
        if token.type == "table_open":
            tables.append([])
        if token.type == "tr_open":
            cells = 0
        if token.type in ("th_open", "td_open"):
            cells += 1
            if page.name == RULINGS and cells > SHOWN:
                continue
        if token.type in ("table_open", "tr_open", "th_open", "td_open"):
            tables[-1].append(token.type)
    return tables


def read_prose(name: str, language: str) -> str:
    """A page without its examples and without the source columns of the rulings."""
    text = re.sub(r"```.*?```", "", read_text(name, language), flags=re.DOTALL)
    return ROW.sub(r"\1", text) if name == RULINGS else text


def test_every_page_of_the_rules_is_in_german() -> None:
    assert {name for language, name in TRANSLATIONS if language == "de"} == set(NAMES)


@EVERY
def test_the_examples_state_the_same_facts(language: str, name: str) -> None:
    english, translated = find_examples(read_text(name)), find_examples(read_text(name, language))
    assert [blank(one) for one in translated] == [blank(one) for one in english]


@EVERY
def test_every_word_of_an_example_is_translated(language: str, name: str) -> None:
    english, translated = find_examples(read_text(name)), find_examples(read_text(name, language))
    for before, after in zip(english, translated, strict=True):
        for old, new in zip(list_words(before), list_words(after), strict=True):
            assert new != old
            assert new.endswith(".") == old.endswith(".")


@EVERY
def test_a_heading_has_the_same_address(language: str, name: str) -> None:
    english, translated = load_page(name), load_page(name, language)
    assert (english.language, translated.language) == (SOURCE, language)
    assert [(one.id, one.level) for one in translated.contents] == [
        (one.id, one.level) for one in english.contents
    ]
    assert not [one.text for one in translated.contents if re.search("[{#}]", one.text)]


@EVERY
def test_the_tables_have_the_same_shape(language: str, name: str) -> None:
    assert measure_tables(load_page(name, language)) == measure_tables(load_page(name))


@EVERY
def test_the_text_names_the_same_rulings_and_notation(language: str, name: str) -> None:
    for pattern in (r"\bR\d+\b", r"`[^`\n]+`", r"^\d+\. ", r"^- "):
        before, after = (
            re.findall(pattern, read_prose(name, written), re.MULTILINE)
            for written in (SOURCE, language)
        )
        assert sorted(after) == sorted(before), pattern


def test_what_is_not_translated_is_english() -> None:
    for name in NAMES:
        assert load_page(name, "xx") is load_page(name)


def test_the_rulings_stand_in_the_same_order() -> None:
    english, german = (
        re.findall(r"^\| (R\d+) \|", read_text(RULINGS, language), re.MULTILINE)
        for language in (SOURCE, "de")
    )
    assert german == english
