"""Scripts load in one request, and input before they have loaded is not lost."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from service.boards.scene import find_cells
from tests.pages import hands
from tests.pages.conftest import Opened
from tests.pages.reader import Reader
from tests.pages.test_board import DESK, PHONE
from tests.pages.test_puzzles import choose
from tests.pages.test_refusals import scribed
from tests.service.puzzles.solvers import find_own
from tests.service.web_server import WebServer
from tests.waiting import eventually

BUNDLE = re.compile(r"/bundle\.\w+\.js$")
DATA = re.compile(r"/api/v1/(variants/katruji/position|puzzles/\w+/attempts)")
WITHIN = """(board, name) => {
  const box = board.getBoundingClientRect();
  const cell = board.querySelector(`[data-cell="${name}"]`).getBoundingClientRect();
  return [cell.x - box.x + cell.width / 2, cell.y - box.y + cell.height / 2];
}"""
"""The centre of a cell within its board."""
READY = """() => globalThis.repeatEarly && document.readyState !== "loading"
  && performance.getEntriesByName("first-contentful-paint").length"""
"""Chromium drops all input on a page that it has not painted yet."""
SCRIPTS = """performance.getEntriesByType("resource").map((one) => new URL(one.name).pathname)
  .filter((path) => path.endsWith(".js")).map((path) => path.split("/").slice(3).join("/"))"""


def list_scripts(page: Page) -> list[str]:
    """The names of the scripts that a page has loaded."""
    found: list[str] = page.evaluate(SCRIPTS)
    return sorted(found)


def open_early(opened: Opened, server: WebServer, variant: str = "katruji") -> tuple[Reader, Route]:
    """A scribe on a game page without its modules, and the pending request for them."""
    reader = scribed(opened, server, variant=variant)
    held: list[Route] = []
    reader.page.route(BUNDLE, lambda route: held.append(route))
    reader.page.reload(wait_until="commit")
    reader.page.wait_for_function(READY)
    reader.page.locator("#board svg [data-cell]").first.wait_for()
    assert list_scripts(reader.page) == ["early.js"]
    return reader, held[0]


def drag(reader: Reader, start: str, end: str) -> None:
    """Drag on a board that does not react to the pointer yet."""
    reader.page.mouse.move(*hands.place(reader, start))
    reader.page.mouse.down()
    reader.page.mouse.move(*hands.place(reader, end))
    reader.page.mouse.up()


@pytest.mark.parametrize("hand", [hands.click, drag])
def test_what_is_done_before_the_modules_are_there_is_played(
    opened: Opened, server: WebServer, hand: hands.Hand
) -> None:
    reader, modules = open_early(opened, server)
    hand(reader, "c3", "d4")
    modules.continue_()
    reader.plies(1)
    expect(reader.page.locator('#board [data-piece][data-on="d4"]')).to_have_count(1)
    expect(reader.page.locator("#moves li a")).to_have_count(1)
    hands.click(reader, "b6", "a5")
    reader.plies(2)


@pytest.mark.parametrize("end", ["c3", "d4"], ids=["click", "drag"])
def test_what_is_pressed_before_the_board_is_there_and_released_after_it_counts(
    opened: Opened, server: WebServer, end: str
) -> None:
    reader, modules = open_early(opened, server)
    reader.page.mouse.move(*hands.place(reader, "c3"))
    reader.page.mouse.down()
    modules.continue_()
    reader.await_board()
    reader.page.mouse.move(*hands.place(reader, end))
    reader.page.mouse.up()
    if end == "c3":
        expect(reader.page.locator("#board .chosen")).to_have_count(1)
        reader.page.mouse.click(*hands.place(reader, "d4"))
    reader.plies(1)


def test_a_piece_that_was_chosen_early_is_chosen(opened: Opened, server: WebServer) -> None:
    reader, modules = open_early(opened, server)
    reader.page.mouse.click(*hands.place(reader, "c3"))
    reader.page.locator("#moves").click()
    modules.continue_()
    expect(reader.page.locator("#board .chosen")).to_have_count(1)
    reader.page.mouse.click(*hands.place(reader, "d4"))
    reader.plies(1)


def test_an_infiltrator_that_was_picked_early_is_picked(opened: Opened, server: WebServer) -> None:
    reader, modules = open_early(opened, server, "kerd")
    reader.page.mouse.click(*hands.place(reader, "f11"))
    modules.continue_()
    expect(reader.page.locator("form.choose [name=square]").first).to_have_value("f11")
    reader.page.mouse.click(*hands.place(reader, "e11"))
    expect(reader.page.locator("form.choose [name=square]").first).to_have_value("e11")


def test_keys_that_were_pressed_early_are_heard(opened: Opened, server: WebServer) -> None:
    """A key pressed early turns the board, unless it is typed into a field."""
    reader, modules = open_early(opened, server)
    reader.page.keyboard.press("f")
    modules.continue_()
    expect(reader.page.locator("#board .position")).to_have_attribute("data-below", "second")
    reader.page.keyboard.press("f")
    expect(reader.page.locator("#board .position")).to_have_attribute("data-below", "first")
    # A key typed into a field is not for the board. The address may say how the board was turned.
    reader.page.goto(reader.page.url.partition("?")[0], wait_until="commit")
    reader.page.wait_for_function(READY)
    field = reader.page.get_by_label("Your action")
    field.fill("")
    field.press("f")
    reader.page.wait_for_timeout(100)
    expect(reader.page.locator("#board .position")).to_have_attribute("data-below", "first")


@pytest.mark.parametrize(
    ("waits", "shape"), [(BUNDLE, PHONE), (DATA, DESK)], ids=["modules-phone", "position-desk"]
)
@pytest.mark.parametrize("path", ["/analysis?variant=katruji", "/rules/katruji", "puzzle"])
def test_an_action_on_another_page_waits_for_the_board(
    opened: Opened, server: WebServer, path: str, waits: re.Pattern[str], shape: dict[str, Any]
) -> None:
    """It is played even if it was clicked before the modules or the position were there."""
    puzzle = choose("katruji")
    eventually(lambda: server.service.puzzle_list.page(None, None, limit=1) != [])
    start, end = find_cells(find_own(puzzle)[0]) if path == "puzzle" else ("c3", "d4")
    reader = opened(**shape)
    address = f"/puzzles/{puzzle.id}" if path == "puzzle" else path
    reader.go(address)
    board = reader.page.locator("#board .frame, figure.example .ground").first
    board.scroll_into_view_if_needed()
    board.locator('[role="gridcell"]').first.wait_for(state="attached")
    places = [board.evaluate(WITHIN, cell) for cell in (start, end)]
    held: list[Route] = []
    reader.page.route(waits, lambda route: held.append(route))
    with reader.page.expect_request(waits):
        reader.page.goto(address, wait_until="commit")
        reader.page.wait_for_function(READY)
        board.scroll_into_view_if_needed()
    touch = board.tap if reader.touches else board.click
    for x, y in places:
        touch(position={"x": x, "y": y})
    for route in held:
        route.continue_()
    reader.page.unroute(waits)
    if path == "puzzle":
        expect(reader.page.locator("figure.puzzle .line .own")).to_have_count(1)
    elif path.startswith("/rules"):
        expect(reader.page.locator("figure.example .status").first).to_contain_text("Pd4.")
    else:
        reader.plies(1)


def test_a_step_of_the_explorer_and_a_key_wait_for_the_modules(opened: Opened) -> None:
    reader = opened()
    held: list[Route] = []
    reader.page.route(BUNDLE, lambda route: held.append(route))
    with reader.page.expect_request(BUNDLE):
        reader.page.goto("/explorer?variant=katruji", wait_until="commit")
        reader.page.wait_for_function(READY)
    for cell in ("c3", "d4"):
        reader.cell(cell).click()
    reader.page.keyboard.press("f")
    held[0].continue_()
    reader.plies(1)
    expect(reader.page.locator("#board .position")).to_have_attribute("data-below", "second")


@pytest.mark.parametrize("path", ["/", "/lobby", "/rules/katruji", "/analysis?variant=kerak"])
def test_a_page_has_one_file_of_modules(opened: Opened, path: str) -> None:
    """So modules shared by several others are loaded once."""
    reader = opened("Ada")
    reader.page.goto(path)
    reader.page.wait_for_load_state("networkidle")
    assert list_scripts(reader.page) == ["bundle.en.js", "early.js"]
