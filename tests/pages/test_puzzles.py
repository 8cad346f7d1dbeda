"""Puzzles are solved on the board, by hand, by typing, and without scripts."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from engine.registry import VARIANTS
from notation.registry import find_dialect
from service.boards.scene import find_cells
from service.puzzles.collection import load_collection
from service.puzzles.puzzle import Puzzle
from tests.pages.conftest import Opened
from tests.pages.reader import Reader
from tests.pages.test_asking import SHAPES
from tests.pages.test_rules import reach


def find_own(puzzle: Puzzle) -> list[str]:
    """The solver's own actions of a line."""
    dialect = find_dialect(puzzle.variant)
    position = dialect.read_fen(puzzle.fen)
    solver, own = position.side, []
    for token in puzzle.line:
        if position.side == solver:
            own.append(token)
        position.play(dialect.resolve(position, token))
    return own


def choose(variant: str) -> Puzzle:
    """A puzzle with several plain moves."""
    return next(
        one
        for one in load_collection().list_puzzles(variant)
        if len(find_own(one)) > 1 and all(len(find_cells(own)) == 2 for own in find_own(one))
    )


def open_puzzle(reader: Reader, puzzle: Puzzle) -> Locator:
    """The puzzle's figure, once its board can be played on."""
    reader.go(f"/puzzles/{puzzle.id}")
    figure = reader.page.locator("figure.puzzle")
    expect(figure.locator('[role="gridcell"]').first).to_be_attached()
    return figure


@SHAPES
@pytest.mark.parametrize("variant", ["katruji", "kerak", "kerd"])
def test_a_puzzle_is_solved_on_the_board(
    opened: Opened, shape: dict[str, Any], variant: str
) -> None:
    reader, puzzle = opened(**shape), choose(variant)
    figure = open_puzzle(reader, puzzle)
    own = find_own(puzzle)
    for count, action in enumerate(own, 1):
        reach(reader, figure, *find_cells(action))
        expected = "Solved." if count == len(own) else "Right. Go on."
        expect(figure.locator(".status")).to_have_text(expected)
        expect(figure.locator(".line .own")).to_have_count(count)
    expect(figure.locator(".line span")).to_have_count(len(puzzle.line))
    figure.get_by_role("link", name="Next puzzle").click()
    expect(figure.locator(".status")).to_contain_text("Find the best action.")


def test_a_wrong_action_is_taken_back(opened: Opened) -> None:
    reader, puzzle = opened(), choose("katruji")
    figure = open_puzzle(reader, puzzle)
    before = figure.locator("[data-piece]").evaluate_all(
        "all => all.map(one => one.dataset.on).sort()"
    )
    dialect = find_dialect("katruji")
    position = dialect.read_fen(puzzle.fen)
    wrong = next(
        text
        for text in map(dialect.coordinate, position.legal())
        if text != puzzle.line[0] and len(find_cells(text)) == 2
    )
    reach(reader, figure, *find_cells(wrong))
    expect(figure.locator(".status")).to_contain_text("is not the best action")
    after = "all => all.map(one => one.dataset.on).sort()"
    assert figure.locator("[data-piece]").evaluate_all(after) == before


def test_the_solution_is_shown_and_a_hint_before_it(opened: Opened) -> None:
    reader, puzzle = opened(), choose("kerak")
    figure = open_puzzle(reader, puzzle)
    figure.get_by_role("button", name="Hint").click()
    expect(figure.locator(".status")).to_have_text(f"Look at {find_cells(puzzle.line[0])[0]}.")
    figure.get_by_role("button", name="Show the solution").click()
    expect(figure.locator(".status")).to_have_text("Solved.")
    expect(figure.locator(".line span")).to_have_count(len(puzzle.line))
    expect(figure.get_by_role("button", name="Hint")).to_have_count(0)


def test_an_action_that_is_none_is_explained(opened: Opened) -> None:
    reader = opened()
    reader.expected = ("422",)
    figure = open_puzzle(reader, choose("katruji"))
    figure.get_by_label("Action").fill("nonsense")
    figure.get_by_role("button", name="Play").click()
    expect(figure.locator(".status")).to_contain_text("Not possible")


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_puzzle_is_solved_without_scripts(opened: Opened, variant: str) -> None:
    reader = opened(java_script_enabled=False)
    puzzle = max(load_collection().list_puzzles(variant), key=lambda one: len(one.line))
    reader.go(f"/puzzles/{puzzle.id}")
    figure = reader.page.locator("figure.puzzle")
    own = find_own(puzzle)
    for count, action in enumerate(own, 1):
        figure.get_by_label("Action").fill(action)
        figure.get_by_role("button", name="Play").click()
        expected = "Solved." if count == len(own) else "Right. Go on."
        expect(figure.locator(".status")).to_have_text(expected)
    expect(figure.locator(".line span")).to_have_count(len(puzzle.line))


def test_the_list_leads_to_puzzles_of_a_theme(opened: Opened) -> None:
    reader = opened()
    reader.go("/puzzles")
    reader.page.get_by_role("link", name="Castle").first.click()
    expect(reader.page.get_by_role("heading", name="Kerak puzzle")).to_be_visible()


def test_a_puzzle_is_in_german(opened: Opened) -> None:
    reader = opened(locale="de")
    figure = open_puzzle(reader, choose("katruji"))
    expect(figure.locator(".status")).to_contain_text("Finden Sie die beste Aktion.")
    figure.get_by_role("button", name="Hinweis").click()
    expect(figure.locator(".status")).to_contain_text("Sehen Sie sich")
