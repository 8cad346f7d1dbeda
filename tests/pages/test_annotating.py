"""Annotations on an open page: written, read by others, and shown along the game."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import APIResponse, Locator, Route, expect

from service.player.repository import NewPlayer
from tests.pages.conftest import Opened
from tests.pages.reader import Reader
from tests.pages.test_asking import SHAPES
from tests.pages.test_every_page import list_hindrances
from tests.pages.test_layout import WIDTH
from tests.service.api.live import post, running
from tests.service.web_server import WebServer

TYPED = "Pd2!{quieter}(Pc4 Sa8) Sa8"
SHOWN = "(1. Pd2! quieter (1. Pc4 Sa8) 1... Sa8)"


def over(server: WebServer, ada: NewPlayer, bo: NewPlayer) -> str:
    """Create a game that Bo resigns after three actions, and return its path."""
    wish = {"variant": "katruji", "side": "first", "opponent": bo.id}
    path = f"/games/{post(server, '/games', wish, ada).json()['id']}"
    post(server, f"{path}/commands", {"type": "accept"}, bo)
    for by, action in ((ada, "Sd1"), (bo, "Sa8"), (ada, "Pd2")):
        post(server, f"{path}/actions", {"action": action}, by)
    post(server, f"{path}/commands", {"type": "resign"}, bo)
    return path


def action(reader: Reader, ply: int) -> Locator:
    return reader.page.locator("#moves li").nth(ply - 1)


def field(reader: Reader, name: str) -> Locator:
    return reader.page.locator(f"#note [name={name}]")


def test_players_write_what_everybody_reads(opened: Opened, server: WebServer) -> None:
    ada, bo, stranger = opened("Ada"), opened("Bo"), opened()
    assert ada.player is not None
    assert bo.player is not None
    path = over(server, ada.player, bo.player)
    for reader in (ada, bo, stranger):
        reader.go(path)
    expect(stranger.page.locator("#annotate")).to_be_hidden()
    action(ada, 1).locator("a").click()
    ada.plies(1)
    ada.page.get_by_text("Annotate", exact=True).click()
    expect(ada.page.locator("#note")).to_contain_text("Action 1: 1. Sd1")
    field(ada, "comments").fill("too slow")
    field(ada, "nags").fill("?!")
    field(ada, "variations").fill(TYPED)
    ada.press("Save")
    expect(action(ada, 1)).to_have_text(f"1. Sd1?! too slow {SHOWN}")
    # The form stays open at that action, with the text in canonical form.
    ada.plies(1)
    expect(field(ada, "variations")).to_have_value("1. Pd2 $1 {quieter} (1. Pc4 Sa8) 1... Sa8")
    assert list(list_hindrances(ada)) == []
    for reader in (bo, stranger):
        reader.page.reload()
        expect(action(reader, 1)).to_have_text(f"1. Sd1?! too slow {SHOWN}")
    # An arrow key opens another action's form, without the unsent text.
    field(ada, "comments").fill("unsent")
    ada.page.locator("#heading").evaluate("document.activeElement.blur()")
    ada.page.keyboard.press("ArrowRight")
    ada.plies(2)
    expect(ada.page.locator("#note")).to_contain_text("Action 2: 1... Sa8")
    expect(field(ada, "comments")).to_have_value("")
    ada.page.keyboard.press("ArrowLeft")
    ada.plies(1)
    expect(field(ada, "comments")).to_have_value("too slow")
    for name in ("comments", "nags", "variations"):
        field(ada, name).fill("")
    ada.press("Save")
    expect(action(ada, 1)).to_have_text("1. Sd1")


@SHAPES
def test_long_annotations_widen_no_page(
    opened: Opened, server: WebServer, shape: dict[str, Any]
) -> None:
    ada = opened("Ada", **shape)
    assert ada.player is not None
    path = over(server, ada.player, server.service.players.register("Bo", None))
    long = "W" * 200
    note = {"comments": [long], "comments_before": [long], "nags": [1, 255]}
    body = {"type": "annotate", "ply": 1, "annotation": note}
    body["variations"] = [f"Pd2 {{{long}}} (Pc4 (Pd2 Sa8) Sa8)"]
    post(server, f"{path}/commands", body, ada.player)
    friend = server.service.players.register(long[:100], None)
    post(server, f"{path}/commands", {"type": "admit-annotator", "player": friend.id}, ada.player)
    ada.go(f"{path}?ply=1")
    ada.page.get_by_text("Annotate", exact=True).click()
    expect(ada.page.locator("#note")).to_be_visible()
    assert ada.page.evaluate(WIDTH) == [shape["viewport"]["width"]] * 2


def test_a_refusal_says_why_and_loses_nothing(opened: Opened, server: WebServer) -> None:
    ada, bo = opened("Ada"), opened("Bo")
    ada.expected = ("422",)
    assert ada.player is not None
    assert bo.player is not None
    ada.go(f"{over(server, ada.player, bo.player)}?ply=2")
    ada.page.get_by_text("Annotate", exact=True).click()
    field(ada, "comments").fill("a thought")
    field(ada, "variations").fill("Pa7 Pd9")
    ada.press("Save")
    expect(ada.page.locator(".problem")).to_contain_text("Pd9")
    expect(field(ada, "comments")).to_have_value("a thought")
    field(ada, "variations").fill("Pa7 Pd3")
    ada.press("Save")
    expect(action(ada, 2)).to_contain_text("(1... Pa7 2. Pd3)")
    expect(ada.page.locator(".problem")).to_have_count(0)


BACK_AND_FORTH = """() => {
  for (const key of ["ArrowRight", "ArrowLeft"]) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  }
}"""
COUNT_SHOWN = "document.addEventListener('shown', () => { window.shown = true; })"


def test_what_was_saved_stays_though_an_older_page_comes_later(
    opened: Opened, server: WebServer
) -> None:
    ada, bo = opened("Ada"), server.service.players.register("Bo", None)
    assert ada.player is not None
    path = over(server, ada.player, bo)
    ada.go(f"{path}?ply=1")
    ada.await_board()
    ada.page.get_by_text("Annotate", exact=True).click()
    expect(ada.page.locator("#note")).to_contain_text("Action 1: 1. Sd1")
    held: list[tuple[Route, APIResponse]] = []
    ada.page.route(f"**{path}?ply=1", lambda route: held.append((route, route.fetch())), times=1)
    ada.page.evaluate(BACK_AND_FORTH)
    while not held:
        ada.page.wait_for_timeout(20)
    field(ada, "comments").fill("too slow")
    ada.press("Save")
    expect(action(ada, 1)).to_have_text("1. Sd1 too slow")
    ada.page.evaluate(COUNT_SHOWN)
    route, page = held[0]
    route.fulfill(response=page)
    ada.page.wait_for_function("() => window.shown")
    expect(field(ada, "comments")).to_have_value("too slow")


def playing(server: WebServer, ada: NewPlayer, bo: NewPlayer) -> str:
    """Create a game of three actions in which it is Bo's turn, and return its path."""
    path = running(server, ada, bo)
    for by, action in ((ada, "Sd1"), (bo, "Sa8"), (ada, "Pd2")):
        post(server, f"{path}/actions", {"action": action}, by)
    return path


