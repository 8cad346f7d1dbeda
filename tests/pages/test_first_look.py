"""Newcomers find what they need where they look for it."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.pages import hands
from tests.pages.conftest import Opened
from tests.pages.test_board import DESK, PHONE
from tests.pages.test_refusals import scribed
from tests.service.api.live import post, running
from tests.service.web_server import WebServer

VARIANTS = {"katruji": 3, "kerak": 6, "kerd": 10}
"""The number of drawings in the key to each game's pieces."""

LOST = "6k5/12/12/12/12/12/12/12/12/12/12/6K5 w - - - -/- 0 - 40"
"""A position of Kerd in which each side has lost eight kinds of pieces."""

FITS = "(one) => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight"
"""Whether all of an element's content is visible."""


def bottom(shown: Locator) -> float:
    """The bottom edge of an element on the screen."""
    box = shown.bounding_box()
    assert box
    return box["y"] + box["height"]


def test_a_phone_offers_the_computer_on_the_first_screen(opened: Opened, server: WebServer) -> None:
    other, reader = server.service.players.register("Brahim", None), opened(None, **PHONE)
    running(server, server.service.players.register("Ada", None), other)
    server.catch_up()
    reader.go("/")
    expect(reader.page.locator("#watched .seat").first).to_be_visible()
    assert bottom(reader.page.locator("button.tile").first) <= PHONE["viewport"]["height"]


def test_a_secret_choice_is_explained_and_made_without_scrolling(
    opened: Opened, server: WebServer
) -> None:
    reader = opened("Ada", **PHONE)
    assert reader.player is not None
    other = server.service.players.register("Brahim", None)
    reader.go(running(server, reader.player, other, "kerd"))
    expect(reader.page.locator("#connection")).to_have_text("live")
    expect(reader.page.locator(".whose")).to_have_text("Choose your infiltrator in secret")
    task = "Pick an enemy piece, then “Choose in secret”."
    expect(reader.page.locator(".task")).to_have_text(task)
    expect(reader.page.locator(".choose")).to_contain_text("Pick the infiltrator: an enemy Pawn")
    button = reader.page.get_by_role("button", name="Choose in secret")
    foot = PHONE["viewport"]["height"]
    assert bottom(reader.page.locator("#board .frame")) <= bottom(button) <= foot
    reader.cell("f11").tap()
    expect(reader.page.get_by_label("a square")).to_have_value("f11")
    assert reader.page.evaluate("scrollY") == 0
    button.tap()
    expect(reader.page.locator(".task")).to_contain_text("You have chosen.")
    expect(reader.page.locator(".choose")).to_have_count(0)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_key_draws_and_names_each_piece(
    opened: Opened, server: WebServer, variant: str
) -> None:
    reader = scribed(opened, server, variant=variant)
    expect(reader.page.locator("#connection")).to_have_text("live")
    reader.page.get_by_text("What the board shows").click()
    pieces = reader.page.locator(".legend ul").first.locator("li")
    expect(pieces).to_have_count(VARIANTS[variant])
    drawn = pieces.locator("use").evaluate_all("all => all.map((one) => one.getBBox().width > 0)")
    assert all(drawn)
    assert all(text.strip() for text in pieces.all_inner_texts())


@pytest.mark.parametrize("shape", [DESK, PHONE], ids=["desk", "phone"])
def test_the_end_of_a_game_is_told_whole(
    opened: Opened, server: WebServer, shape: dict[str, Any]
) -> None:
    fen = "3S/4/4/4/O3/4/4/4 s 5-4 - 0 40"
    reader = scribed(opened, server, shape, variant="katruji", fen=fen)
    expect(reader.page.locator("#connection")).to_have_text("live")
    hands.see_board(reader)
    reader.cell("a4").click()
    reader.cell("a5").click()
    expect(reader.page.locator(".whose")).to_have_text("South has won: Yemubus, an empty hajat")
    assert reader.page.locator(".first-line").evaluate(FITS)
    assert reader.page.locator(".turn").evaluate(FITS)
    assert reader.page.locator(".seat-bar .player").evaluate_all(f"all => all.every({FITS})")


def test_a_phone_has_all_lost_pieces_in_sight(opened: Opened, server: WebServer) -> None:
    reader = scribed(opened, server, PHONE, variant="kerd", fen=LOST, infiltrators="none")
    expect(reader.page.locator("#connection")).to_have_text("live")
    trays = reader.page.locator(".trays")
    expect(trays.locator(".held")).to_have_count(16)
    assert trays.evaluate_all(f"all => all.every({FITS})")


def test_no_gap_is_left_beside_resigning(opened: Opened, server: WebServer) -> None:
    """Before their first action, the second player can neither abort nor take back."""
    first = server.service.players.register("Ada", None)
    reader = opened("Brahim")
    assert reader.player is not None
    game = running(server, first, reader.player)
    post(server, f"{game}/actions", {"action": "Pd4"}, first)
    reader.go(game)
    draw = reader.page.get_by_role("button", name="Offer a draw").bounding_box()
    resign = reader.page.get_by_text("Resign", exact=True).bounding_box()
    assert draw
    assert resign
    assert 0 <= resign["x"] - draw["x"] - draw["width"] <= 16
