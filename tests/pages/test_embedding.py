"""Frames on other sites, and sharing a game's position, in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Route, expect

from service.player.repository import NewPlayer
from tests.http_server import serve_in_thread
from tests.pages.conftest import Opened
from tests.pages.reader import Reader
from tests.pages.test_live_boards import begin, expect_in_place, expect_ply, play, watch_shifts
from tests.pages.test_replaying import find_fen, game, replace_last, scribe
from tests.service.api.live import post
from tests.service.web_server import WebServer

__all__ = ["game", "scribe"]

PAGE = '<!doctype html><title>Elsewhere</title><iframe src="{}" width="400" height="600"></iframe>'

TWO_FRAMES = """() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(done)))"""


class Elsewhere(BaseHTTPRequestHandler):
    """Another site, whose page frames an address."""

    framed = ""

    def do_GET(self) -> None:
        """Send the page."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE.format(self.framed).encode() if self.path == "/" else b"")

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """The address of another site."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    with serve_in_thread(server):
        yield f"http://localhost:{server.server_port}"


def open_with_late_styles(reader: Reader, address: str) -> None:
    """Open a page whose iframe gets its styles only after two animation frames."""
    held: list[Route] = []
    reader.page.route("**/embed.css", lambda route: held.append(route))
    with reader.page.expect_request("**/embed.css"):
        reader.page.goto(address, wait_until="commit")
    reader.page.evaluate(TWO_FRAMES)
    for route in held:
        route.continue_()
    reader.page.unroute("**/embed.css")


def test_another_site_frames_a_board_and_no_other_page(
    opened: Opened, server: WebServer, game: str, elsewhere: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = opened()
    page = reader.page
    monkeypatch.setattr(Elsewhere, "framed", f"{server.url}/embed{game}")
    page.goto(elsewhere)
    frame = page.frame_locator("iframe")
    expect(frame.locator(".frame")).to_have_attribute("data-ply", "5")
    frame.get_by_role("link", name="Back").click()
    expect(frame.locator(".frame")).to_have_attribute("data-ply", "4")
    frame.get_by_role("link", name="First position").click()
    expect(frame.locator(".frame")).to_have_attribute("data-ply", "0")
    box = frame.locator(".frame svg").bounding_box()
    assert box is not None
    assert box["height"] > 400
    assert frame.locator("html").evaluate("one => one.scrollHeight <= innerHeight")
    # Pages with controls refuse to be framed, against clickjacking.
    monkeypatch.setattr(Elsewhere, "framed", f"{server.url}{game}")
    reader.expected = ("frame-ancestors", "chrome-error:")
    page.goto(elsewhere)
    expect(page.frame_locator("iframe").locator("#board")).to_have_count(0)
    reader.strangers[:] = [one for one in reader.strangers if not one.startswith(elsewhere)]


def test_what_is_shared_is_the_position_shown(opened: Opened, server: WebServer, game: str) -> None:
    reader = opened()
    reader.go(game)
    panel = reader.page.locator("[data-share]")
    panel.locator("summary").click()
    link = panel.locator("[data-link]")
    expect(link).to_have_value(re.compile(rf"^{re.escape(server.url + game)}\?ply=5&below=first$"))
    reader.page.keyboard.press("Home")
    reader.plies(0)
    expect(link).to_have_value(f"{server.url}{game}?ply=0&below=first")
    expect(panel.locator("[data-frame]")).to_have_value(
        re.compile(r'^<iframe src="[^"]*/embed/games/\w+\?ply=0&amp;below=first" width="\d+" ')
    )
    picture = panel.locator('[data-picture="png"]').get_attribute("href")
    assert picture is not None
    assert picture.endswith("board.png?ply=0&below=first")
    # The word goes back after a while.
    reader.page.evaluate("() => { window.setTimeout = () => 0; }")
    panel.get_by_role("button", name="Copy").first.click()
    expect(panel.get_by_role("button", name="Copied")).to_be_visible()


def test_a_frame_is_live_turned_and_replayed_by_keys_and_buttons(
    opened: Opened, server: WebServer, elsewhere: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = [server.service.players.register(name, None) for name in ("Ada", "Brahim")]
    game = begin(server, players, "katruji", time_control="600+5")
    for seed in range(3):
        play(server, players, game, seed)
    # Inside the iframe, a signed-in reader is anonymous.
    reader = opened(player=players[0])
    asked: list[str] = []
    reader.page.on("request", lambda sent: asked.append(sent.url))
    monkeypatch.setattr(Elsewhere, "framed", f"{server.url}/embed/games/{game}")
    watch_shifts(reader)
    open_with_late_styles(reader, elsewhere)
    frame = reader.page.frame_locator("iframe")
    board = frame.locator(".frame")
    expect(board.locator("[role=grid]")).to_be_visible()
    expect_ply(board, 3)
    expect_in_place(board, "katruji", "first")
    # New actions appear by themselves.
    play(server, players, game, 4)
    expect_ply(board, 4)
    expect(frame.locator(".ply")).to_have_text("4 / 4")
    expect(frame.locator('[data-clock="first"]')).to_be_visible()
    assert frame.locator("html").evaluate("() => window.shifts") == []
    frame.get_by_role("link", name="Flip the board").click()
    expect(frame.locator("[data-seat]").first).to_contain_text("Ada")
    expect_in_place(board, "katruji", "second")
    reader.page.keyboard.press("ArrowLeft")
    expect_ply(board, 3)
    reader.page.keyboard.press("Home")
    expect_ply(board, 0)
    frame.get_by_role("link", name="Forward", exact=True).click()
    expect_ply(board, 1)
    expect_in_place(board, "katruji", "second")
    # A reader of an earlier position stays there.
    play(server, players, game, 5)
    expect(frame.locator(".ply")).to_have_text("1 / 5")
    expect_ply(board, 1)
    reader.page.keyboard.press("End")
    expect_ply(board, 5)
    post(server, f"/games/{game}/commands", {"type": "offer-draw"}, players[0])
    post(server, f"/games/{game}/commands", {"type": "accept-draw"}, players[1])
    expect(frame.locator(".state")).to_contain_text("½-½, by agreement")
    assert len([url for url in asked if "/embed/games/" in url]) == 1, "no step loads a page"
    reader.strangers[:] = [one for one in reader.strangers if not one.startswith(elsewhere)]


def test_a_frame_keeps_the_result_in_the_readers_language(
    opened: Opened, server: WebServer
) -> None:
    """When the game ends, and when the reader comes back to its last position."""
    players = [server.service.players.register(name, None) for name in ("Ada", "Brahim")]
    game = begin(server, players, "katruji")
    play(server, players, game, 0)
    reader = opened(locale="de-DE")
    with reader.page.expect_request("**/boards/stream?*"):
        reader.go(f"/embed/games/{game}")
    post(server, f"/games/{game}/commands", {"type": "resign"}, players[0])
    state = reader.page.locator(".state")
    expect(state).to_have_text("0-1, Aufgabe")
    reader.page.reload()
    expect(reader.page.locator(".frame [role=grid]")).to_be_visible()
    reader.page.keyboard.press("ArrowLeft")
    expect_ply(reader.page.locator(".frame"), 0)
    reader.page.keyboard.press("ArrowRight")
    expect(state).to_have_text("0-1, Aufgabe")


def test_a_frame_goes_where_the_reader_last_wanted(opened: Opened, game: str) -> None:
    reader = opened()
    reader.go(f"/embed{game}")
    board = reader.page.locator(".frame")
    expect(board.locator("[role=grid]")).to_be_visible()
    held: list[Route] = []
    reader.page.route("**/positions?*", lambda route: held.append(route))
    for key in ("Home", "ArrowRight", "ArrowRight"):
        with reader.page.expect_request("**/positions?*"):
            reader.page.keyboard.press(key)
    while len(held) < 3:
        reader.page.wait_for_timeout(50)
    # The first answer comes last.
    for route in reversed(held):
        with reader.page.expect_event("requestfinished"):
            route.continue_()
    reader.page.unroute("**/positions?*")
    expect_ply(board, 2)


@pytest.mark.parametrize("looks_back", [False, True])
def test_a_frame_shows_nothing_that_was_taken_back_unseen(
    opened: Opened, server: WebServer, scribe: NewPlayer, game: str, looks_back: bool
) -> None:
    reader = opened()
    post(server, f"{game}/actions", {"action": "Obb8"}, scribe)
    board = reader.page.locator(".frame")
    with reader.page.expect_request("**/boards/stream?*"):
        reader.go(f"/embed{game}")
    reader.page.keyboard.press("ArrowLeft")
    expect_ply(board, 5)
    if not looks_back:
        reader.page.keyboard.press("End")
        expect_ply(board, 6)
    reader.look_away()
    replace_last(server, game, scribe)
    reader.look_away(False)
    expect(reader.page.locator(".ply")).to_have_text(f"{5 if looks_back else 7} / 7")
    if not looks_back:
        for ply in (6, 5):
            reader.page.keyboard.press("ArrowLeft")
            expect_ply(board, ply)
    expect(board).to_have_attribute("data-fen", find_fen(server, game, 5))
    reader.page.keyboard.press("ArrowRight")
    expect(board).to_have_attribute("data-fen", find_fen(server, game, 6))
