"""Rulings, their documentation and their tests, linked by number."""

from __future__ import annotations

import re

import pytest

from tests.project.tree import ROOT, text_files

ROW = re.compile(r"^\| R(\d+) \|(.*)$", re.MULTILINE)
ROWS = {
    int(number): row
    for number, row in ROW.findall((ROOT / "docs" / "rulings.md").read_text(encoding="utf-8"))
}
PYTHON = {name: text for name, text in text_files().items() if name.endswith(".py")}
TESTED = {
    int(number)
    for name, text in PYTHON.items()
    if name.startswith("tests/")
    for number in re.findall(r"def test_r(\d+)_", text)
}
CITED = {
    int(number)
    for name, text in PYTHON.items()
    if not name.startswith("tests/")
    for rulings in re.findall(r"Rulings? (R\d+(?:(?:, | and | or )R\d+)*)", text)
    for number in re.findall(r"\d+", rulings)
}


def modules(row: str) -> list[str]:
    """The modules that a row names, without tests."""
    return [name for name in re.findall(r"[\w/]+\.py", row) if not name.startswith("tests/")]


def test_the_rulings_are_documented() -> None:
    assert set(range(6)) <= ROWS.keys()


@pytest.mark.parametrize("number", ROWS)
def test_a_documented_ruling_is_tested(number: int) -> None:
    implemented = any((ROOT / name).exists() for name in modules(ROWS[number]))
    assert number in TESTED or not implemented, f"no test_r{number}_…"


@pytest.mark.parametrize("number", ROWS)
def test_a_row_names_the_modules_and_the_tests(number: int) -> None:
    named = re.findall(r"[\w/]+\.py", ROWS[number])
    assert named
    if any((ROOT / name).exists() for name in modules(ROWS[number])):
        assert [name for name in named if name not in PYTHON] == []
        tests = [PYTHON[name] for name in named if name.startswith("tests/")]
        assert any(f"def test_r{number}_" in text for text in tests)


@pytest.mark.parametrize("number", sorted(TESTED | CITED))
def test_a_ruling_that_is_tested_or_cited_is_documented(number: int) -> None:
    assert number in ROWS
