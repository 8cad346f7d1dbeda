"""The page explains what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.engine.kerak_support import KERAK, at
from tests.pages import hands
from tests.pages.conftest import Opened
from tests.pages.reader import Reader
from tests.pages.test_board import DESK, FINGER, MOUSE, PHONE
from tests.service.api.live import post
from tests.service.web_server import WebServer

Shape = Mapping[str, object] | None


def scribed(opened: Opened, server: WebServer, shape: Shape = None, **wish: str) -> Reader:
    """A scribe on the page of a new game of theirs, in a browser of this shape."""
    reader = opened("Scribe", **(shape or {}))
    assert reader.player is not None
    seats = {"first": {"name": "Ada"}, "second": {"name": "Brahim"}}
    body = {"mode": "scribe", "players": seats, **wish}
    reader.go(f"/games/{post(server, '/games', body, reader.player).json()['id']}")
    reader.await_board()
    reader.expected = ("422",)
    return reader


def test_a_refused_capture_shows_its_combat(opened: Opened, server: WebServer) -> None:
    fen = KERAK.write_fen(at("Id4 he4 ie3 Ae5 Ia5"))
    reader = scribed(opened, server, variant="kerak", fen=fen)
    reader.cell("d4").drag_to(reader.cell("e4"))
    combat = reader.page.locator(".combat")
    expect(combat).to_contain_text("From d4: attack 2 < defence 3")
    expect(combat).to_contain_text("Hero e4")


def test_what_is_typed_wrong_has_its_nearest_actions(opened: Opened, server: WebServer) -> None:
    reader = scribed(opened, server, variant="katruji")
    reader.page.get_by_label("Your action").fill("Pc5")
    reader.press("Play")
    expect(reader.page.locator(".problem")).to_contain_text("Pc5")
    expect(reader.page.get_by_label("Your action")).to_have_value("Pc5")
    assert reader.player is not None
    path = reader.page.url.removeprefix(server.url).partition("?")[0]
    post(server, f"{path}/commands", {"type": "offer-draw", "side": "second"}, reader.player)
    expect(reader.page.locator(".offer")).to_have_text("North offers a draw.")
    reader.page.locator(".problem .chip").first.click()
    reader.plies(1)
    expect(reader.page.locator(".problem")).to_have_count(0)


def test_one_of_several_actions_is_asked_for(opened: Opened, server: WebServer) -> None:
    fen = "6k5/12/12/12/12/4P7/12/12/12/12/12/6K5 w - - - -/- 0 QT 40"
    reader = scribed(opened, server, variant="kerd", fen=fen, infiltrators="none")
    reader.cell("e7").click()
    reader.cell("e8").click()
    expect(reader.page.locator("#chooser .options button")).to_have_count(3)
    reader.page.get_by_role("button", name="Bring back a Tower").click()
    reader.plies(1)
    expect(reader.page.locator("#moves")).to_contain_text("e8=T")


def test_a_finger_drags_a_piece_and_scrolls_elsewhere(opened: Opened, server: WebServer) -> None:
    shape = {"has_touch": True, "viewport": {"width": 360, "height": 800}}
    reader = scribed(opened, server, shape, variant="katruji")
    hands.swipe(reader, "c3", "d4")
    reader.plies(1)
    assert reader.page.evaluate("scrollY") == 0
    hands.scroll(reader, "b4", "b8")
    reader.page.wait_for_function("() => scrollY > 0")
    reader.plies(1)


def test_a_draw_is_offered_and_agreed(opened: Opened, server: WebServer) -> None:
    reader = scribed(opened, server, variant="kerak")
    reader.press("Offer a draw for Red")
    expect(reader.page.locator(".offer")).to_have_text("Red offers a draw.")
    expect(reader.page.get_by_label("Your action")).to_be_focused()
    reader.press("Accept the draw for Blue")
    reader.press("Yes, accept the draw for Blue")
    expect(reader.page.locator(".headline")).to_contain_text("agreement")


def test_resigning_is_asked_twice(opened: Opened, server: WebServer) -> None:
    reader = scribed(opened, server, variant="kerak")
    reader.page.get_by_text("Resign for Blue").click()
    reader.page.get_by_role("button", name="Yes, resign").and_(
        reader.page.locator(":visible")
    ).click()
    expect(reader.page.locator(".result")).to_have_text("1-0")
    expect(reader.page.locator("#main")).to_be_focused()


REFUSED = "Id4 he4 ie3 Ae5 Ia5"
"""The Infantry on d4 is too weak for the Hero on e4: 2 against 3."""


@pytest.mark.parametrize("side", ["first", "second"])
@pytest.mark.parametrize(
    ("shape", "hand"),
    [*((DESK, by) for by in MOUSE), *((PHONE, by) for by in FINGER)],
    ids=["click", "drag", "keys", "tap", "swipe"],
)
def test_both_strengths_stand_at_the_cell_before_anything_is_sent(
    opened: Opened, server: WebServer, shape: dict[str, Any], hand: hands.Hand, side: str
) -> None:
    """For either side, with its own pieces at the bottom."""
    men, acts = REFUSED, "r"
    if side == "second":
        men, acts = " ".join(one[0].swapcase() + one[1:] for one in men.split()), "b"
    fen = KERAK.write_fen(at(men, acts))
    reader = scribed(opened, server, shape, variant="kerak", fen=fen)
    sent: list[str] = []
    reader.page.on("request", lambda one: sent.append(one.url) if one.method == "POST" else None)
    expect(reader.page.locator("#connection")).to_have_text("live")
    if side == "second":
        reader.page.keyboard.press("f")
        expect(reader.page.locator("#board .position")).to_have_attribute("data-below", "second")
    hands.see_board(reader)
    hand(reader, "d4", "e4")
    expect(reader.page.locator("#refused")).to_contain_text("attack 2 against defence 3")
    expect(reader.page.locator("#refused .combat")).to_contain_text("Hero e4")
    plate = reader.page.locator('#board [data-refused="e4"]')
    expect(plate).to_have_text("2 < 3")
    x, y = reader.page.evaluate(hands.CENTRE, '#board [data-refused="e4"]')
    cell = reader.cell("e4").bounding_box()
    assert cell
    assert cell["x"] < x < cell["x"] + cell["width"]
    assert cell["y"] - 2 < y < cell["y"] + cell["height"] / 2
    expect(reader.page.locator("#board .chosen")).to_have_count(1)
    assert sent == []
    reader.plies(0)
    # The explanation disappears with the position.
    reader.page.keyboard.press("Escape")
    hand(reader, "d4", "d5")
    reader.plies(1)
    expect(reader.page.locator("#refused")).to_be_empty()
    expect(plate).to_have_count(0)


STRONG = "Id4 ie4 Ae5 Ie3 Ia5"
"""The Infantry on d4 captures the one on e4: 3 against 1."""


@pytest.mark.parametrize("side", ["first", "second"])
@pytest.mark.parametrize("shape", [DESK, PHONE], ids=["desk", "phone"])
def test_an_allowed_capture_shows_both_strengths(
    opened: Opened, server: WebServer, shape: dict[str, Any], side: str
) -> None:
    """The strengths are in the cell's upper half, and leave the piece's lower half visible."""
    fen = KERAK.write_fen(at(STRONG))
    reader = scribed(opened, server, shape, variant="kerak", fen=fen)
    expect(reader.page.locator("#connection")).to_have_text("live")
    if side == "second":
        reader.page.keyboard.press("f")
        expect(reader.page.locator("#board .position")).to_have_attribute("data-below", "second")
    hands.see_board(reader)
    reader.cell("d4").click()
    plate = reader.page.locator('#board [data-strength="e4"]')
    expect(plate).to_have_text("3 ≥ 1")
    text, sign = plate.locator("text").bounding_box(), plate.locator("rect").bounding_box()
    piece = reader.page.locator('#board [data-on="e4"]').bounding_box()
    assert text is not None
    assert sign is not None
    assert piece is not None
    assert sign["x"] <= text["x"]
    assert text["x"] + text["width"] <= sign["x"] + sign["width"]
    assert sign["y"] + sign["height"] < piece["y"] + piece["height"] / 2
    reader.cell("e4").click()
    reader.plies(1)
    expect(plate).to_have_count(0)


def test_a_knight_is_told_that_it_never_takes_a_castle(opened: Opened, server: WebServer) -> None:
    fen = KERAK.write_fen(at("Ne8 Ie3 Ae5 ii5"))
    reader = scribed(opened, server, variant="kerak", fen=fen)
    reader.cell("e8").click()
    expect(reader.page.locator('#board [data-refused="e9"]')).to_have_text("✕")
    reader.cell("e9").click()
    said = "Not sent: e8 cannot take e9: only Infantry and Archers capture the Castle."
    expect(reader.page.locator("#refused")).to_have_text(said)
