"""Finds tests that cannot fail, by their form."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

import pytest

from tests.project.tree import name_called, parsed, text_files

CHECKS = {"expect", "fail", "raises", "warns"}
"""Functions of pytest and Playwright that check something."""
MODULES = [name for name in text_files() if name.startswith("tests/") and name.endswith(".py")]


@cache
def functions() -> list[tuple[str, ast.FunctionDef]]:
    """The functions in the tests, each with its module."""
    return [
        (name, node)
        for name in MODULES
        for node in ast.walk(parsed(name))
        if isinstance(node, ast.FunctionDef)
    ]


def calls(node: ast.AST) -> Iterator[str]:
    """Yield the names of all functions and methods called."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call):
            yield name_called(call)


def checking() -> set[str]:
    """The names of test functions that check something, directly or through a call."""
    found = set(CHECKS)
    while True:
        more = {
            node.name
            for _, node in functions()
            if node.name not in found
            and (any(isinstance(n, ast.Assert) for n in ast.walk(node)) or found & {*calls(node)})
        }
        if not more:
            return found
        found |= more


@pytest.mark.slow
def test_every_test_checks_something() -> None:
    known = checking()
    idle = [
        f"{name}:{node.lineno} {node.name}"
        for name, node in functions()
        if node.name.startswith("test_") and node.name not in known
    ]
    assert idle == []


def test_no_refusal_is_awaited_of_any_kind() -> None:
    """`pytest.raises` names a specific exception class and matches no empty pattern."""
    loose = []
    for name in MODULES:
        for call in ast.walk(parsed(name)):
            if isinstance(call, ast.Call) and name_called(call) == "raises":
                kind = ast.unparse(call.args[0])
                match = [ast.unparse(k.value) for k in call.keywords if k.arg == "match"]
                if kind in ("Exception", "BaseException") or match in (["''"], ["'.*'"]):
                    loose.append(f"{name}:{call.lineno}")
    assert loose == []


def test_no_path_depends_on_the_working_directory() -> None:
    relative = [
        f"{name}:{call.lineno}"
        for name in MODULES
        if "/test_" in name
        for call in ast.walk(parsed(name))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ("Path", "open")
        and call.args
        and isinstance(call.args[0], ast.Constant)
        and str(call.args[0].value).startswith(("tests/", "docs/", "service/", "engine/"))
    ]
    assert relative == []
