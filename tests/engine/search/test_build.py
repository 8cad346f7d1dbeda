"""The build's digest covers everything that a search's results depend on besides the rules."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from engine.search.build import ENGINE, SOURCES

READING = {Path("learned/files.py"), Path("variant.py")}
"""What only reads and describes: networks are covered as files."""


def list_imports(path: Path) -> Iterator[Path]:
    """The modules of the engine that one imports, as files within its folder."""
    for node in ast.walk(ast.parse((ENGINE / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("engine."):
            inner = Path(*node.module.split(".")[1:])
            for found in (inner.with_suffix(".py"), *(inner / f"{a.name}.py" for a in node.names)):
                if (ENGINE / found).exists():
                    yield found


def reach(roots: Iterable[Path]) -> set[Path]:
    """The modules that these reach through their imports, themselves included."""
    reached: set[Path] = set()
    left = list(roots)
    while left:
        path = left.pop()
        if path not in reached:
            reached.add(path)
            left += list_imports(path)
    return reached


def test_it_covers_all_that_searches_and_evaluations_use_but_rules_do_not() -> None:
    def find(pattern: str) -> Iterator[Path]:
        return (path.relative_to(ENGINE) for path in ENGINE.glob(pattern))

    searched = reach([*find("*/tree.py"), *find("search/*.py")])
    rules = reach([*find("*/kernel.py"), *find("*/naming.py")])
    covered = {path for pattern in SOURCES for path in find(pattern)}
    assert Path("kerd/piece_squares.py") in searched - rules
    assert searched - rules - covered - READING == set()
