"""What cannot be undone needs a confirmation, which never appears under the pointer."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.pages.conftest import Opened
from tests.pages.hands import place, see_board
from tests.pages.places import astray
from tests.pages.reader import Reader
from tests.pages.test_board import DESK, PHONE, legal
from tests.pages.test_refusals import scribed
from tests.service.api.live import post
from tests.service.game.support import QUIET
from tests.service.web_server import WebServer

SHAPES = pytest.mark.parametrize("shape", [DESK, PHONE], ids=["desk", "phone"])
LAYOUT = """() => [...document.querySelectorAll("main *:not(svg *)")]
  .filter((one) => one.checkVisibility())
  .map((one) => {
    const box = one.getBoundingClientRect();
    const name = [one.localName, one.textContent.slice(0, 20)];
    return [...name, box.x, box.y, box.width, box.height].join();
  })"""
"""Where everything is that takes room; in closed details, the first measurement may be zero."""
PROMOTING = "6k5/12/12/12/12/4P7/12/12/12/12/12/6K5 w - - - -/- 0 QT 40"


def hit(reader: Reader, x: float, y: float) -> None:
    """Press at a place, with a finger or the mouse."""
    (reader.page.touchscreen.tap if reader.touches else reader.page.mouse.click)(x, y)


def press(reader: Reader, button: Locator) -> tuple[float, float]:
    """Press a button in its centre; returns the place."""
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    assert box
    at = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    hit(reader, *at)
    return at


def check_away(reader: Reader, x: float, y: float) -> None:
    """Check that a question is open, and does not cover this place."""
    dialog = reader.page.locator("#chooser")
    expect(dialog).to_be_visible()
    box = dialog.bounding_box()
    assert box
    assert not (
        box["x"] <= x <= box["x"] + box["width"] and box["y"] <= y <= box["y"] + box["height"]
    )


def decline(reader: Reader) -> None:
    """Answer a question with no, and wait until it is gone."""
    reader.press("No, go back")
    expect(reader.page.locator("#chooser")).to_be_hidden()


@SHAPES
def test_choosing_a_piece_moves_nothing_and_brings_nothing_under_the_pointer(
    opened: Opened, server: WebServer, shape: dict[str, Any]
) -> None:
    reader = scribed(opened, server, shape, variant="kerd", infiltrators="unknown")
    see_board(reader)
    # The status text changes the layout when the stream opens.
    expect(reader.page.locator("#connection")).to_have_text("live")
    before = reader.page.evaluate(LAYOUT)
    executed = sorted(one[2:] for one in legal(reader) if one.startswith("X:"))
    assert len(executed) > 4
    for square in executed:
        at = place(reader, square)
        hit(reader, *at)
        button = reader.page.locator(f'#deeds button[value="X:{square}"]')
        expect(button).to_be_visible()
        expect(reader.page.locator("#deeds button:visible")).to_have_count(1)
        assert reader.page.evaluate(LAYOUT) == before
        under = "([x, y]) => document.elementFromPoint(x, y).dataset.cell"
        assert reader.page.evaluate(under, at) == square
        # Deselect the piece: the next one's square could be its destination.
        hit(reader, *at)
        expect(button).to_be_hidden()


@SHAPES
def test_an_execution_is_asked_for_away_from_the_pointer(
    opened: Opened, server: WebServer, shape: dict[str, Any]
) -> None:
    reader = scribed(opened, server, shape, variant="kerd", infiltrators="unknown")
    see_board(reader)
    hit(reader, *place(reader, "e2"))
    button = reader.page.locator('#deeds button[value="X:e2"]')
    at = press(reader, button)
    check_away(reader, *at)
    hit(reader, *at)
    decline(reader)
    expect(reader.page.locator("#chooser")).to_have_count(0)
    reader.plies(0)
    expect(reader.page.locator('[data-on="e2"]')).to_have_count(1)
    press(reader, button)
    reader.press("Yes, execute the piece on e2")
    reader.plies(1)
    expect(reader.page.locator('[data-on="e2"]')).to_have_count(0)


def test_an_execution_that_is_clicked_by_its_name_is_asked_for(
    opened: Opened, server: WebServer
) -> None:
    """A refusal lists the nearest legal actions as buttons, which ask for confirmation too."""
    reader = scribed(opened, server, variant="kerd", infiltrators="unknown")
    reader.page.get_by_label("Your action").fill("X:e5")
    reader.press("Play")
    chip = reader.page.locator(".problem .chip").filter(has_text="X:e2")
    at = press(reader, chip)
    check_away(reader, *at)
    decline(reader)
    reader.plies(0)
    press(reader, chip)
    reader.press("Yes, execute the piece on e2")
    reader.plies(1)


@SHAPES
def test_resigning_is_asked_for_away_from_the_pointer_and_moves_nothing(
    opened: Opened, server: WebServer, shape: dict[str, Any]
) -> None:
    reader = scribed(opened, server, shape, variant="kerak")
    button = reader.page.get_by_text("Resign for Blue", exact=True)
    button.scroll_into_view_if_needed()
    expect(reader.page.locator("#connection")).to_have_text("live")
    before = reader.page.evaluate(LAYOUT)
    check_away(reader, *press(reader, button))
    assert reader.page.evaluate(LAYOUT) == before
    decline(reader)
    expect(reader.page.locator(".state.running")).to_be_visible()
    press(reader, button)
    reader.press("Yes, resign")
    expect(reader.page.locator(".result")).to_have_text("1-0")


def test_a_claim_is_asked_for(opened: Opened, server: WebServer) -> None:
    reader = scribed(opened, server, variant="katruji", fen=QUIET)
    press(reader, reader.page.get_by_role("button", name="Declare Kyan-A-Alka"))
    decline(reader)
    reader.plies(0)
    press(reader, reader.page.get_by_role("button", name="Declare Kyan-A-Alka"))
    reader.press("Yes, declare Kyan-A-Alka")
    reader.plies(1)


def test_in_german_the_answer_keeps_its_capital(opened: Opened, server: WebServer) -> None:
    reader = scribed(opened, server, {"locale": "de"}, variant="katruji", fen=QUIET)
    press(reader, reader.page.get_by_role("button", name="Kyan-A-Alka ansagen"))
    reader.press("Ja, Kyan-A-Alka ansagen")
    reader.plies(1)


@SHAPES
@pytest.mark.parametrize("dragged", [False, True])
def test_which_action_is_meant_is_asked_away_from_the_pointer(
    opened: Opened, server: WebServer, shape: dict[str, Any], dragged: bool
) -> None:
    reader = scribed(opened, server, shape, variant="kerd", fen=PROMOTING, infiltrators="none")
    see_board(reader)
    if dragged:
        reader.cell("e7").drag_to(reader.cell("e8"))
    else:
        for square in ("e7", "e8"):
            hit(reader, *place(reader, square))
    check_away(reader, *place(reader, "e8"))
    expect(reader.page.locator("#chooser .options button")).to_have_count(3)
    reader.page.keyboard.press("Escape")
    assert astray(reader, "kerd", "first", set()) == []
    reader.plies(0)


@pytest.mark.parametrize("key", [None, "Space"], ids=["mouse", "key"])
def test_a_button_whose_part_is_renewed_while_it_is_pressed_is_clicked(
    opened: Opened, server: WebServer, key: str | None
) -> None:
    """Whatever news come between press and release are shown afterwards."""
    reader = scribed(opened, server, variant="kerak")
    assert reader.player is not None
    button = reader.page.get_by_text("Resign for Blue", exact=True)
    expect(reader.page.locator("#connection")).to_have_text("live")
    button.scroll_into_view_if_needed()
    loads: list[str] = []
    reader.page.on("request", lambda asked: loads.append(asked.url.partition("?")[0]))
    if key is None:
        button.hover()
        reader.page.mouse.down()
    else:
        button.focus()
        reader.page.keyboard.down(key)
    about = reader.page.locator("#about")
    before = about.text_content() or ""
    path = reader.page.url.removeprefix(server.url).partition("?")[0]
    post(server, f"{path}/commands", {"type": "offer-draw", "side": "second"}, reader.player)
    # The number of events is in another part.
    expect(about).not_to_have_text(before)
    reader.page.wait_for_timeout(1000)
    expect(reader.page.locator(".offer")).to_have_count(0)
    if key is None:
        reader.page.mouse.up()
    else:
        reader.page.keyboard.up(key)
    expect(reader.page.locator("#chooser")).to_be_visible()
    expect(reader.page.locator(".offer")).to_contain_text("offers a draw")
    # It is not requested again and again meanwhile.
    assert loads.count(f"{server.url}{path}") < 5
