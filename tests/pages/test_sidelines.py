"""Variations and engine lines on a game's page: shown on its board, with ways back and onward."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Route, expect

from service.player.repository import NewPlayer
from tests.pages.conftest import Opened
from tests.pages.places import astray
from tests.pages.reader import Reader
from tests.pages.test_analysing import analysed_game, get
from tests.pages.test_board import DESK, PHONE
from tests.service.api.live import post
from tests.service.web_server import WebServer

BOTH = pytest.mark.parametrize("below", ["first", "second"])
SHAPES = pytest.mark.parametrize("shape", [DESK, PHONE], ids=["desk", "phone"])
VARIATION = "1... Pa6 $1 {quiet} (1... Sa8 2. Pc4) 2. Pc4 Pa5"
POSITIONS = "**/positions?from=*&line=*"


def open_game(reader: Reader, server: WebServer, by: NewPlayer, query: str = "") -> str:
    """Open an analysed game with a variation of its second action, and return its path."""
    path = analysed_game(server, by)
    note = {"type": "annotate", "ply": 2, "annotation": {}, "variations": [VARIATION]}
    assert post(server, f"{path}/commands", note, by).ok
    reader.go(path + query)
    # Until the board can be played on, a step is a link to the analysis board.
    reader.await_board()
    expect(reader.page.locator("#found .lines li")).to_have_count(3)
    reader.plies(int(parse_qs(query[1:])["ply"][0]) if "ply=" in query else 4)
    return path


def press(reader: Reader, what: Locator) -> None:
    """Tap on a touch screen, otherwise click."""
    if reader.touches:
        what.tap()
    else:
        what.click()


def stands(reader: Reader, fen: str) -> None:
    """Wait until the board shows a position, each piece on its cell."""
    place = reader.page.locator("#board .position")
    expect(place).to_have_attribute("data-fen", fen)
    below = place.get_attribute("data-below") or ""
    assert astray(reader, "katruji", below, set()) == []


def fen_behind(server: WebServer, path: str, ply: int, line: str) -> str:
    """The FEN after a line that leaves the game at `ply`."""
    found = get(server, f"{path}/positions?from={ply}&line={line}")["items"]
    fen: str = found[-1]["fen"]
    return fen


@BOTH
@SHAPES
def test_an_engines_line_is_played_in_place(
    opened: Opened, server: WebServer, shape: dict[str, Any], below: str
) -> None:
    ada = opened("Ada", **shape)
    assert ada.player
    path = open_game(ada, server, ada.player, f"?ply=1&below={below}")
    lines = get(server, f"{path}/analysis")["findings"][1]["finding"]["lines"]
    number, line = max(
        enumerate(line["actions"] for line in lines), key=lambda numbered: len(numbered[1])
    )
    assert len(line) > 2
    asked: list[str] = []
    ada.page.on("request", lambda request: asked.append(request.url))
    steps = ada.page.locator("#found .lines li").nth(number).locator("a.step")
    press(ada, steps.nth(1))
    ada.plies(3)
    stands(ada, fen_behind(server, path, 1, "+".join(line[:2])))
    expect(steps.nth(1)).to_have_attribute("aria-current", "true")
    expect(ada.page.locator("#announce")).to_contain_text(" to act")
    ada.page.keyboard.press("ArrowRight")
    ada.plies(4)
    stands(ada, fen_behind(server, path, 1, "+".join(line[:3])))
    for ply in (3, 2):
        ada.page.keyboard.press("ArrowLeft")
        ada.plies(ply)
        expect(steps.nth(ply - 2)).to_have_attribute("aria-current", "true")
    expect(ada.page.locator("#slider")).to_have_value("1")
    press(ada, ada.page.get_by_role("button", name="Back to the game"))
    ada.plies(1)
    expect(ada.page.locator("#sideline")).to_be_hidden()
    expect(ada.page.locator("a.step[aria-current]")).to_have_count(0)
    assert [url for url in asked if "/analysis?" in url] == []
    assert len([url for url in asked if "&line=" in url]) == 1
    assert ada.page.url.split("?")[0] == server.url + path


def test_the_focus_stays_beside_a_position_without_lines(opened: Opened, server: WebServer) -> None:
    """As while the game is still being analysed."""
    ada = opened("Ada")
    assert ada.player

    def lack_second(route: Route) -> None:
        answer = route.fetch()
        told = answer.json()
        told["findings"] = [one for one in told["findings"] if one["index"] != 2]
        route.fulfill(response=answer, json=told)

    ada.page.route("**/api/v1/games/*/analysis", lack_second)
    open_game(ada, server, ada.player, "?ply=1")
    found = ada.page.locator("#found")
    ada.page.locator("#found a.step[data-at]").first.focus()
    ada.page.keyboard.press("ArrowRight")
    ada.plies(2)
    expect(found).to_contain_text("Nothing found yet.")
    expect(found).to_be_focused()


@SHAPES
def test_a_variation_is_played_in_place(
    opened: Opened, server: WebServer, shape: dict[str, Any]
) -> None:
    ada = opened("Ada", **shape)
    assert ada.player
    path = open_game(ada, server, ada.player)
    steps = ada.page.locator("#moves a.step")
    expect(steps).to_have_text(["1... Pa6", "1... Sa8", "2. Pc4", "2. Pc4", "Pa5"])
    press(ada, steps.nth(3))
    ada.plies(3)
    stands(ada, fen_behind(server, path, 1, "Pa6+Pc4"))
    ada.page.keyboard.press("End")
    ada.plies(4)
    stands(ada, fen_behind(server, path, 1, "Pa6+Pc4+Pa5"))
    # A nested variation branches off where its first action does.
    press(ada, steps.nth(2))
    stands(ada, fen_behind(server, path, 1, "Sa8+Pc4"))
    ada.page.keyboard.press("ArrowLeft")
    ada.plies(2)
    ada.page.keyboard.press("ArrowLeft")
    ada.plies(1)
    expect(ada.page.locator("#sideline")).to_be_hidden()
    # Clicking any action of the game leads back to it.
    press(ada, steps.nth(0))
    expect(ada.page.locator("#sideline")).to_be_visible()
    press(ada, ada.page.locator('#moves [data-ply="4"]'))
    ada.plies(4)
    expect(ada.page.locator("#sideline")).to_be_hidden()
    expect(ada.page.locator("#board .turn")).to_contain_text("North has won: resignation")


def test_the_analysis_board_goes_on_with_the_line(opened: Opened, server: WebServer) -> None:
    ada = opened("Ada")
    assert ada.player
    open_game(ada, server, ada.player)
    ada.page.locator("#moves a.step").nth(3).click()
    ada.plies(3)
    fen = ada.page.locator("#board .position").get_attribute("data-fen") or ""
    link = ada.page.get_by_role("link", name="Continue on the analysis board")
    asked = parse_qs(urlsplit(link.get_attribute("href") or "").query)
    assert (asked["ply"], asked["line"]) == (["1"], ["Pa6 Pc4"])
    link.click()
    ada.page.wait_for_url("**/analysis?**")
    ada.plies(3)
    expect(ada.page.locator("#fen")).to_have_text(fen)
    expect(ada.page.locator('#tree [aria-current="true"]')).to_have_text("2. Pc4")


def test_a_line_that_gets_no_answer_leaves_the_game_shown(
    opened: Opened, server: WebServer
) -> None:
    ada = opened("Ada")
    ada.expected = ("ERR_FAILED",)
    assert ada.player
    path = open_game(ada, server, ada.player)
    ada.page.route(POSITIONS, lambda route: route.abort())
    ada.page.locator("#moves a.step").first.click()
    expect(ada.page.locator("#announce")).to_have_text("No answer. Try again.")
    ada.plies(4)
    expect(ada.page.locator('#moves [data-ply="4"]')).to_have_attribute("aria-current", "true")
    ada.page.unroute(POSITIONS)
    ada.page.locator("#moves a.step").first.click()
    stands(ada, fen_behind(server, path, 1, "Pa6"))
