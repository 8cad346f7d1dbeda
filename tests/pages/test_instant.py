"""The reader's own action shows before its answer, and everything else comes by one stream."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.pages import hands
from tests.pages.conftest import Opened
from tests.pages.places import astray
from tests.pages.reader import Reader
from tests.pages.test_board import DESK, PHONE
from tests.pages.test_playing import CHOICES, begun
from tests.pages.test_refusals import scribed
from tests.pages.test_steady import MOVED
from tests.service.api.live import post, running
from tests.service.web_server import WebServer

ACTIONS = "**/actions?*"
STREAMS = re.compile("/(boards/stream|games/.*/stream)")


def live(reader: Reader) -> None:
    """Wait until the page follows its game, with its own board."""
    expect(reader.page.locator("#connection")).to_have_text("live")


def stands(reader: Reader, cell: str) -> None:
    """Wait until there is a piece on a cell."""
    expect(reader.page.locator(f'#board [data-piece][data-on="{cell}"]')).to_have_count(1)


def test_an_action_is_on_the_board_before_its_answer(opened: Opened, server: WebServer) -> None:
    reader = scribed(opened, server, variant="katruji")
    live(reader)
    held: list[Route] = []
    reader.page.route(ACTIONS, lambda route: held.append(route))
    with reader.page.expect_request(ACTIONS):
        hands.click(reader, "c3", "d4")
    reader.plies(1)
    stands(reader, "d4")
    expect(reader.page.locator("#moves li a")).to_have_count(0)
    held[0].continue_()
    expect(reader.page.locator("#moves li a")).to_have_count(1)
    assert astray(reader, "katruji", "first", set()) == []


SAY_ALIVE = """() => streams.at(-1).dispatchEvent(new MessageEvent("alive", { data: "{}" }))"""
KEEP_STREAMS = """
  window.streams = [];
  const Own = EventSource;
  window.EventSource = class extends Own {
    constructor(...given) {
      super(...given);
      streams.push(this);
    }
  };
"""


@pytest.mark.parametrize("path", ["/games/{id}", "/embed/games/{id}", "/"])
def test_a_stream_that_falls_silent_is_opened_again(
    opened: Opened, server: WebServer, path: str
) -> None:
    """A browser waits for many minutes when a connection has died without a word."""
    ada, brahim = (server.service.players.register(name, None) for name in ("Ada", "Brahim"))
    game = running(server, ada, brahim).removeprefix("/games/")
    reader = opened(player=None if "embed" in path else ada)
    page = reader.page
    page.clock.install()
    page.add_init_script(KEEP_STREAMS)
    with page.expect_request(STREAMS):
        reader.go(path.format(id=game))
    for _ in range(3):
        page.clock.run_for(30_000)
        page.evaluate(SAY_ALIVE)
    before = page.evaluate("streams.length")
    with page.expect_request(STREAMS):
        page.clock.run_for(41_000)
    assert page.evaluate("streams.length") == before + 1
    post(server, f"/games/{game}/actions", {"action": "Pd1"}, ada)
    expect(page.locator('[data-piece][data-on="d1"]').first).to_have_count(1)


def test_a_refused_action_goes_back_with_the_reason(opened: Opened, server: WebServer) -> None:
    """Meanwhile the side has acted elsewhere, and the page has not heard of it yet."""
    reader = scribed(opened, server, variant="katruji")
    reader.expected = ("409",)
    assert reader.player is not None
    live(reader)
    game = reader.page.url.removeprefix(server.url)
    reader.look_away()
    post(server, f"{game}/actions", {"action": "Pd1"}, reader.player)
    hands.drag(reader, "c3", "d4")
    expect(reader.page.locator("#problem .problem")).to_have_text(
        "The game has moved on. Look at what has changed, then try again."
    )
    expect(reader.page.locator("#announce")).to_contain_text("The game has moved on")
    reader.plies(0)
    assert astray(reader, "katruji", "first", set()) == []
    reader.look_away(False)
    expect(reader.page.locator("#moves li a")).to_have_text("1. Pd1")
    hands.drag(reader, "b6", "a5")
    reader.plies(2)
    expect(reader.page.locator("#problem .problem")).to_have_count(0)


def test_an_offer_that_comes_meanwhile_does_not_take_an_action_back(
    opened: Opened, server: WebServer
) -> None:
    reader = scribed(opened, server, variant="katruji")
    assert reader.player is not None
    live(reader)
    game = reader.page.url.removeprefix(server.url)
    reader.look_away()
    post(server, f"{game}/commands", {"type": "offer-draw", "side": "second"}, reader.player)
    hands.drag(reader, "c3", "d4")
    reader.plies(1)
    reader.look_away(False)
    expect(reader.page.locator("#moves li a")).to_have_text("1. Pd4")
    expect(reader.page.locator("#problem .problem")).to_have_count(0)


def test_a_ply_is_one_message_and_no_page(opened: Opened) -> None:
    players = begun(opened, "katruji")
    for player in players:
        live(player)
        expect(player.page.locator("#act")).to_be_attached()
    for ply, (start, end) in enumerate([("c3", "d4"), ("b6", "a5")]):
        players[ply].plies(ply)
        players[ply].cell(start).click()
        players[ply].cell(end).click()
        for player in players:
            player.plies(ply + 1)
            expect(player.page.locator("#moves li a")).to_have_count(ply + 1)
    asked: list[list[str]] = [[], []]
    messages: list[list[int]] = [[], []]
    for player, own, heard in zip(players, asked, messages, strict=True):
        watch(player, own, heard)
    hands.click(players[0], "b3", "a4")
    for player in players:
        player.plies(3)
        expect(player.page.locator("#moves li a")).to_have_count(3)
    # Deferred requests would have been sent by now.
    for player in players:
        player.page.evaluate("new Promise((done) => setTimeout(done, 300))")
    assert [len(one) for one in messages] == [1, 1]
    # Replay positions are requested when idle, and the icon by the tab.
    beside = re.compile(r"/positions\?|/icon")
    needed = [[one for one in own if not beside.search(one)] for own in asked]
    assert [one.partition("?")[0] for one in needed[0]] == [
        f"POST {players[0].page.url.partition('?')[0]}/actions"
    ]
    assert needed[1] == []


def watch(reader: Reader, asked: list[str], heard: list[int]) -> None:
    """Note the page's requests from now on, and the size of each message about its board."""

    def note(told: dict[str, str]) -> None:
        if told["eventName"] == "board":
            heard.append(len(told["data"]))

    reader.page.on("request", lambda one: asked.append(f"{one.method} {one.url}"))
    session = reader.page.context.new_cdp_session(reader.page)
    session.send("Network.enable")
    session.on("Network.eventSourceMessageReceived", note)


