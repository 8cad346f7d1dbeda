"""Replaying a game, following it live, and what happens while the service is away."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from playwright.sync_api import Page, Route, expect

from service.game.commands import PlayAction
from service.player.actor import Actor
from service.player.repository import NewPlayer
from tests.pages.conftest import Opened
from tests.pages.reader import Reader
from tests.service.api.live import SILENCE, post, running
from tests.service.web_server import WebServer
from tests.waiting import eventually

SHOWN_IN_LIST = """() => {
    const list = document.getElementById("moves").getBoundingClientRect();
    const one = document.querySelector("#moves [aria-current]").getBoundingClientRect();
    return list.top <= one.top && one.bottom <= list.bottom;
}"""
ACTIONS = ["Pc4", "Scb7=O", "Pb4", "Sa8", "Pb5"]


@pytest.fixture
def scribe(server: WebServer) -> NewPlayer:
    return server.service.players.register("Scribe", None)


@pytest.fixture
def game(server: WebServer, scribe: NewPlayer) -> str:
    """The path of a game of five actions."""
    seats = {"first": {"name": "Ada"}, "second": {"name": "Brahim"}}
    wish = {"variant": "katruji", "mode": "scribe", "players": seats}
    path = f"/games/{post(server, '/games', wish, scribe).json()['id']}"
    for action in ACTIONS:
        post(server, f"{path}/actions", {"action": action}, scribe)
    return path


def current(page: Page) -> str:
    """The action marked in the list."""
    return page.locator("#moves [aria-current]").inner_text()


def test_a_game_is_replayed_by_buttons_keys_list_and_slider(opened: Opened, game: str) -> None:
    reader = opened()
    reader.go(game)
    reader.plies(5)
    reader.page.get_by_label("First position").click()
    reader.plies(0)
    reader.page.keyboard.press("ArrowRight")
    reader.plies(1)
    assert "Pc4" in current(reader.page)
    reader.page.keyboard.press("End")
    reader.plies(5)
    reader.page.keyboard.press("ArrowLeft")
    reader.plies(4)
    reader.page.locator('#moves [data-ply="2"]').click()
    reader.plies(2)
    expect(reader.page).to_have_url(re.compile("ply=2$"))
    reader.page.locator("#slider").fill("3")
    reader.plies(3)
    expect(reader.page.locator("#announce")).to_contain_text("Pb4. North to act")
    fen = reader.page.locator("#board .position").get_attribute("data-fen") or ""
    expect(reader.page.locator("#fen")).to_have_text(fen)
    asked = parse_qs(urlsplit(reader.page.locator("#analyse").get_attribute("href") or "").query)
    assert asked == {"variant": ["katruji"], "fen": [fen]}
    expect(reader.page.get_by_label("Back")).to_have_attribute("href", re.compile(r"\?ply=2$"))
    reader.page.keyboard.press("f")
    expect(reader.page.locator("#board .position")).to_have_attribute("data-below", "second")
    expect(reader.page).to_have_url(re.compile("below=second"))
    reader.page.reload()
    reader.plies(3)


def test_a_step_without_an_answer_leaves_board_and_list_together(opened: Opened, game: str) -> None:
    reader = opened()
    reader.expected = ("ERR_FAILED",)
    reader.page.route("**/positions?*", lambda route: route.abort())
    reader.go(game)
    reader.page.keyboard.press("ArrowLeft")
    expect(reader.page.locator("#announce")).to_have_text("No answer. Try again.")
    reader.plies(5)
    assert "Pb5" in current(reader.page)
    expect(reader.page.locator("#slider")).to_have_value("5")
    reader.page.unroute("**/positions?*")
    reader.page.keyboard.press("ArrowLeft")
    reader.plies(4)


def test_it_is_replayed_without_scripts_too(opened: Opened, game: str) -> None:
    reader = opened(java_script_enabled=False)
    # Without scripts, nothing uses the data of the board.
    reader.expected = ("was preloaded",)
    reader.go(game)
    reader.page.get_by_label("Back").click()
    reader.plies(4)
    reader.page.locator('#moves [data-ply="1"]').click()
    reader.plies(1)


def test_who_watches_sees_each_action_and_who_looks_back_is_left_there(
    opened: Opened, server: WebServer, scribe: NewPlayer, game: str
) -> None:
    watching, looking_back = opened(), opened()
    for reader in (watching, looking_back):
        reader.go(game)
        expect(reader.page.locator("#connection")).to_have_text("live")
    looking_back.page.locator('#moves [data-ply="2"]').click()
    looking_back.plies(2)
    post(server, f"{game}/actions", {"action": "Obb8"}, scribe)
    watching.plies(6)
    expect(watching.page.locator("#announce")).to_contain_text("Obb8. South to act")
    expect(looking_back.page.locator("#moves")).to_contain_text("Obb8")
    looking_back.plies(2)


def replace_last(server: WebServer, game: str, scribe: NewPlayer) -> None:
    """Take two actions of a game back and play three others."""
    post(server, f"{game}/commands", {"type": "retract", "plies": 2}, scribe)
    for action in ("Pc5", "Pd5", "Sd1"):
        post(server, f"{game}/actions", {"action": action}, scribe)


def find_fen(server: WebServer, game: str, ply: int) -> str:
    """The FEN of a position of a game."""
    path = f"{server.url}/api/v1{game}/positions"
    told = requests.get(path, params={"from": ply, "limit": 1}, timeout=SILENCE).json()
    return str(told["items"][0]["fen"])


@pytest.mark.parametrize("looks_back", [False, True])
def test_what_was_taken_back_unseen_is_shown_nowhere(
    opened: Opened, server: WebServer, scribe: NewPlayer, game: str, looks_back: bool
) -> None:
    """Even if the reader was looking at it."""
    reader = opened()
    post(server, f"{game}/actions", {"action": "Obb8"}, scribe)
    reader.go(game)
    expect(reader.page.locator("#connection")).to_have_text("live")
    reader.page.keyboard.press("ArrowLeft")
    reader.plies(5)
    if not looks_back:
        reader.page.keyboard.press("End")
        reader.plies(6)
    reader.look_away()
    replace_last(server, game, scribe)
    reader.look_away(False)
    board = reader.page.locator("#board .position")
    expect(reader.page.locator("#moves")).to_contain_text("Sd1")
    expect(reader.page.locator("#moves")).not_to_contain_text("Obb8")
    if not looks_back:
        reader.plies(7)
        for ply in (6, 5):
            reader.page.keyboard.press("ArrowLeft")
            reader.plies(ply)
    expect(board).to_have_attribute("data-fen", find_fen(server, game, 5))
    reader.page.keyboard.press("ArrowRight")
    expect(board).to_have_attribute("data-fen", find_fen(server, game, 6))


def test_a_connection_is_kept_only_where_somebody_sees_what_may_come(
    opened: Opened, server: WebServer, scribe: NewPlayer, game: str
) -> None:
    reader = opened()

    def given_up() -> AbstractContextManager[object]:
        return reader.page.expect_event("requestfailed", lambda one: "/stream?" in one.url)

    reader.go(game)
    expect(reader.page.locator("#connection")).to_have_text("live")
    with given_up():
        reader.look_away()
    post(server, f"{game}/actions", {"action": "Obb8"}, scribe)
    reader.look_away(False)
    reader.plies(6)
    with given_up():
        post(server, f"{game}/commands", {"type": "resign", "side": "first"}, scribe)
    expect(reader.page.locator(".result")).to_have_text("0-1")
    with given_up():
        reader.page.reload()


def test_what_is_chosen_stays_chosen_while_other_things_happen(
    opened: Opened, server: WebServer
) -> None:
    reader = opened("Scribe")
    assert reader.player is not None
    seats = {"first": {"name": "Ada"}, "second": {"name": "Brahim"}}
    wish = {"variant": "katruji", "mode": "scribe", "players": seats}
    game = f"/games/{post(server, '/games', wish, reader.player).json()['id']}"
    reader.go(game)
    expect(reader.page.locator("#connection")).to_have_text("live")
    reader.cell("b3").click()
    hints = reader.page.locator("#board .hint").count()
    assert hints
    post(server, f"{game}/commands", {"type": "offer-draw", "side": "second"}, reader.player)
    expect(reader.page.locator(".offer")).to_have_text("North offers a draw.")
    expect(reader.page.locator("#board .hint")).to_have_count(hints)
    reader.cell("c4").click()
    reader.plies(1)
    expect(reader.page.locator("#board .hint")).to_have_count(0)


def test_an_answer_that_was_overtaken_is_not_shown(
    opened: Opened, server: WebServer, scribe: NewPlayer, game: str
) -> None:
    reader = opened()
    reader.go(game)
    expect(reader.page.locator("#connection")).to_have_text("live")
    old = reader.page.content()
    post(server, f"{game}/actions", {"action": "Obb8"}, scribe)
    reader.plies(6)
    module = "new URL('page.js', document.querySelector('script[data-modules]').src)"
    reader.page.evaluate(f"async (old) => (await import({module})).show(old)", old)
    assert reader.page.locator("#board .position").get_attribute("data-ply") == "6"


def test_after_the_end_nothing_is_called_live(
    opened: Opened, server: WebServer, scribe: NewPlayer, game: str
) -> None:
    reader = opened()
    reader.go(game)
    expect(reader.page.locator("#connection")).to_have_text("live")
    post(server, f"{game}/commands", {"type": "resign", "side": "first"}, scribe)
    expect(reader.page.locator(".result")).to_have_text("0-1")
    expect(reader.page.locator("#connection")).to_be_empty()
    expect(reader.page.locator(".turn")).to_have_text("North has won: resignation")
    with reader.page.expect_response("**/stream*"):
        reader.page.reload()
    expect(reader.page.locator("#connection")).not_to_have_text("live")


def test_the_list_shows_the_action_of_the_position_on_small_screens_too(
    opened: Opened, server: WebServer, scribe: NewPlayer, game: str
) -> None:
    for action in ("Sb8", "Sd1", "Sa8", "Sc1") * 8:
        post(server, f"{game}/actions", {"action": action}, scribe)
    reader = opened(viewport={"width": 360, "height": 740})
    for ply in (25, 3, 37):
        reader.go(f"{game}?ply={ply}")
        reader.page.wait_for_function(SHOWN_IN_LIST)
    reader.page.set_viewport_size({"width": 800, "height": 740})
    reader.page.wait_for_function(SHOWN_IN_LIST)


def test_a_page_outlives_the_service_and_misses_nothing(
    opened: Opened, server: WebServer, scribe: NewPlayer, game: str
) -> None:
    reader = opened()
    reader.expected = ("net::ERR_",)
    reader.go(game)
    expect(reader.page.locator("#connection")).to_have_text("live")
    with server.away():
        expect(reader.page.locator("#connection")).to_have_text("reconnecting…")
        actor = Actor(scribe.id, frozenset({"play"}))
        server.service.games.execute(game.split("/")[2], PlayAction(token="Obb8"), actor)
    reader.plies(6)
    expect(reader.page.locator("#connection")).to_have_text("live")
    play_on(server, scribe, game, reader)


def play_on(server: WebServer, scribe: NewPlayer, game: str, reader: Reader) -> None:
    """Play on, and check that the page follows."""
    post(server, f"{game}/actions", {"action": "Pd3"}, scribe)
    reader.plies(7)


def test_the_log_is_checked_in_the_browser(opened: Opened, game: str) -> None:
    reader = opened()
    reader.go(game)
    reader.page.get_by_text("Record and verification").click()
    reader.press("Check the log in this browser")
    expect(reader.page.locator("#verified")).to_contain_text("Checked: 6 events, an unbroken chain")


def test_a_log_that_was_changed_on_the_way_is_found_out(opened: Opened, game: str) -> None:
    reader = opened()

    def change(route: Route) -> None:
        route.fulfill(body=route.fetch().text().replace('"san":"Pb4"', '"san":"Pb3"'))

    reader.page.route("**/events", change)
    reader.go(game)
    reader.page.get_by_text("Record and verification").click()
    reader.press("Check the log in this browser")
    expect(reader.page.locator("#verified")).to_contain_text("Broken before event 5")


def test_a_record_is_downloaded(opened: Opened, game: str) -> None:
    reader = opened()
    reader.go(game)
    reader.page.get_by_text("Record and verification").click()
    with reader.page.expect_download() as told:
        reader.page.get_by_text("Record (PGN)").click()
    refusal = {"title": "Too many requests", "detail": "Wait a while.", "status": 429}
    reader.expected = ("429",)
    reader.page.route(f"**{game}", lambda route: route.fulfill(status=429, json=refusal))
    reader.page.get_by_text("Record (PGN)").click()
    expect(reader.page.locator("#verified")).to_have_text("Not downloaded: Wait a while.")
    text = told.value.path().read_text()
    assert '[South "Ada"]' in text
    assert "RecordSignature" in text


def test_the_first_page_finds_open_games_behind_finished_ones(
    opened: Opened, server: WebServer, scribe: NewPlayer, game: str
) -> None:
    reader = opened("Ada")
    ada = reader.player
    assert ada is not None
    open_game = running(server, ada, scribe)
    for _ in range(13):
        post(server, f"{running(server, ada, scribe)}/commands", {"type": "resign"}, ada)
    server.catch_up()
    reader.go("/")
    own = reader.page.locator("#yours")
    expect(own.locator(f'a[href="{open_game}"]').first).to_be_visible()
    reader = opened(player=scribe)
    reader.go("/")
    kept = reader.page.get_by_label("Games you keep score for")
    expect(kept.locator(f'a[href="{game}"]')).to_have_count(1)
    expect(kept.locator(f'a[href="{open_game}"]')).to_have_count(0)


def test_an_endless_word_leaves_the_list_on_the_screen(
    opened: Opened, server: WebServer, scribe: NewPlayer
) -> None:
    post(server, "/games", {"variant": "katruji", "tags": {"Event": "x" * 500}}, scribe)
    reader = opened()
    listed = reader.page.locator("#open .challenges")

    def is_listed() -> bool:
        reader.go("/")
        return listed.count() == 1

    eventually(is_listed, "the challenge is listed")
    assert listed.evaluate("list => list.scrollWidth <= list.clientWidth")
