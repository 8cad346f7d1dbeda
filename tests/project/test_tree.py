"""What the repository contains, and what it must not contain."""

from __future__ import annotations

import ast
import re
import tomllib
from fnmatch import fnmatch
from pathlib import PurePath

import pytest

from tests.project.tree import ROOT, parsed, text_files

PACKAGES = ("engine", "notation", "service", "workers", "training")
MODULES = [
    name
    for name in text_files()
    if name.endswith(".py") and name.startswith(tuple(f"{package}/" for package in PACKAGES))
]
HOSTS = re.compile(r"(?:pypi|pythonhosted|npmjs|anaconda|rubygems)[.](?:org|com|io)|crates[.]io")
MACHINE = re.compile(r"(?<![\w.$/}])/(?:work|root|home|Users)/\w")
LOCKED = ("*.lock", "*-lock.json", "*-lock.yaml", "requirements*.txt", "constraints*.txt")


def offending(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{name}: {found.group()}"
        for name, text in text_files().items()
        for found in pattern.finditer(text)
    ]


def test_no_file_names_a_package_registry() -> None:
    assert offending(HOSTS) == []
    assert HOSTS.search("https://" + "pypi" + ".org/simple")


def test_no_file_names_a_place_on_someones_machine() -> None:
    assert offending(MACHINE) == []
    assert MACHINE.search("see " + "/" + "home/someone")


def test_nothing_is_locked() -> None:
    names = [PurePath(name).name for name in text_files()]
    assert [name for name in names if any(fnmatch(name, kind) for kind in LOCKED)] == []


@pytest.mark.parametrize("kernel", sorted(ROOT.glob("engine/*/kernel.py")), ids=str)
def test_every_kernel_has_its_c_types(kernel: PurePath) -> None:
    assert f"engine/{kernel.parent.name}/kernel.pxd" in text_files()


def test_every_data_file_of_a_package_is_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    kinds = project["tool"]["setuptools"]["package-data"]["*"]
    left_out = [
        name
        for name in text_files()
        if PurePath(name).parts[0] in PACKAGES
        and not name.endswith(".py")
        and not any(fnmatch(PurePath(name).name, kind) for kind in kinds)
    ]
    assert left_out == []


def test_every_module_says_what_it_is() -> None:
    assert [name for name in MODULES if not ast.get_docstring(parsed(name))] == []


def test_every_folder_of_python_is_a_package() -> None:
    folders = {PurePath(name).parent for name in MODULES}
    assert [f for f in folders if f"{f.as_posix()}/__init__.py" not in text_files()] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_carries_its_types(package: str) -> None:
    assert f"{package}/py.typed" in text_files()


@pytest.mark.slow
def test_no_function_is_named_by_an_underscore() -> None:
    """Every function has a name that a traceback shows and grep finds."""
    unnamed = [
        f"{name}:{node.lineno}"
        for name in text_files()
        if name.endswith(".py")
        for node in ast.walk(parsed(name))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.strip("_")
    ]
    assert unnamed == []
