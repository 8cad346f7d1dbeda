"""A name of 100 letters widens no page, and a page shows whether it is online."""

from __future__ import annotations

from typing import Any

import pytest
import requests
from playwright.sync_api import expect

from service.ids import new_id
from tests.pages.conftest import Opened
from tests.pages.reader import Reader
from tests.pages.test_asking import SHAPES
from tests.pages.test_board import PHONE
from tests.service.api.live import SILENCE, bearer, post, running
from tests.service.projection.support import create, end, play
from tests.service.web_server import WebServer

LONG = "W" * 100
WIDTH = "[document.documentElement.scrollWidth, innerWidth]"


@SHAPES
def test_a_long_name_widens_no_page(
    opened: Opened, server: WebServer, shape: dict[str, Any]
) -> None:
    reader = opened(LONG, **shape)
    other = server.service.players.register(LONG, None)
    assert reader.player is not None
    game = running(server, reader.player, other)
    post(server, "/games", {"variant": "kerd", "tags": {"Event": LONG}}, other)
    server.catch_up()
    width = shape["viewport"]["width"]
    paths = [game, "/", "/games", "/players", f"/players/{other.id}", "/tournaments", "/games/new"]
    paths += [f"/players/{other.id}/opponents", f"/players/{other.id}/against/{reader.player.id}"]
    found = []
    for path in paths:
        reader.go(path)
        reader.page.evaluate(
            "for (const one of document.querySelectorAll('details')) one.open = true"
        )
        found.append((path, *reader.page.evaluate(WIDTH)))
    assert found == [(path, width, width) for path in paths]


def test_a_phone_has_all_pieces_in_hand_in_sight(opened: Opened, server: WebServer) -> None:
    reader = opened("Ada", **PHONE)
    assert reader.player is not None
    other = server.service.players.register("Brahim", None)
    reader.go(running(server, reader.player, other, "kerak"))
    held = reader.page.locator("button.held")
    expect(held).to_have_count(6)
    rights = held.evaluate_all("all => all.map((one) => one.getBoundingClientRect().right)")
    width, wide = reader.page.evaluate(WIDTH)
    assert max(rights) <= width == wide


@pytest.mark.parametrize(
    ("width", "height"),
    [
        *((390, 780), (700, 900), (1024, 700), (1280, 650), (1366, 650), (1920, 950)),
        # Phones on their side.
        *((667, 375), (844, 390)),
    ],
)
@pytest.mark.parametrize("path", ["", "/analysis?variant=kerak", "/explorer?variant=kerak"])
def test_a_window_shows_the_board_with_both_hands_and_every_piece_in_them(
    opened: Opened, server: WebServer, path: str, width: int, height: int
) -> None:
    reader = opened("Margarethe Schmidt-Hohenfels", viewport={"width": width, "height": height})
    assert reader.player is not None
    other = server.service.players.register("Brahim", None)
    reader.go(path or running(server, reader.player, other, "kerak"))
    pieces = reader.page.locator(".playing .beside .hand .held")
    expect(pieces).to_have_count(12)
    for piece in pieces.all():
        expect(piece).to_be_in_viewport(ratio=1)
    for place in (".playing .frame svg", ".playing .turn", ".playing .seat-bar >> nth=1"):
        expect(reader.page.locator(place)).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("width", [390, 700, 960, 1280])
def test_a_scroll_bar_moves_no_board_out_of_its_column(
    opened: Opened, server: WebServer, width: int
) -> None:
    reader = opened("Ada", viewport={"width": width, "height": 800})
    assert reader.player is not None
    other = server.service.players.register("Brahim", None)
    reader.go(running(server, reader.player, other))
    bar = reader.page.locator(".playing .seat-bar >> nth=0")
    expect(bar).to_be_visible()
    # Chromium's scroll bars have no width here.
    left, right, widest = reader.page.evaluate(
        """() => {
          document.body.style.marginRight = "15px";
          const edges = (of) => document.querySelector(of).getBoundingClientRect();
          const [board, column] = [edges(".playing .position"), edges(".playing #board")];
          return [board.left - column.left, column.right - board.right, board.width];
        }"""
    )
    assert left >= 0
    assert right >= 0
    assert widest >= min(384, width - 15 - 24)