@pytest.mark.parametrize("refused", ["", "not valid", "502"])
def test_what_is_typed_stays_while_the_opponent_plays(
    opened: Opened, server: WebServer, refused: str
) -> None:
    """It is about the action that was shown, even after it was refused."""
    ada, bo = opened("Ada"), server.service.players.register("Bo", None)
    ada.expected = ("422", "502")
    assert ada.player is not None
    path = playing(server, ada.player, bo)
    ada.go(path)
    expect(ada.page.locator("#connection")).to_have_text("live")
    ada.page.get_by_text("Annotate", exact=True).click()
    field(ada, "comments").fill("too slow")
    if refused == "not valid":
        field(ada, "nags").fill("banana")
    if refused == "502":
        ada.page.route("**/annotations*", lambda route: route.fulfill(status=502), times=1)
    if refused:
        ada.press("Save")
        expect(ada.page.locator(".problem")).to_contain_text(refused)
    post(server, f"{path}/actions", {"action": "Pa7"}, bo)
    ada.plies(4)
    # By now the page would have requested another form.
    ada.page.evaluate("new Promise((done) => setTimeout(done, 1000))")
    expect(ada.page.locator("#note")).to_contain_text("Action 3: 2. Pd2")
    expect(field(ada, "comments")).to_have_value("too slow")
    field(ada, "nags").fill("?!")
    ada.press("Save")
    expect(action(ada, 3)).to_have_text("2. Pd2?! too slow")


def test_a_friend_is_admitted_and_writes(opened: Opened, server: WebServer) -> None:
    ada, bo, eve = opened("Ada"), opened("Bo"), opened("Eve Ingle")
    assert ada.player is not None
    assert bo.player is not None
    assert eve.player is not None
    path = over(server, ada.player, bo.player)
    eve.go(f"{path}?ply=1")
    expect(eve.page.locator("#annotate")).to_be_hidden()
    body = {"type": "admit-annotator", "player": eve.player.id}
    post(server, f"{path}/commands", body, ada.player)
    eve.page.reload()
    eve.page.get_by_text("Annotate", exact=True).click()
    field(eve, "comments").fill("from outside")
    eve.press("Save")
    expect(action(eve, 1)).to_contain_text("from outside")
    ada.go(path)
    ada.page.get_by_text("Annotate", exact=True).click()
    expect(ada.page.locator("#annotate")).to_contain_text("Annotators: Eve Ingle")
    ada.press("Withdraw Eve Ingle")
    expect(ada.page.locator("#annotate")).to_contain_text("Annotators: the players")
