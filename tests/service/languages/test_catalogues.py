"""Catalogues translate every text of the sources, with the same placeholders."""

from __future__ import annotations

import re
from gettext import GNUTranslations
from io import BytesIO
from string import Formatter
from typing import Final

import pytest
from babel.messages.catalog import Catalog, Message

from service.languages import collecting
from service.languages.catalogue import (
    LANGUAGES,
    SOURCE,
    load_catalogue,
    load_translations,
    read_catalogue,
)
from service.languages.formats import format_number
from service.languages.scripts import write_script
from service.languages.texts import gettext, ngettext, pgettext, use_language

TRANSLATED: Final = [language for language in LANGUAGES if language != SOURCE]
PERCENT: Final = re.compile(r"%\((\w+)\)s|%%")
GLUED: Final = re.compile(r"^[\s,;.:)]|[\s,;(]$")
"""Matches a text that others are joined to, by its beginning or end."""
TAG: Final = re.compile(r"</?\w+")


@pytest.fixture(scope="module")
def texts() -> Catalog:
    return collecting.collect_texts()


@pytest.mark.slow
@pytest.mark.parametrize("language", TRANSLATED)
def test_a_catalogue_has_the_texts_of_the_sources_all_translated(
    texts: Catalog, language: str
) -> None:
    assert collecting.list_faults(texts, load_catalogue(language)) == [], "run `make messages`"


def test_the_template_is_up_to_date(texts: Catalog) -> None:
    with collecting.TEMPLATE.open("rb") as file:
        known = read_catalogue(file)
    assert {one.id for one in known if one.id} == {one.id for one in texts if one.id}


def list_values(text: str) -> set[str]:
    """The placeholders in a text, of either style; `%%` counts as one."""
    if PERCENT.search(text):
        return {found[0] for found in PERCENT.finditer(text)}
    try:
        return {name for _, name, _, _ in Formatter().parse(text) if name is not None}
    except ValueError:
        # A brace that belongs to no placeholder.
        return set()


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_have_the_values_and_elements_of_their_texts(language: str) -> None:
    wrong = []
    for message in load_catalogue(language):
        ids, strings = (
            [one] if isinstance(one, str) else list(one or ())
            for one in (message.id, message.string)
        )
        for said in strings if message.id else ():
            fits = any(list_values(said) == list_values(id) for id in ids)
            if not fits or sorted(TAG.findall(said)) not in [sorted(TAG.findall(i)) for i in ids]:
                wrong.append((ids[0], said))
    assert wrong == []


@pytest.mark.parametrize(
    ("id", "string", "fault"),
    [
        ("new", None, "not collected: new"),
        ("known", "", "not translated: known"),
        ("old", "alt", "no longer in the sources: old"),
    ],
)
def test_what_a_catalogue_lacks_is_found(id: str, string: str | None, fault: str) -> None:
    texts, catalogue = Catalog(), Catalog(locale="de")
    texts.add("known")
    catalogue.add("known", "bekannt")
    if id != "old":
        texts.add(id)
    if string is not None:
        catalogue[id] = Message(id)
        catalogue[id].string = string
    assert fault in collecting.list_faults(texts, catalogue)


def test_what_is_translated_stays_when_texts_are_collected_again() -> None:
    path = collecting.TEMPLATE.with_name("de") / "messages.po"
    texts = Catalog()
    texts.add("Lobby", locations=[("a.html", 1)])
    texts.add("An entirely new text", locations=[("a.html", 2)])
    catalogue = collecting.update_catalogue(path, "de", texts)
    assert {one.id: one.string or "" for one in catalogue if one.id} == {
        "Lobby": "Lobby",
        "An entirely new text": "",
    }


def test_texts_are_in_the_language_that_is_used() -> None:
    assert isinstance(load_translations("de"), GNUTranslations)
    with use_language("de"):
        assert gettext("Your turn") != "Your turn"
        assert ngettext("%(num)s day", "%(num)s days", 2) == "2 Tage"
        assert pgettext("no such context", "Your turn") == "Your turn"
        assert gettext("a text of nobody") == "a text of nobody"
        assert format_number(1234.5) == "1.234,5"
    assert gettext("Your turn") == "Your turn"


def test_browsers_get_the_texts_of_scripts_alone() -> None:
    script = write_script("de").decode()
    assert script.startswith('import { learn } from "../language.js";\nlearn({"')
    assert '"Nothing found yet.":"' in script
    assert "Copy it now" not in script
    assert re.search(r'"\{num\} day":\["\{num\} Tag","\{num\} Tage"\]', script)


def test_no_text_of_a_template_is_a_part_of_a_sentence(texts: Catalog) -> None:
    """Word order differs between languages, so joined texts would read wrongly."""
    glued = [
        one.id
        for one in texts
        for path, _ in one.locations
        if path.endswith((".html", ".jinja")) and GLUED.search(str(one.id))
    ]
    assert glued == []


@pytest.mark.slow
def test_texts_are_found_in_every_kind_of_source() -> None:
    catalogue = collecting.collect_texts()
    places = {path.rpartition(".")[2] for one in catalogue for path, _ in one.locations}
    assert places == {"html", "jinja", "js", "py"}
    read = read_catalogue(BytesIO(b'msgid "a"\nmsgstr "b"\n'))
    assert [one.string for one in read if one.id] == ["b"]
