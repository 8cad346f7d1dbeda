"""Live boards on the first page, in the lobby and on a tournament's wall."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import cycle
from math import dist
from random import Random
from typing import Any

import pytest
import requests
from playwright.sync_api import Locator, expect

from service.boards.registry import find_board
from service.boards.scene import place_letters
from service.player.repository import NewPlayer
from tests.pages.conftest import Opened
from tests.pages.places import NEAR
from tests.pages.reader import Reader
from tests.pages.test_board import DESK, PHONE
from tests.service.api.live import SILENCE, bearer, post, running
from tests.service.web_server import WebServer

SHAPES = pytest.mark.parametrize("shape", [DESK, PHONE], ids=["desk", "phone"])
VARIANTS = ("katruji", "kerak", "kerd")
PLACES = """(one) => {
  const middle = (part) => {
    const box = part.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const all = (name, key) =>
    [...one.querySelectorAll(`[data-${name}]`)].map((part) => [part.dataset[key], middle(part)]);
  return { fen: one.dataset.fen, cells: all("cell", "cell"), pieces: all("piece", "on") };
}"""
WATCH_SHIFTS = """
  window.shifts = [];
  const place = ({x, y, width, height}) => [x, y, width, height].map(Math.round).join(" ");
  const name = ({node, previousRect, currentRect}) =>
    [node?.outerHTML ?? node?.data ?? "gone", place(previousRect), place(currentRect)];
  const note = (one) => one.hadRecentInput || window.shifts.push(...one.sources.map(name));
  const add = (list) => list.getEntries().forEach(note);
  new PerformanceObserver(add).observe({type: "layout-shift", buffered: true});
"""


@pytest.fixture
def players(server: WebServer) -> Sequence[NewPlayer]:
    """Two players who play each other."""
    found = [server.service.players.register(name, None) for name in ("Ada", "Brahim")]
    server.catch_up()
    return found


def begin(server: WebServer, players: Sequence[NewPlayer], variant: str, **terms: Any) -> str:
    """Begin a game between the players and return its id."""
    first, second = players
    terms |= {"infiltrators": "none"} if variant == "kerd" else {}
    path = running(server, first, second, variant, **terms)
    server.catch_up()
    return path.removeprefix("/games/")


def play(server: WebServer, players: Sequence[NewPlayer], game: str, seed: int = 0) -> int:
    """Play a random action for the side to act; returns the new number of actions."""
    path = f"{server.url}/api/v1/games/{game}"
    state = requests.get(path, timeout=SILENCE).json()
    by = players[("first", "second").index(state["to_act"])]
    legal = requests.get(f"{path}/legal", headers=bearer(by), timeout=SILENCE).json()["actions"]
    quiet = [one["action"] for one in legal if one["kind"] != "deed"]
    post(server, f"/games/{game}/actions", {"action": Random(seed).choice(quiet)}, by)
    return int(state["ply"]) + 1


def watch_shifts(reader: Reader) -> None:
    reader.page.add_init_script(WATCH_SHIFTS)


def board_of(reader: Reader, game: str) -> Locator:
    """A game's board, once scripts have drawn it."""
    board = reader.page.locator(f'[data-board][data-of="{game}"]').first
    board.scroll_into_view_if_needed()
    expect(board.locator("svg [data-cell]").first).to_be_attached()
    return board


def expect_in_place(board: Locator, variant: str, below: str) -> None:
    """Check that each piece is centred on its cell, and the side `below` is at the bottom."""
    seen = board.evaluate(PLACES)
    cells, drawn = dict(seen["cells"]), find_board(variant)
    assert {name for name, _ in seen["pieces"]} == set(place_letters(drawn, seen["fen"]))
    assert [name for name, middle in seen["pieces"] if dist(middle, cells[name]) > NEAR] == []
    top, bottom = drawn.rows[0][0].name, drawn.rows[-1][0].name
    assert (cells[top][1] < cells[bottom][1]) == (below == "first")


def expect_ply(board: Locator, ply: int) -> None:
    expect(board).to_have_attribute("data-ply", str(ply))


@SHAPES
def test_the_first_page_shows_the_games_being_played_as_they_go_on(
    opened: Opened, server: WebServer, players: Sequence[NewPlayer], shape: dict[str, Any]
) -> None:
    games = {variant: begin(server, players, variant, time_control="600+5") for variant in VARIANTS}
    reader = opened(**shape)
    watch_shifts(reader)
    reader.go("/")
    for variant, game in games.items():
        board = board_of(reader, game)
        expect_in_place(board, variant, "first")
        ply = play(server, players, game)
        expect_ply(board, ply)
        expect(board.locator("svg .layer-last *").first).to_be_attached()
        expect_in_place(board, variant, "first")
        around = reader.page.locator(f'[data-game="{game}"]').first
        expect(around.locator(".turn-of")).to_have_text(re.compile("Brahim.* to act"))
        expect(around.locator('[data-seat="second"]')).to_have_class(re.compile("awaited"))
        expect(around.locator(".plies")).to_have_text("1 action")
    play(server, players, games["kerak"])
    running = reader.page.locator(f'[data-game="{games["kerak"]}"] [data-clock].running').first
    before = running.text_content()
    expect(running).not_to_have_text(before or "")
    assert reader.page.evaluate("window.shifts") == []
    board_of(reader, games["kerak"]).click()
    reader.page.wait_for_url(f"**/games/{games['kerak']}")


def test_a_game_that_ends_is_told_on_the_first_page(
    opened: Opened, server: WebServer, players: Sequence[NewPlayer]
) -> None:
    game = begin(server, players, "katruji")
    reader = opened()
    reader.go("/")
    board_of(reader, game)
    post(server, f"/games/{game}/commands", {"type": "resign"}, players[0])
    server.catch_up()
    around = reader.page.locator(f'[data-game="{game}"]').first
    expect(around).to_contain_text("resignation")


def test_clocks_go_on_when_their_list_is_shown_anew(opened: Opened, server: WebServer) -> None:
    reader, other = opened("Ada"), server.service.players.register("Brahim", None)
    assert reader.player is not None
    players = (reader.player, other)
    game = begin(server, players, "katruji", time_control="300")
    for seed in range(2):
        play(server, players, game, seed)
    reader.go("/")
    clock = reader.page.locator(f'[data-game="{game}"] [data-clock="first"]').first
    expect(clock).to_have_class(re.compile("running"))
    reader.page.wait_for_timeout(4000)
    before = clock.text_content()
    assert before is not None
    post(server, "/games", {"variant": "kerak", "opponent": reader.player.id}, other)
    expect(reader.page.get_by_text("Challenges to you")).to_be_visible()
    after = clock.text_content()
    assert after is not None
    assert after <= before


def test_own_games_are_seen_from_the_own_side(
    opened: Opened, server: WebServer, players: Sequence[NewPlayer]
) -> None:
    game = begin(server, players, "katruji")
    ply = play(server, players, game)
    server.catch_up()
    reader = opened(player=players[1])
    watch_shifts(reader)
    reader.go("/")
    card = reader.page.locator(f'.cards [data-game="{game}"]')
    board = board_of(reader, game)
    expect_ply(board, ply)
    expect_in_place(board, "katruji", "second")
    expect(card.locator(".turn-of")).to_have_text("Your turn")
    assert reader.page.evaluate("window.shifts") == []


def test_the_lobby_shows_games_being_played(
    opened: Opened, server: WebServer, players: Sequence[NewPlayer]
) -> None:
    game = begin(server, players, "kerak")
    reader = opened("Eve")
    watch_shifts(reader)
    reader.go("/lobby")
    board = board_of(reader, game)
    expect_ply(board, 0)
    expect_ply(board, play(server, players, game))
    expect_in_place(board, "kerak", "first")
    # A list that appears above leaves the boards untouched.
    board.evaluate("one => one.known = true")
    post(server, "/games", {"variant": "katruji", "side": "first"}, players[0])
    expect(reader.page.locator("#open [data-game]")).not_to_have_count(0)
    assert board_of(reader, game).evaluate("one => one.known")
    board_of(reader, game).click()
    reader.page.wait_for_url(f"**/games/{game}")


def test_a_page_of_many_boards_has_one_stream(
    opened: Opened, server: WebServer, players: Sequence[NewPlayer]
) -> None:
    games = [begin(server, players, variant) for _, variant in zip(range(5), cycle(VARIANTS))]
    reader = opened()
    asked: list[str] = []
    reader.page.on("request", lambda sent: asked.append(sent.url))
    reader.go("/lobby?variant=kerd")
    for game in games:
        board_of(reader, game)
        expect_ply(board_of(reader, game), play(server, players, game))
    assert len([url for url in asked if "/boards/stream" in url]) == 1
    assert not [url for url in asked if re.search("/games/.*/stream", url)]


def test_without_scripts_boards_are_pictures(
    opened: Opened, server: WebServer, players: Sequence[NewPlayer]
) -> None:
    game = begin(server, players, "katruji")
    reader = opened(java_script_enabled=False)
    reader.go("/lobby")
    picture = reader.page.locator(f'[data-board][data-of="{game}"] img')
    picture.scroll_into_view_if_needed()
    expect(picture).to_have_js_property("complete", True)
    assert picture.evaluate("one => one.naturalWidth") > 0
    picture.click()
    reader.page.wait_for_url(f"**/games/{game}")
