"""Game-specific code stays in the modules of its game."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from engine.registry import VARIANTS
from tests.project.tree import ROOT, parsed

OWN = re.compile(r"service/boards/(registry|kerd|kerak|katruji)\.py|service/cli/.*")
"""Modules that belong to a game or list the games, and the command line, whose help names games."""
GAMES = re.compile("|".join(sorted(VARIANTS, key=len, reverse=True)), re.IGNORECASE)
MODULES = sorted(
    path
    for folder in ("service", "workers")
    for path in (ROOT / folder).rglob("*.py")
    if not OWN.fullmatch(str(path.relative_to(ROOT)))
)
SHOWN = sorted(
    path
    for path in (ROOT / "service/pages").rglob("*")
    if path.suffix in {".html", ".css", ".js"} and path.is_file()
)


def texts(path: Path) -> Iterator[str]:
    """The names and string constants of a module, without its docstrings."""
    tree = parsed(str(path.relative_to(ROOT)))
    told = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.value
        elif isinstance(node, ast.Name):
            yield node.id


def test_no_module_that_serves_all_games_names_one() -> None:
    assert MODULES
    named = [(path, text) for path in MODULES for text in texts(path) if GAMES.search(text)]
    assert named == []


def test_no_page_names_a_game_or_what_one_calls_its_choices() -> None:
    assert SHOWN
    text = {path: path.read_text() for path in SHOWN}
    assert {path: GAMES.findall(text[path]) for path in SHOWN if GAMES.search(text[path])} == {}
    assert [path for path in SHOWN if "infiltrator" in text[path].lower()] == []


def test_pages_take_the_word_for_secret_choices_from_the_game() -> None:
    modules = [path for path in MODULES if path.is_relative_to(ROOT / "service/pages")]
    assert modules
    named = [text for path in modules for text in texts(path) if "infiltrator" in text.lower()]
    assert named == []
