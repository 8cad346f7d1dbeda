"""The build's digest covers everything that a search's results depend on besides the rules."""

from __future__ import annotations

from collections.abc import Iterable

import grimp

from engine.search.build import ENGINE, SOURCES

READING = {"engine.learned.files", "engine.variant"}
"""What only reads and describes: networks are covered as files."""


def find_modules(patterns: Iterable[str]) -> set[str]:
    """The names of the engine's modules in files of these patterns."""
    files = (path.relative_to(ENGINE.parent) for one in patterns for path in ENGINE.glob(one))
    return {".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in files}


def test_it_covers_all_that_searches_and_evaluations_use_but_rules_do_not() -> None:
    graph = grimp.build_graph("engine", cache_dir=None)

    def reach(*patterns: str) -> set[str]:
        modules = find_modules(patterns)
        return modules.union(*map(graph.find_upstream_modules, modules))

    searched = reach("*/tree.py", "search/*.py") - reach("*/kernel.py", "*/naming.py")
    assert "engine.kerd.piece_squares" in searched
    assert searched - find_modules(SOURCES) - READING == set()