def test_a_print_has_no_navigation_of_the_site(opened: Opened, server: WebServer) -> None:
    """In Firefox, the header had a sheet of its own if the board did not fit below it."""
    reader = opened("Ada")
    assert reader.player is not None
    other = server.service.players.register("Brahim", None)
    reader.page.emulate_media(media="print")
    for path in (running(server, reader.player, other), "/rules/kerak", "/tournaments"):
        reader.go(path)
        expect(reader.page.locator("main")).to_be_visible()
        for part in ("header.site", "footer.site", ".skip"):
            expect(reader.page.locator(part)).to_be_hidden()


def header_height(reader: Reader) -> float:
    """In pixels."""
    header = reader.page.locator("header.site").bounding_box()
    assert header is not None
    return header["height"]


@pytest.mark.parametrize("path", ["/", "/games/new", "/puzzles"])
def test_the_header_is_one_row_on_a_laptop(opened: Opened, path: str) -> None:
    reader = opened("Margarethe Schmidt-Hohenfels", viewport={"width": 1366, "height": 650})
    reader.go(path)
    assert header_height(reader) < 65
    expect(reader.page.get_by_role("button", name="Sign out")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize(
    ("width", "rows"), [(1280, 1), (1180, 1), (1024, 2), (820, 2), (768, 2), (390, 3)]
)
def test_the_header_of_a_narrow_page_takes_few_rows(opened: Opened, width: int, rows: int) -> None:
    reader = opened("Margarethe Schmidt-Hohenfels", viewport={"width": width, "height": 800})
    reader.go("/players")
    assert header_height(reader) < 65 + 40 * (rows - 1)
    reader.press("More")
    reader.send("Sign out")
    expect(reader.page.locator("#who")).to_have_text("Sign in")


def test_a_phone_shows_the_name_of_who_is_signed_in(opened: Opened) -> None:
    reader = opened("Margarethe", **PHONE)
    reader.go("/")
    name = reader.page.locator("#who > a").first
    expect(name).to_have_text("Margarethe")
    width, wide = name.evaluate("(one) => [one.clientWidth, one.scrollWidth]")
    assert width == wide


@pytest.mark.parametrize(("width", "seen"), [(1920, True), (1100, False)])
def test_a_board_leaves_the_search_field_its_room_in_a_wide_window(
    opened: Opened, width: int, seen: bool
) -> None:
    reader = opened("Margarethe", viewport={"width": width, "height": 900})
    reader.go("/analysis?variant=kerak")
    expect(reader.page.locator("header .seek input")).to_be_visible(visible=seen)
    expect(reader.page.locator("header .seek-link")).to_be_visible(visible=not seen)


@pytest.mark.parametrize(
    ("width", "path", "stacked"),
    [
        (360, "/games", True),
        (360, "/explorer?variant=katruji", True),
        (1000, "/games", False),
        (1000, "/explorer?variant=katruji", True),
    ],
)
def test_a_listed_game_is_told_below_its_players_where_columns_have_no_room(
    opened: Opened, server: WebServer, width: int, path: str, stacked: bool
) -> None:
    """On a phone, and beside the explorer's board."""
    games = server.service.games
    ada, brahim = (server.service.players.unclaimed(name, "admin") for name in ("Ada", "Brahim"))
    id = new_id()
    create(games, id, ada, brahim)
    play(games, id, 2)
    end(games, id, "1-0")
    server.catch_up()
    reader = opened(viewport={"width": width, "height": 800})
    reader.go(path)
    row = reader.page.locator(".games tbody tr", has_text="Brahim").first
    places = [row.bounding_box(), *(row.locator("td").nth(at).bounding_box() for at in range(3))]
    whole, told, names, result = (place for place in places if place is not None)
    assert names["x"] + names["width"] <= result["x"]
    assert (told["width"] == whole["width"]) is stacked
    assert (told["y"] >= names["y"] + names["height"]) is stacked


def test_a_game_on_a_phone_leads_to_the_account_and_signs_out(
    opened: Opened, server: WebServer
) -> None:
    reader = opened("Ada", **PHONE)
    assert reader.player is not None
    other = server.service.players.register("Brahim", None)
    reader.go(running(server, reader.player, other))
    account = reader.page.get_by_role("link", name="Account")
    expect(account).to_be_hidden()
    reader.press("More")
    expect(account).to_be_in_viewport()
    reader.send("Sign out")
    expect(reader.page.locator("#who")).to_have_text("Sign in")


def test_a_guest_keeps_their_games_from_a_game_on_a_phone(
    opened: Opened, server: WebServer
) -> None:
    reader, other = opened(**PHONE), server.service.players.register("Brahim", None)
    path = f"/games/{post(server, '/games', {'variant': 'katruji'}, other).json()['id']}"
    reader.go(f"/sign-in?next={path}")
    reader.send("Play as a guest")
    reader.press("More")
    reader.page.get_by_role("link", name="Keep my games").tap()
    reader.page.wait_for_url("**/register")


@SHAPES
def test_registering_a_long_name_widens_no_page(
    opened: Opened, server: WebServer, shape: dict[str, Any]
) -> None:
    reader = opened(**shape)
    reader.go("/sign-in")
    reader.page.locator('input[name="name"]').fill(LONG)
    reader.press("Register")
    expect(reader.page.get_by_role("heading", name="Welcome")).to_be_visible()
    reader.page.wait_for_load_state("load")
    width = shape["viewport"]["width"]
    assert reader.page.evaluate(WIDTH) == [width, width]


def test_being_offline_is_told_until_one_is_back(opened: Opened, server: WebServer) -> None:
    reader = opened("Ada")
    reader.expected = ("ERR_INTERNET_DISCONNECTED",)
    assert reader.player is not None
    other = server.service.players.register("Brahim", None)
    reader.go(running(server, reader.player, other))
    told = reader.page.locator("#connection")
    expect(told).to_have_text("live")
    expect(told).to_have_attribute("title", "This page updates by itself.")
    reader.offline(True)
    expect(told).to_have_text("You are offline. The page continues when you are back online.")
    expect(told).to_have_attribute("title", "")
    reader.page.get_by_label("Your action").fill("Pc4")
    reader.press("Play")
    expect(told).to_have_text("no answer; try again")
    expect(reader.page.get_by_label("Your action")).to_have_value("Pc4")
    reader.offline(False)
    expect(told).to_have_text("live")
    reader.press("Play")
    reader.plies(1)
    expect(told).to_have_text("live")


def test_the_menu_stays_open_while_the_game_goes_on(opened: Opened, server: WebServer) -> None:
    reader, other = opened("Ada", **PHONE), server.service.players.register("Brahim", None)
    assert reader.player is not None
    path = running(server, reader.player, other)
    reader.go(path)
    expect(reader.page.locator("#connection")).to_have_text("live")
    reader.press("More")
    account = reader.page.get_by_role("link", name="Account")
    expect(account).to_be_visible()
    post(server, f"{path}/commands", {"type": "offer-draw"}, other)
    expect(reader.page.locator(".offer")).to_have_text("North offers a draw.")
    expect(account).to_be_visible()
    # Its form still works.
    reader.send("Sign out")
    expect(reader.page.locator("#who")).to_contain_text("Sign in")


def test_a_token_revoked_meanwhile_is_told_without_being_asked(
    opened: Opened, server: WebServer
) -> None:
    reader = opened("Ada")
    reader.expected = ("401",)
    player = reader.player
    assert player is not None
    reader.go(running(server, player, server.service.players.register("Brahim", None)))
    expect(reader.page.locator("#connection")).to_have_text("live")
    path = f"/players/{player.id}/tokens/{player.token.token.id}"
    gone = requests.delete(f"{server.url}/api/v1{path}", headers=bearer(player), timeout=SILENCE)
    assert gone.status_code == 204
    reader.look_away()
    reader.look_away(False)
    expect(reader.page.locator("#who")).to_contain_text("Sign in")
    expect(reader.page.locator("#act")).to_have_count(0)
    expect(reader.page.locator("#connection")).to_have_text("live")
