"""Whatever a document or a docstring names exists: paths, modules, classes, functions."""

from __future__ import annotations

import re
from pathlib import PurePath

import pytest

from tests.project import names
from tests.project.tree import text_files

MODULES = [name for name in names.files() if name.endswith(".py")]
NOT_OURS = {"JavaScript", "OpenTelemetry", "PyPy"}
"""Capitalized compounds that name no class."""
MISSING: dict[str, str] = {
    "katruji.md": "a page of the rules",
    "kerak.md": "a page of the rules",
    "archive/": "a folder of the data directory",
    "objects/": "a folder of the data directory",
    "backups/": "a folder of a place for backups",
    "feeds/": "a folder of the object store",
    "segments/": "a folder of the object store",
    "attributes/": "a folder of the object store",
    "restored/": "a folder of the object store",
    "engine/compiled.sha256": "made by `make kernels`",
    "confusables.txt": "a file of Unicode",
    "PropertyValueAliases.txt": "a file of Unicode",
    "Scripts.txt": "a file of Unicode",
    "ScriptExtensions.txt": "a file of Unicode",
    "DerivedCoreProperties.txt": "a file of Unicode",
    "board.svg": "the end of an address",
    "analysis.svg": "the end of an address",
    "internalSkeleton": "a function of UTS #39",
    "skelo": "a library that is not used",
    "appendonlydir/": "a folder of the store",
    "keys/": "made by `movelog key make`",
    "screenshots/": "made by `make screenshots`",
}
"""Names that the tree does not have, and what they are."""


def strangers(text: str, folder: str, *words: re.Pattern[str]) -> list[str]:
    """The paths, modules and words matching `words` in code spans that do not exist."""
    found: list[str] = []
    for span in names.code_spans(text):
        wrong = [path for path in names.PATH.findall(span) if not names.is_path(path, folder)]
        wrong += [one for one in names.MODULE.findall(span) if not names.is_module(one)]
        found += [one for one in wrong if one not in MISSING]
        named = any(word.fullmatch(span) for word in words)
        if named and span not in names.words() and span not in MISSING:
            found.append(span)
    return found


@pytest.mark.parametrize("document", names.documents())
def test_a_document_names_what_is_there(document: str) -> None:
    text = text_files()[document]
    assert strangers(text, str(PurePath(document).parent), names.CLASS, names.SNAKE) == []
    folders = {
        one
        for span in names.code_spans(text)
        if (whole := names.FOLDER.fullmatch(span))
        for one in [whole[1]]
    }
    assert {one for one in folders if not names.is_path(one)} - MISSING.keys() == set()


def unknown_names(module: str) -> list[str]:
    """What a module's docstrings name and the tree does not have."""
    folder = str(PurePath(module).parent)
    wrong: list[str] = []
    for whole in names.docstrings(module):
        text = names.DOCTEST.sub("", whole)
        wrong += strangers(text, folder, names.WORD)
        told = re.sub(r"`[^`]*`", "", text)
        unknown = (one for one in names.CLASS.findall(told) if one not in names.words())
        wrong += [one for one in unknown if one not in NOT_OURS]
    return wrong


def test_docstrings_name_what_is_there() -> None:
    found = {module: unknown_names(module) for module in MODULES}
    assert {module: wrong for module, wrong in found.items() if wrong} == {}


def test_packages_name_their_own_modules() -> None:
    wrong = [
        (module, span)
        for module in MODULES
        if module.endswith("/__init__.py")
        for text in names.docstrings(module)
        for span in names.code_spans(text)
        if names.MODULE_NAME.fullmatch(span)
        and span not in names.members(str(PurePath(module).parent))
        and span not in names.TOP
    ]
    assert wrong == []


def test_the_architecture_says_of_a_folder_what_it_has() -> None:
    """The words in a row of its folder table are modules of the row's folders, or names in them."""
    rows = re.findall(
        r"^\| ((?:`[\w/]+/`(?:, )?)+) \| (.*?) \|", text_files()["ARCHITECTURE.md"], re.MULTILINE
    )
    told = [
        (folder.rstrip("/"), word)
        for folders, what in rows
        for folder in names.code_spans(folders)
        for word in names.code_spans(what)
        if names.MODULE_NAME.fullmatch(word) and folder.startswith(names.TOP)
    ]
    assert told
    assert [one for one in told if one[1] not in names.members(one[0])] == []


def test_a_row_of_the_architecture_names_files_of_its_folders() -> None:
    """A bare file name in a row belongs to a folder that the row has already named."""
    rows = [line for line in text_files()["ARCHITECTURE.md"].splitlines() if line[:1] == "|"]
    wrong = [(row, path) for row in rows for path in names.paths_astray(row)]
    assert rows
    assert wrong == []


@pytest.mark.parametrize(
    ("row", "astray"),
    [
        ("| `service/analysis/` | by `searching.py` |", ["searching.py"]),
        ("| `service/analysis/` | by `search.py` |", []),
        ("| `service/analysis/` | by `append.lua` |", ["append.lua"]),
        ("| what is told | `service/analysis/report.py`, `target.py` |", []),
        ("| what is told | `target.py` |", ["target.py"]),
    ],
)
def test_a_file_of_another_folder_is_astray(row: str, astray: list[str]) -> None:
    assert names.paths_astray(row) == astray
