"""The translations of a language, read from its `messages.po`."""

from __future__ import annotations

from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from io import BytesIO
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

SOURCE: Final = "en"
"""The language that the texts are written in: it needs no catalogue."""
LANGUAGES: Final = MappingProxyType({SOURCE: "English", "de": "Deutsch"})
"""Each language's own name, by its code."""
NAME: Final = "messages.po"


@cache
def load_translations(language: str) -> NullTranslations:
    """The texts of a language; a text without a translation stays English."""
    if language == SOURCE:
        return NullTranslations()
    from babel.messages.mofile import write_mo

    compiled = BytesIO()
    write_mo(compiled, load_catalogue(language))
    compiled.seek(0)
    return GNUTranslations(compiled)


def load_catalogue(language: str) -> Catalog:
    """A language's catalogue with the locations of its texts; raises FileNotFoundError."""
    with files(__package__).joinpath(language, NAME).open("rb") as file:
        return read_catalogue(file, language)


def read_catalogue(file: IO[bytes], language: str | None = None) -> Catalog:
    """The catalogue in a `.po` file."""
    # Imported only here: most processes never read one.
    from babel.messages.pofile import read_po

    return read_po(file, locale=language)
