"""Texts in the reader's language.

    gettext("No action yet.")
    gettext("round %(number)s", number=3)
    ngettext("%(num)s move", "%(num)s moves", 2)

The English text is in the sources and is used if a language has no translation. `mark` marks the
texts of tables and constants, which `gettext` translates when they are shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from gettext import NullTranslations
from typing import Final

from service.languages.catalogue import SOURCE, load_translations

_current: Final[ContextVar[str]] = ContextVar("language", default=SOURCE)


def get_language() -> str:
    """The code of the language in which texts are written now."""
    return _current.get()


def set_language(language: str) -> None:
    """Have texts written in this language, one of `LANGUAGES`, by this thread or greenlet."""
    _current.set(language)


@contextmanager
def use_language(language: str) -> Iterator[None]:
    """Write texts in this language for a while."""
    token = _current.set(language)
    try:
        yield
    finally:
        _current.reset(token)


def gettext(text: str, /, **values: object) -> str:
    """A text in the reader's language, with its `%(name)s` replaced by the values.

    >>> gettext("round %(number)s", number=3)
    'round 3'
    """
    said = _translations().gettext(text)
    return said % values if values else said


def ngettext(one: str, several: str, num: int, /, **values: object) -> str:
    """The text that fits a number, which replaces `%(num)s`.

    >>> [ngettext("%(num)s move", "%(num)s moves", number) for number in (0, 1, 2)]
    ['0 moves', '1 move', '2 moves']
    """
    return choose_form(one, several, num) % {"num": num, **values}


def choose_form(one: str, several: str, num: int) -> str:
    """The form of a text that fits a number, with its `%(num)s` unchanged.

    >>> choose_form("%(num)s move", "%(num)s moves", 1)
    '%(num)s move'
    """
    return _translations().ngettext(one, several, num)


def pgettext(context: str, text: str, /, **values: object) -> str:
    """A text that has several meanings, in the meaning that the context names.

    >>> pgettext("result", "draw")
    'draw'
    """
    said = _translations().pgettext(context, text)
    return said % values if values else said


def mark(text: str) -> str:
    """The text itself, collected for translation; `gettext` translates it where it is shown.

    >>> mark("waiting for an answer")
    'waiting for an answer'
    """
    return text


def _translations() -> NullTranslations:
    return load_translations(_current.get())
