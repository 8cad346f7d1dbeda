"""The opening explorer in a browser: each step updates the board, and costs one request."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.pages import hands
from tests.pages.conftest import Opened
from tests.pages.places import astray
from tests.pages.reader import Reader
from tests.pages.test_board import DESK, PHONE
from tests.service.api.live import post
from tests.service.web_server import WebServer

SHAPES = pytest.mark.parametrize("shape", [DESK, PHONE], ids=["desk", "phone"])
GAMES = (("Pd1", "Pa7", "Pd2"), ("Pd1", "Pa7", "Pd2"), ("Pd1", "Pa6"), ("Pc4", "Pa7"))


@pytest.fixture(scope="module")
def archive(server: WebServer) -> None:
    """Finished games of Katruji, created once for all tests of the module, which count them."""
    scribe = server.service.players.register("Scribe", None)
    seats = {"first": {"name": "Ada"}, "second": {"name": "Brahim"}}
    for actions in GAMES:
        wish = {"variant": "katruji", "mode": "scribe", "players": seats}
        path = f"/games/{post(server, '/games', wish, scribe).json()['id']}"
        for action in actions:
            post(server, f"{path}/actions", {"action": action}, scribe)
        post(server, f"{path}/commands", {"type": "resign", "side": "first"}, scribe)
    server.catch_up()


def rows(reader: Reader) -> Locator:
    return reader.page.locator("#explored > .scroll a.step")


def press(reader: Reader, what: Locator) -> None:
    """Tap on a touch screen, otherwise click."""
    if reader.touches:
        what.tap()
    else:
        what.click()


def begin(reader: Reader, query: str = "") -> None:
    """Open the explorer, and wait until its board can be played on."""
    reader.go(f"/explorer?variant=katruji{query}")
    reader.await_board()


def shown(reader: Reader) -> str:
    return reader.page.locator("#board .position").get_attribute("data-fen") or ""


@SHAPES
@pytest.mark.parametrize("below", ["first", "second"])
def test_rows_and_board_lead_on(
    opened: Opened, archive: None, shape: dict[str, Any], below: str
) -> None:
    reader = opened(**shape)
    begin(reader, f"&below={below}")
    first = shown(reader)
    expect(rows(reader)).to_have_text(["Pd1", "Pc4"])
    asked: list[str] = []
    # A browser may request a page's icon at any time.
    reader.page.on("request", lambda one: None if "/static/" in one.url else asked.append(one.url))
    press(reader, rows(reader).first)
    reader.plies(1)
    expect(rows(reader)).to_have_text(["Pa7", "Pa6"])
    expect(reader.page.locator("#explored > .scroll .shares")).to_have_count(2)
    assert astray(reader, "katruji", below, set()) == []
    assert len(asked) == 1, asked
    hand = hands.tap if reader.touches else hands.drag
    hands.see_board(reader)
    hand(reader, "b6", "a7")
    reader.plies(2)
    expect(rows(reader)).to_have_text(["Pd2"])
    assert len(asked) == 2, asked
    expect(reader.page.locator("#announce")).to_contain_text("Pa7. South to act")
    expect(reader.page.locator("#explored .games tbody tr")).to_have_count(2)
    # The browser's back and forward request nothing.
    reader.page.go_back()
    reader.plies(1)
    expect(rows(reader)).to_have_text(["Pa7", "Pa6"])
    reader.page.keyboard.press("ArrowLeft")
    reader.plies(0)
    assert shown(reader) == first
    reader.page.keyboard.press("ArrowRight")
    reader.plies(1)
    reader.page.go_forward()
    reader.plies(2)
    expect(rows(reader)).to_have_text(["Pd2"])
    assert len(asked) == 2, asked
    fen = shown(reader)
    reader.page.reload()
    expect(reader.page.locator("#board .position")).to_have_attribute("data-fen", fen)
    expect(rows(reader)).to_have_text(["Pd2"])


def test_keys_play_and_flip(opened: Opened, archive: None) -> None:
    reader = opened()
    begin(reader)
    rows(reader).nth(1).focus()
    reader.page.keyboard.press("Enter")
    reader.plies(1)
    expect(rows(reader)).to_have_text(["Pa7"])
    hands.press_keys(reader, "b6", "a7")
    reader.plies(2)
    reader.page.locator("h1").evaluate("document.activeElement.blur()")
    reader.page.keyboard.press("f")
    place = reader.page.locator("#board .position")
    expect(place).to_have_attribute("data-below", "second")
    assert astray(reader, "katruji", "second", set()) == []
    reader.page.get_by_label("First position").click()
    expect(rows(reader)).to_have_text(["Pd1", "Pc4"])


def test_without_an_answer_board_and_list_stay_together(opened: Opened, archive: None) -> None:
    reader = opened()
    reader.expected = ("ERR_FAILED", "422")
    begin(reader)
    fen = shown(reader)
    reader.page.route("**/explorer?*", lambda route: route.abort())
    rows(reader).first.click()
    expect(reader.page.locator("#problem")).to_have_text("No answer. Try again.")
    assert shown(reader) == fen
    expect(rows(reader)).to_have_text(["Pd1", "Pc4"])
    reader.page.unroute("**/explorer?*")
    # An illegal action is explained, and leads nowhere.
    hands.drag(reader, "c2", "c8")
    expect(reader.page.locator("#problem .problem")).to_contain_text("c2c8")
    assert shown(reader) == fen
    rows(reader).first.click()
    reader.plies(1)
    expect(reader.page.locator("#problem .problem")).to_have_count(0)


def count_lines(cells: Locator) -> list[int]:
    """The number of lines that each of these elements takes up."""
    lines: list[int] = cells.evaluate_all(
        """cells => cells.map(cell => {
            const range = document.createRange();
            range.selectNodeContents(cell);
            return new Set([...range.getClientRects()].map(box => Math.round(box.bottom))).size;
        })"""
    )
    return lines


@SHAPES
def test_no_action_or_number_is_broken_into_lines(
    opened: Opened, archive: None, shape: dict[str, Any]
) -> None:
    reader = opened(**shape)
    begin(reader)
    press(reader, reader.page.locator("#self-play summary"))
    for table in ("#explored > .scroll", "#self-play"):
        cells = reader.page.locator(f"{table} .continuations")
        expect(cells.locator("a.step").last).to_be_visible()
        assert set(count_lines(cells.locator("th, a.step, td.number"))) <= {0, 1}
        bars = cells.locator(".shares").evaluate_all("bars => bars.map(bar => bar.clientWidth)")
        assert min(bars) >= 100


@SHAPES
def test_what_the_computer_played_leads_on_where_nobody_else_has(
    opened: Opened, archive: None, shape: dict[str, Any]
) -> None:
    reader = opened(**shape)
    begin(reader)
    computer = reader.page.locator("#self-play")
    expect(computer).not_to_have_attribute("open", "")
    press(reader, computer.locator("summary"))
    unplayed = computer.locator("a.step").filter(has_not_text="Pd1").filter(has_not_text="Pc4")
    press(reader, unplayed.first)
    reader.plies(1)
    # The archive has no such game.
    expect(rows(reader)).to_have_count(0)
    expect(computer).to_have_attribute("open", "")
    press(reader, computer.locator("a.step").first)
    reader.plies(2)
