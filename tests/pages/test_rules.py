"""The examples in the rules are boards to play on."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from engine.registry import VARIANTS
from tests.pages.conftest import Opened
from tests.pages.reader import Reader
from tests.pages.test_asking import SHAPES

MIDDLES = """(figure, names) => names.map((name) => {
  const cell = figure.querySelector(`[data-cell="${name}"]`).getBoundingClientRect();
  return [cell.x + cell.width / 2, cell.y + cell.height / 2];
})"""


def find_example(reader: Reader, variant: str, shows: str) -> Locator:
    """Open a page of the rules, and return the example with this text once it can be played on."""
    reader.go(f"/rules/{variant}")
    figure = reader.page.locator("figure.example", has_text=shows)
    figure.scroll_into_view_if_needed()
    expect(figure.locator('[role="gridcell"]').first).to_be_attached()
    return figure


def reach(reader: Reader, figure: Locator, *names: str) -> None:
    """Click or tap these cells, scrolling to each."""
    for name in names:
        figure.locator(f'[data-cell="{name}"]').scroll_into_view_if_needed()
        [(x, y)] = figure.evaluate(MIDDLES, [name])
        touch = reader.page.touchscreen.tap if reader.touches else reader.page.mouse.click
        touch(x, y)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_example_of_a_page_becomes_a_board(opened: Opened, variant: str) -> None:
    reader = opened()
    reader.go(f"/rules/{variant}")
    figures = reader.page.locator("figure.example")
    assert figures.count() >= 4
    for figure in figures.all():
        figure.scroll_into_view_if_needed()
        expect(figure.locator('[role="gridcell"]').first).to_be_attached()
        expect(figure.locator(".ground img")).to_have_count(0)


@SHAPES
def test_an_example_can_be_played_and_begun_again(opened: Opened, shape: dict[str, Any]) -> None:
    reader = opened(**shape)
    figure = find_example(reader, "katruji", "South has 16 points.")
    status = figure.locator(".status")
    expect(status).to_have_text("South to act, move 1")
    reach(reader, figure, "b3", "d5")
    expect(status).to_have_text("Oxd5. South has won: yara")
    expect(figure.locator('.beside[data-side="first"]')).to_contain_text("18 points")
    figure.get_by_role("button", name="Start again").click()
    expect(status).to_have_text("South to act, move 1")
    expect(figure.locator('.beside[data-side="first"]')).to_contain_text("16 points")


def test_both_sides_of_an_example_are_the_readers(opened: Opened) -> None:
    reader = opened()
    figure = find_example(reader, "katruji", "Think about what each capture gives away")
    reach(reader, figure, "b3", "b6")
    expect(figure.locator(".status")).to_have_text("Oxb6. North to act, move 1")
    figure.get_by_role("button", name="Flip the board").click()
    reach(reader, figure, "b6", "b2")
    expect(figure.locator(".status")).to_have_text("Oxb2. South to act, move 2")


def test_a_line_is_played_for_the_reader(opened: Opened) -> None:
    reader = opened()
    figure = find_example(reader, "kerak", "To place a piece")
    figure.get_by_role("link", name="C@c3").click()
    expect(figure.locator(".status")).to_have_text("N@c4. Blue to act, move 2")
    expect(figure.locator('[data-hand="C"]')).to_have_attribute("data-letter", "c")


def test_an_action_that_leads_nowhere_on_the_board_has_a_button(opened: Opened) -> None:
    reader = opened()
    figure = find_example(reader, "kerd", "only White would see the mask")
    figure.get_by_role("button", name="Reveal").click()
    expect(figure.locator(".status")).to_have_text(
        "Infiltrator revealed on h10. Black to act, move 1"
    )
    expect(figure.get_by_role("button", name="Reveal")).to_have_count(0)


def test_what_is_not_possible_is_explained(opened: Opened) -> None:
    reader = opened()
    reader.expected = ("422",)
    figure = find_example(reader, "kerd", "It can stop on any of the three squares")
    cell = '[data-cell="{}"]'.format
    for target, said in (
        ("i8", "Not possible: its way enters the air on f5 and leaves it on i8."),
        ("d7", "Not possible: no Bishop on d3 of the side to move can go to d7."),
    ):
        figure.locator(cell("d3")).drag_to(figure.locator(cell(target)), force=True)
        expect(figure.locator(".status")).to_have_text(said)
    reach(reader, figure, "d3", "h7")
    expect(figure.locator(".status")).to_have_text("Bh7. Black to act, move 1")


def test_what_is_not_possible_is_explained_in_german(opened: Opened) -> None:
    reader = opened(locale="de")
    reader.expected = ("422",)
    figure = find_example(reader, "kerd", "auf jedem der drei Luftfelder")
    cell = '[data-cell="{}"]'.format
    status = figure.locator(".status")
    for target, said in (
        ("i8", "Nicht möglich: sein Weg führt auf f5 in die Luft und auf i8 wieder hinaus."),
        ("d7", re.compile(r"^Nicht möglich: [^;]*d7[^;]*\.$")),
    ):
        figure.locator(cell("d3")).drag_to(figure.locator(cell(target)), force=True)
        expect(status).to_have_text(said)
    reach(reader, figure, "d3", "h7")
    expect(status).to_contain_text("Schwarz")


def test_an_example_is_a_picture_without_scripts(opened: Opened) -> None:
    reader = opened(java_script_enabled=False)
    reader.go("/rules/kerak")
    figure = reader.page.locator("figure.example").nth(1)
    expect(figure.locator(".ground img")).to_be_visible()
    expect(figure.get_by_role("button")).to_have_count(0)
    figure.get_by_role("link", name="Analyse").click()
    expect(reader.page.get_by_role("heading", name="Analysis")).to_be_visible()
