"""Sentences that are stored in English, such as verdicts of imports, in the reader's language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from service.languages.catalogue import SOURCE, load_catalogue
from service.languages.texts import get_language, gettext

FOLDERS: Final = ("engine/", "notation/", "service/imports/", "service/player/")
"""The folders that the stored sentences come from."""
VALUE: Final = re.compile(r"\{(\w+)(?:![rs])?(?::[^}]*)?\}")
AS_WRITTEN: Final = frozenset({"field", "tag", "text", "token", "value"})
"""The placeholders of sentences whose values are never words of ours."""
SUMS: Final = frozenset({"attackers", "defenders"})
PIECE: Final = re.compile("[A-Z][a-z]+")
"""The names of pieces in sums of strengths, such as `Infantry d4 1 + Archer e5 1`."""


def say_sentence(text: str) -> str:
    """A sentence that was made from a text and values, in the reader's language.

    A sentence that no catalogue has stays as it is.

    >>> say_sentence("3 rows, expected 5")
    '3 rows, expected 5'
    >>> from service.languages.texts import use_language
    >>> with use_language("de"):
    ...     say_sentence("3 rows, expected 5")
    '3 Reihen, erwartet 5'
    """
    if not text or get_language() == SOURCE:
        return text
    said = gettext(text)
    if said != text:
        return said
    for form, template in _load_forms(get_language()):
        if found := form.fullmatch(text):
            values = {name: _say_value(name, value) for name, value in found.groupdict().items()}
            return VALUE.sub(r"{\1}", gettext(template)).format_map(values)
    return text


def _say_value(name: str, value: str) -> str:
    if name in SUMS:
        return PIECE.sub(lambda found: gettext(found[0]), value)
    return value if name in AS_WRITTEN else say_sentence(value)


@cache
def _load_forms(language: str) -> Sequence[tuple[re.Pattern[str], str]]:
    """The forms of sentences with their texts, those with the most fixed words first."""
    texts = {
        message.id
        for message in load_catalogue(language)
        if isinstance(message.id, str)
        and VALUE.search(message.id)
        and any(place.startswith(FOLDERS) for place, _ in message.locations)
    }
    ordered = sorted(texts, key=lambda text: (-len(VALUE.sub("", text)), text))
    return [(_make_form(text), text) for text in ordered if VALUE.sub("", text)]


def _make_form(text: str) -> re.Pattern[str]:
    """The pattern that matches the sentences made from a text."""
    form = ""
    at = 0
    for value in VALUE.finditer(text):
        seen = f"(?P<{value[1]}>" in form
        form += re.escape(text[at : value.start()])
        form += f"(?P={value[1]})" if seen else f"(?P<{value[1]}>.*?)"
        at = value.end()
    return re.compile(form + re.escape(text[at:]), re.DOTALL)
