"""Finds the texts in the sources and brings the catalogues up to date: `make messages`.

Texts are the arguments of `gettext`, `ngettext`, `pgettext` and `mark` in Python, of `_`,
`ngettext` and `{% trans %}` in templates, and of `gettext` and `ngettext` in scripts; also the
`message` of errors, and the description of a form in `pattern_field`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Final, NamedTuple

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import write_po

from service.languages.catalogue import LANGUAGES, NAME, SOURCE, read_catalogue

ROOT: Final = Path(__file__).parents[2]
FOLDERS: Final = ("engine", "notation", "service", "workers/mails")
TEMPLATE: Final = Path(__file__).with_name("messages.pot")
TEMPLATES: Final = "jinja2.ext:babel_extract"
METHODS: Final = {
    ".py": "python",
    ".html": TEMPLATES,
    ".jinja": TEMPLATES,
    ".js": "javascript",
}
OPTIONS: Final[Mapping[str, dict[str, Any]]] = {
    ".html": {"trimmed": "true", "silent": "false"},
    ".jinja": {"trimmed": "true", "silent": "false"},
    ".js": {"parse_template_string": True},
    ".py": {},
}
COMMON: Final[Mapping[str, tuple[Any, ...] | None]] = {"gettext": None, "ngettext": (1, 2)}
IN_PAGES: Final = {**COMMON, "_": None, "pgettext": ((1, "c"), 2)}
KEYWORDS: Final[Mapping[str, Mapping[str, tuple[Any, ...] | None]]] = {
    ".html": IN_PAGES,
    ".jinja": IN_PAGES,
    ".js": COMMON,
    ".py": {**IN_PAGES, "mark": None, "phrase": None, "say": None},
}
"""The functions that take texts, by file extension, and which of their arguments are texts."""
CALLS: Final = {
    suffix: re.compile(rf"\b(?:{'|'.join(KEYWORDS[suffix])})\s*\(".encode())
    for suffix in (".js", ".py")
}
"""Calls of these functions; Babel takes long to read a file, and most files have none."""
IMPORT: Final = re.compile(rb"^import .*", re.MULTILINE)
MESSAGES: Final = (["message"], ["public"])
"""The attributes of errors that hold their sentence, and the one that the public sees instead."""
PATTERN: Final = "pattern_field"
"""The function that takes a pattern and its description; the pattern is not a text."""
HEAD: Final = (b'"Language: ', b'"Plural-Forms: ', b'"MIME-Version: ', b'"Content-')
"""Lines of a catalogue's header that are kept; others would change even if no text does."""
NOTE: Final = b"# Made by `make messages`, which keeps what is translated."
WITHOUT: Final = ("openapi", "cli", "operations", "protocol", "selfplay")
"""Folders whose texts no page and no answer shows."""


class SourceText(NamedTuple):
    """A text in a source file: one or several forms, and its context."""

    path: str
    line: int
    text: str | tuple[str, ...]
    context: str | None


def collect_texts() -> Catalog:
    """All texts of the sources with the files that contain them, untranslated.

    Files are in order of their names, texts in the order in which they occur.
    """
    catalogue = Catalog(charset="utf-8", fuzzy=False)
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in METHODS and not set(WITHOUT) & set(file.parts):
                for found in sorted(read_texts(file), key=lambda found: found.line):
                    place = [(found.path, 0)]
                    catalogue.add(found.text, locations=place, context=found.context)
    return catalogue


def read_texts(file: Path) -> Iterator[SourceText]:
    """Yield the texts of a file."""
    path = str(file.relative_to(ROOT))
    data = file.read_bytes()
    if file.suffix == ".js":
        # Babel takes the name in an import for the beginning of a call.
        data = IMPORT.sub(b"", data)
    if file.suffix not in CALLS or CALLS[file.suffix].search(data):
        method, options = METHODS[file.suffix], OPTIONS[file.suffix]
        for line, text, _, context in extract(
            method, BytesIO(data), KEYWORDS[file.suffix], options=options
        ):
            yield SourceText(path, line, text, context)
    if file.suffix == ".py":
        for line, text in list_sentences(data):
            yield SourceText(path, line, text, None)


def list_sentences(source: bytes) -> Iterator[tuple[int, str]]:
    """Yield the sentences of errors in a Python file, and its descriptions of texts' forms.

    Errors have sentences in their classes, and where they are raised.

    >>> list(list_sentences(b"class Late(Error):\\n    message = 'too late'"))
    [(2, 'too late')]
    >>> list(list_sentences(b"raise BadValue(field, 'in the future')"))
    [(1, 'in the future')]
    >>> list(list_sentences(b"day = pattern_field(DAY, 'a day')"))
    [(1, 'a day')]
    """
    for node in ast.walk(ast.parse(source)):
        for line in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(line, ast.Assign) and isinstance(line.value, ast.Constant):
                names = [target.id for target in line.targets if isinstance(target, ast.Name)]
                if names in MESSAGES and line.value.value:
                    yield line.lineno, str(line.value.value)
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            for given in node.exc.args:
                if isinstance(given, ast.Constant) and " " in str(given.value):
                    yield given.lineno, str(given.value)
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == PATTERN:
            said = node.args[1]
            if isinstance(said, ast.Constant):
                yield said.lineno, str(said.value)


def update_catalogue(path: Path, language: str, texts: Catalog) -> Catalog:
    """A language's catalogue with only these texts; new ones are untranslated."""
    catalogue = Catalog(language, charset="utf-8", fuzzy=False)
    if path.exists():
        with path.open("rb") as file:
            catalogue = read_catalogue(file, language)
    catalogue.update(texts, no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    catalogue.fuzzy = False
    return catalogue


def write_catalogue(path: Path, catalogue: Catalog) -> None:
    """Write a `.po` file that changes only where a text does."""
    written = BytesIO()
    write_po(written, catalogue, width=0, include_lineno=False)
    head, blank, texts = written.getvalue().partition(b"\n\n")
    lines = [line for line in head.split(b"\n") if line.startswith(HEAD)]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"\n".join([NOTE, b'msgid ""', b'msgstr ""', *lines]) + blank + texts)


def list_faults(texts: Catalog, catalogue: Catalog) -> Sequence[str]:
    """What a catalogue lacks or has in excess, in sentences."""
    wanted = {(text.context, text.id) for text in texts if text.id}
    known = {(text.context, text.id): text for text in catalogue if text.id}
    return [
        *(f"not collected: {id}" for _, id in wanted - known.keys()),
        *(f"no longer in the sources: {id}" for _, id in known.keys() - wanted),
        *(f"fuzzy: {text.id}" for text in known.values() if text.fuzzy),
        *(
            f"not translated: {text.id}"
            for text in known.values()
            if not _is_translated(text.string)
        ),
    ]


def list_untranslated(catalogue: Catalog) -> Sequence[str]:
    """The texts that lack a translation, or one of its forms."""
    return [str(text.id) for text in catalogue if text.id and not _is_translated(text.string)]


def _is_translated(string: object) -> bool:
    return all(string) if isinstance(string, (tuple, list)) else bool(string)


def main() -> None:
    """Write `messages.pot`, and bring each language's catalogue up to date."""
    texts = collect_texts()
    write_catalogue(TEMPLATE, texts)
    for language in LANGUAGES:
        if language != SOURCE:
            path = Path(__file__).parent / language / NAME
            catalogue = update_catalogue(path, language, texts)
            write_catalogue(path, catalogue)
            print(f"{language}: {len(list_untranslated(catalogue))} texts to translate")


if __name__ == "__main__":
    main()
