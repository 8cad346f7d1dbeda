"""A language's texts for the modules in browsers, written as a module that provides them."""

from __future__ import annotations

import json
from typing import Final

from babel.messages.catalog import Message

from service.languages.catalogue import LANGUAGES, SOURCE, load_catalogue

SUFFIX: Final = ".js"
"""The extension of files whose texts browsers need."""


def list_scripts() -> dict[str, bytes]:
    """The module of each language except English, by its path below `static`."""
    return {
        f"languages/{language}.js": write_script(language)
        for language in LANGUAGES
        if language != SOURCE
    }


def write_script(language: str) -> bytes:
    """The module with the texts of a language; a text with several forms is a list."""
    catalogue = load_catalogue(language)
    texts = {
        message.id[0] if isinstance(message.id, tuple) else message.id: _list_forms(message)
        for message in catalogue
        if message.id and message.string and _is_for_browsers(message)
    }
    told = json.dumps(texts, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    form = f"(n) => Number({catalogue.plural_expr})"
    return f'import {{ learn }} from "../language.js";\nlearn({told}, {form});\n'.encode()


def _list_forms(message: Message) -> str | list[str]:
    return str(message.string) if isinstance(message.id, str) else list(message.string or ())


def _is_for_browsers(message: Message) -> bool:
    return any(path.endswith(SUFFIX) for path, _ in message.locations)