@pytest.mark.parametrize("shape", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("variant", ["katruji", "kerak", "kerd"])
def test_nothing_moves_on_the_page(
    opened: Opened, server: WebServer, variant: str, shape: dict[str, Any]
) -> None:
    """Not while it loads, nor while it is played on, nor while it is replayed."""
    reader = (
        scribed(opened, server, shape, variant=variant, infiltrators="none")
        if variant == "kerd"
        else scribed(opened, server, shape, variant=variant)
    )
    live(reader)
    for ply in range(4):
        reader.plies(ply)
        field = reader.page.get_by_label("Your action")
        expect(reader.page.locator("#legal option").first).to_be_attached()
        field.fill(reader.page.locator("#legal option").first.get_attribute("value") or "")
        field.press("Enter")
        expect(reader.page.locator("#moves li a")).to_have_count(ply + 1)
    for key in ("ArrowLeft", "Home", "End"):
        reader.page.locator("#replay").click(position={"x": 1, "y": 1}, force=True)
        reader.page.keyboard.press(key)
    reader.plies(4)
    assert reader.page.evaluate(MOVED) == []


@pytest.mark.parametrize("shape", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("variant", ["katruji", "kerak", "kerd"])
def test_nothing_moves_as_the_turn_changes(
    opened: Opened, server: WebServer, variant: str, shape: dict[str, Any]
) -> None:
    """Whatever text appears above it, the board keeps its place, for both players."""
    first, second = begun(opened, variant, (shape, shape))
    if variant == "kerd":
        for player, square in zip((first, second), CHOICES[variant], strict=True):
            expect(player.page.locator("#board .hint")).to_have_count(20)
            player.cell(square).click()
            player.press("Choose in secret")
            expect(player.page.locator(".choices")).to_contain_text(f": {square}")
    places: list[list[Any]] = []
    for ply, action in enumerate(FIRST_ACTIONS[variant]):
        for player in (first, second):
            player.plies(ply)
        mover, other = (first, second) if ply % 2 == 0 else (second, first)
        expect(mover.page.locator(".whose")).to_have_text("Your turn")
        expect(mover.page.locator(".task")).to_contain_text("Choose a piece")
        expect(other.page.locator(".whose")).to_contain_text("to act")
        expect(other.page.locator(".task")).to_contain_text("plan")
        places += [player.page.evaluate(PLACED) for player in (first, second)]
        mover.play(action)
    first.page.evaluate(LENGTHENED)
    places.append(first.page.evaluate(PLACED))
    assert places == [places[0]] * len(places)


FIRST_ACTIONS = {
    "katruji": ("c3d4", "b6a5"),
    "kerak": ("I@c3", "I@d9"),
    "kerd": ("h2h3", "i11i10"),
}
PLACED = """() => [".turn", ".frame", ".panel"].map((name) => {
  const box = document.querySelector(`.playing ${name}`).getBoundingClientRect();
  return [box.x, box.y + scrollY, box.width].map(Math.round);
})"""
LENGTHENED = """() => {
  for (const one of document.querySelectorAll(".turn .whose, .turn .task")) {
    one.textContent = `${one.textContent} `.repeat(4);
  }
}"""
