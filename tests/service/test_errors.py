"""The errors of the service: each drawn in the tree, named by a code, raised in some test."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from service import errors
from service.api.context import check_same
from service.errors import KeyReused, ServiceError
from service.log import errors as log_errors
from service.log.values import Receipt
from service.player import errors as player_errors

TESTS = Path(__file__).parents[1]
MODULES = (errors, log_errors, player_errors)


def classes(module: ModuleType) -> list[type[ServiceError]]:
    """The error classes a module defines."""
    found = [cls for cls in vars(module).values() if isinstance(cls, type)]
    return [
        cls for cls in found if issubclass(cls, ServiceError) and cls.__module__ == module.__name__
    ]


ALL = [cls for module in MODULES for cls in classes(module)]
RAISED = [cls for cls in ALL if not any(issubclass(o, cls) and o is not cls for o in ALL)]


@cache
def expected_in_tests() -> set[str]:
    """The names that tests give to `pytest.raises`, or to a table of what is wrong."""
    names = set()
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("raises"):
                names |= {
                    n.id for arg in node.args for n in ast.walk(arg) if isinstance(n, ast.Name)
                }
    return names


@pytest.mark.parametrize("cls", RAISED, ids=lambda cls: cls.__name__)
def test_every_error_is_raised_in_some_test(cls: type[ServiceError]) -> None:
    assert cls.__name__ in expected_in_tests()


def test_every_code_is_its_own() -> None:
    codes = [cls.code for cls in ALL]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", code) for code in codes)


@pytest.mark.parametrize("module", MODULES)
def test_the_tree_draws_every_error(module: ModuleType) -> None:
    drawn = module.__doc__ or ""
    for cls in classes(module):
        (line,) = [line for line in drawn.splitlines() if re.search(rf"\b{cls.__name__}\b", line)]
        if module is errors and cls in RAISED:
            assert line.endswith(f" {cls.code}")


def test_an_idempotency_key_stands_for_one_request() -> None:
    seen = Receipt("k", "one body", 200, 1, 1)
    check_same(seen, Receipt("k", "one body", 200, 0, 0))
    with pytest.raises(KeyReused, match="was used for another request"):
        check_same(seen, Receipt("k", "another body", 200, 0, 0))
