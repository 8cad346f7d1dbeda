"""The errors: dataclasses with a message, each drawn in a tree and expected in some test."""

from __future__ import annotations

import ast
import pickle
import re
from dataclasses import fields
from functools import cache
from importlib import import_module
from string import Formatter
from types import ModuleType

import pytest

from engine.described_error import DescribedError
from service.api.context import check_same
from service.errors import KeyReused, ServiceError
from service.log.values import Receipt
from tests.project.tree import ROOT, name_called, parsed, text_files

TESTS = [name for name in text_files() if re.fullmatch(r"tests/(.*/)?test_\w+\.py", name)]
MODULES = [
    import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    for package in ("engine", "notation", "service", "workers", "training")
    for path in sorted((ROOT / package).rglob("*errors.py"))
]


def classes(module: ModuleType) -> list[type[DescribedError]]:
    """The error classes a module defines."""
    found = [cls for cls in vars(module).values() if isinstance(cls, type)]
    return [
        cls
        for cls in found
        if issubclass(cls, DescribedError) and cls.__module__ == module.__name__
    ]


ALL = [cls for module in MODULES for cls in classes(module)]
RAISED = [cls for cls in ALL if not any(issubclass(o, cls) and o is not cls for o in ALL)]


EXPECTING = ("raises", "isinstance")
OUT_OF_SIGHT = {"TurnOver", "Postponed", "StaleKernels"}
"""Errors that no test catches by name: the worker ends a job's turn with `TurnOver`
(test_hostile_imports.py) and gives a job back after `Postponed` (test_run.py), and `StaleKernels`
ends another process (test_stale.py).
"""


@cache
def named_in_tests() -> set[str]:
    """The exception classes that tests name, and every string in the tests up to its first colon.

    Tests of the HTTP API or of jobs expect an error by its code or by its class's name.
    """
    found = set()
    for name in TESTS:
        for node in ast.walk(parsed(name)):
            if isinstance(node, ast.Call) and name_called(node).endswith(EXPECTING):
                found |= {
                    n.id for arg in node.args for n in ast.walk(arg) if isinstance(n, ast.Name)
                }
            elif isinstance(node, ast.ExceptHandler) and isinstance(node.type, ast.Name):
                found.add(node.type.id)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value.partition(":")[0])
    return found


def test_every_error_is_raised_in_some_test() -> None:
    known = named_in_tests() | OUT_OF_SIGHT
    unseen = [cls for cls in RAISED if not {cls.__name__, getattr(cls, "code", None)} & known]
    assert unseen == []


def test_there_are_errors_to_look_at() -> None:
    assert len(MODULES) > 15
    assert len(RAISED) > 80


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_no_exception_is_written_by_hand(module: ModuleType) -> None:
    found = [cls for cls in vars(module).values() if isinstance(cls, type)]
    raised = [c for c in found if issubclass(c, Exception) and c.__module__ == module.__name__]
    assert set(raised) <= {*classes(module), DescribedError}
    made_of = {cls: vars(cls)["__init__"].__code__.co_filename for cls in classes(module)}
    assert [cls for cls, source in made_of.items() if source != "<string>"] == []


@pytest.mark.parametrize("cls", RAISED, ids=lambda cls: cls.__name__)
def test_every_error_says_something(cls: type[DescribedError]) -> None:
    """An error has a message over its own fields, or builds one in `__str__` or `describe`.

    Refusals of the service use `describe`, which speaks the reader's language.
    """
    own = cls.__str__ is not DescribedError.__str__
    assert not (own and issubclass(cls, ServiceError))
    if own or cls.describe is not DescribedError.describe:
        return
    named = {name for _, name, _, _ in Formatter().parse(cls.message) if name is not None}
    known = {field.name for field in fields(cls)}
    assert cls.message
    assert named <= known


def test_every_code_is_its_own() -> None:
    codes = [cls.code for cls in ALL if issubclass(cls, ServiceError) and "code" in vars(cls)]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", code) for code in codes)


def test_every_refusal_of_the_service_has_a_code() -> None:
    refused = [cls for cls in RAISED if issubclass(cls, ServiceError)]
    assert [cls for cls in refused if "code" not in vars(cls)] == []


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_the_tree_draws_every_error(module: ModuleType) -> None:
    drawn = (module.__doc__ or "").splitlines()
    codes = {getattr(cls, "code", None) for cls in ALL}
    for cls in classes(module):
        (line,) = [line for line in drawn if re.search(rf"\b{cls.__name__}\b", line)]
        if line.split()[-1] in codes:
            assert line.endswith(f" {getattr(cls, 'code', None)}")


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_the_tree_draws_nothing_else(module: ModuleType) -> None:
    names = re.findall(r"[├└]── (\w+)", module.__doc__ or "")
    assert set(names) <= {cls.__name__ for cls in ALL} | {"BadSetting"}
    assert names or not classes(module)


class Measured(DescribedError):
    message = "{what} is {length:.1f} {unit}"
    what: str
    length: float
    unit: str = "m"


def test_an_error_says_its_message_with_its_fields() -> None:
    error = Measured("the board", length=0.5)
    assert str(error) == "the board is 0.5 m"
    assert error.args == ("the board", 0.5, "m")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_an_idempotency_key_stands_for_one_request() -> None:
    seen = Receipt("k", "one body", 200, 1, 1)
    check_same(seen, Receipt("k", "one body", 200, 0, 0))
    with pytest.raises(KeyReused, match="was used for another request"):
        check_same(seen, Receipt("k", "another body", 200, 0, 0))
