"""A game's page: visible without scrolling, clocks, planning, arrows, sound."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from engine.registry import VARIANTS
from service.boards.registry import find_board
from service.boards.scene import map_cells
from service.player.repository import NewPlayer
from tests.engine.kerak_support import KERAK, at
from tests.pages import hands
from tests.pages.conftest import Opened
from tests.pages.hands import place
from tests.pages.reader import LOOK_AWAY, Reader
from tests.pages.test_board import DESK, PHONE
from tests.pages.test_instant import live, stands
from tests.pages.test_playing import begun
from tests.pages.test_refusals import scribed
from tests.service.api.live import post, running
from tests.service.web_server import WebServer

PROMOTING = "6k5/12/12/12/12/4P7/12/12/12/12/12/6K5 w - - - -/- 0 QT 40"
BOTTOMS = """() => [...document.querySelectorAll(".turn, .frame, .clock")].map((one) => {
  const box = one.getBoundingClientRect();
  return box.height ? box.bottom : Infinity;
})"""
REACHED = """() => {
  const cell = (name) => document.querySelector(`#board [data-cell="${name}"]`);
  const arrows = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];
  const begin = document.querySelector('#board [tabindex="0"]').dataset.cell;
  const reached = new Set([begin]);
  for (const name of reached) {
    for (const key of arrows) {
      cell(name).focus();
      cell(name).dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
      reached.add(document.activeElement.dataset.cell);
    }
  }
  return [...reached];
}"""


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_phone_shows_turn_and_clocks_without_scrolling(
    opened: Opened, server: WebServer, variant: str
) -> None:
    reader = opened("Ada", **PHONE)
    assert reader.player is not None
    other = server.service.players.register("Brahim", None)
    reader.go(timed(server, variant, reader.player, other))
    live(reader)
    bottoms = reader.page.evaluate(BOTTOMS)
    assert len(bottoms) == 4
    assert max(bottoms) <= PHONE["viewport"]["height"]
    header = reader.page.locator("header.site").bounding_box()
    assert header
    assert header["height"] <= 56
    assert reader.page.evaluate("scrollY") == 0


@pytest.mark.parametrize("variant", VARIANTS)
def test_arrow_keys_reach_every_cell_and_each_is_named(
    opened: Opened, server: WebServer, variant: str
) -> None:
    reader = scribed(opened, server, variant=variant)
    live(reader)
    names = set(map_cells(find_board(variant)))
    for below in ("first", "second"):
        expect(reader.page.locator("#board .position")).to_have_attribute("data-below", below)
        assert set(reader.page.evaluate(REACHED)) == names
        reader.page.keyboard.press("f")
    for name in names:
        expect(reader.cell(name)).to_have_attribute("aria-label", re.compile(rf"^{name}, \w"))


def test_a_cell_keeps_the_focus_when_the_board_is_turned(opened: Opened, server: WebServer) -> None:
    reader = scribed(opened, server, variant="katruji")
    live(reader)
    reader.cell("c3").focus()
    for below, reached in (("second", "c4"), ("first", "c3")):
        reader.page.keyboard.press("f")
        expect(reader.page.locator("#board .position")).to_have_attribute("data-below", below)
        # The arrows go on from there, as the board lies now.
        reader.page.keyboard.press("ArrowDown")
        expect(reader.cell(reached)).to_be_focused()


def test_the_piece_and_its_cell_are_named(opened: Opened, server: WebServer) -> None:
    reader = scribed(opened, server, variant="katruji")
    live(reader)
    expect(reader.cell("c3")).to_have_attribute("aria-label", "c3, South's Hutu (Private)")
    reader.cell("c3").focus()
    reader.page.keyboard.press("Enter")
    expect(reader.page.locator("#announce")).to_contain_text("d4")
    reader.page.keyboard.press("ArrowUp")
    reader.page.keyboard.press("ArrowRight")
    reader.page.keyboard.press(" ")
    stands(reader, "d4")
    expect(reader.cell("c3")).to_have_attribute("aria-label", "c3, empty")
    expect(reader.cell("d4")).to_have_attribute("aria-label", "d4, South's Hutu (Private)")


def test_a_planned_action_is_played_when_the_turn_has_come(opened: Opened) -> None:
    first, second = begun(opened, "katruji")
    for player in (first, second):
        live(player)
        expect(player.page.locator("#act")).to_be_attached()
    hands.click(second, "b6", "a5")
    expect(second.page.locator("#board .plan")).to_have_count(2)
    second.plies(0)
    hands.click(first, "c3", "d4")
    for player in (first, second):
        player.plies(2)
        stands(player, "a5")
    # A plan that is illegal when the turn comes is dropped.
    hands.click(second, "a5", "d8")
    expect(second.page.locator("#board .plan")).to_have_count(2)
    hands.click(first, "b3", "a4")
    second.plies(3)
    expect(second.page.locator("#board .plan")).to_have_count(0)
    expect(second.page.locator(".task")).to_have_text("Planned, but not possible now: a5–d8")
    expect(second.page.locator("#announce")).to_contain_text("not possible now: a5–d8")
    first.plies(3)


@pytest.mark.parametrize("returns", [True, False])
def test_a_plan_outlasts_a_look_at_an_earlier_position(opened: Opened, returns: bool) -> None:
    """It is played whether or not the player has returned to the newest one."""
    first, second = begun(opened, "katruji")
    for player in (first, second):
        live(player)
        expect(player.page.locator("#act")).to_be_attached()
    hands.click(first, "c3", "d4")
    second.plies(1)
    hands.click(second, "b6", "a5")
    for player in (first, second):
        # Listed, and not only shown before the answer.
        expect(player.page.locator("#moves li a")).to_have_count(2)
    hands.click(second, "c6", "b5")
    plans, task = second.page.locator("#board .plan"), second.page.locator(".task")
    expect(plans).to_have_count(2)
    second.page.keyboard.press("ArrowLeft")
    second.plies(1)
    expect(plans).to_have_count(0)
    expect(task).to_have_text("Planned: c6–b5")
    if returns:
        second.page.keyboard.press("End")
        second.plies(2)
        expect(plans).to_have_count(2)
    hands.click(first, "b3", "a4")
    for player in (first, second):
        player.plies(4)
        stands(player, "b5")
    expect(second.page.locator("#moves li a")).to_have_count(4)
    # A plan that is cancelled meanwhile is not played.
    hands.click(second, "a5", "d8")
    second.page.keyboard.press("Home")
    second.plies(0)
    second.press("Cancel the plan")
    expect(task).to_be_empty()
    second.page.keyboard.press("End")
    second.plies(4)
    expect(plans).to_have_count(0)


def test_title_and_icon_say_whose_turn_it_is(opened: Opened) -> None:
    first, second = begun(opened, "katruji")
    for player in (first, second):
        live(player)
    icon = 'link[rel="icon"][href*="icon-turn"]'
    expect(first.page).to_have_title(re.compile("^● Your turn"))
    expect(first.page.locator(icon)).to_have_count(1)
    expect(second.page).not_to_have_title(re.compile("Your turn"))
    hands.click(first, "c3", "d4")
    expect(second.page).to_have_title(re.compile("^● Your turn"))
    expect(first.page).not_to_have_title(re.compile("Your turn"))
    expect(first.page.locator(icon)).to_have_count(0)


def test_a_hidden_page_plays_the_plan_and_its_title_tells_the_turn(opened: Opened) -> None:
    first, second = begun(opened, "katruji")
    for player in (first, second):
        live(player)
        expect(player.page.locator("#act")).to_be_attached()
    hands.click(second, "b6", "a5")
    expect(second.page.locator("#board .plan")).to_have_count(2)
    second.look_away()
    hands.click(first, "c3", "d4")
    first.plies(2)
    stands(first, "a5")
    expect(second.page).not_to_have_title(re.compile("Your turn"))
    hands.click(first, "b3", "a4")
    expect(second.page).to_have_title(re.compile("^● Your turn"))


def test_only_the_two_games_hidden_last_keep_their_streams(
    opened: Opened, server: WebServer
) -> None:
    """A browser has few connections to a site."""
    reader, other = opened("Ada"), server.service.players.register("Brahim", None)
    assert reader.player is not None
    tabs = [reader.page, reader.page.context.new_page(), reader.page.context.new_page()]
    paths = [running(server, reader.player, other) for _ in tabs]
    for tab, path in zip(tabs, paths, strict=True):
        tab.goto(path)
        expect(tab.locator("#connection")).to_have_text("live")
    with tabs[0].expect_event("requestfailed", lambda one: "/stream?" in one.url):
        for tab in tabs:
            tab.evaluate(LOOK_AWAY, True)
    for tab, path, ply in zip(tabs, paths, (0, 1, 1), strict=True):
        post(server, f"{path}/actions", {"action": "Pd1"}, reader.player)
        expect(tab.locator("#board .position")).to_have_attribute("data-ply", str(ply))
    tabs[0].evaluate(LOOK_AWAY, False)
    expect(tabs[0].locator("#board .position")).to_have_attribute("data-ply", "1")


def test_the_right_button_draws_arrows_and_circles(opened: Opened, server: WebServer) -> None:
    reader = scribed(opened, server, variant="katruji")
    live(reader)
    mouse, shapes = reader.page.mouse, reader.page.locator("#board .shape")
    draw(reader, "b2", "c4")
    draw(reader, "d1", "d1")
    expect(shapes).to_have_count(2)
    draw(reader, "d1", "d1")
    expect(shapes).to_have_count(1)
    mouse.click(*place(reader, "a4"))
    expect(shapes).to_have_count(0)


def draw(reader: Reader, start: str, end: str) -> None:
    """Drag with the right button from one cell to another."""
    mouse = reader.page.mouse
    mouse.move(*place(reader, start))
    mouse.down(button="right")
    mouse.move(*place(reader, end))
    mouse.up(button="right")


def timed(server: WebServer, variant: str, first: NewPlayer, second: NewPlayer) -> str:
    """Begin a game on clocks and return its path."""
    return running(server, first, second, variant, time_control="300")


def test_the_running_clock_ticks(opened: Opened, server: WebServer) -> None:
    reader, other = opened("Ada"), server.service.players.register("Brahim", None)
    assert reader.player is not None
    path = timed(server, "katruji", reader.player, other)
    reader.go(path)
    live(reader)
    own, others = (reader.page.locator(f'[data-clock="{side}"]') for side in ("first", "second"))
    hands.click(reader, "c3", "d4")
    expect(reader.page.locator("#moves li a")).to_have_count(1)
    post(server, f"{path}/actions", {"action": "Pa5"}, other)
    reader.plies(2)
    expect(own).to_have_class(re.compile("running"))
    expect(own).to_have_text(re.compile("4:[0-5][0-8]"))
    expect(others).to_have_text("5:00")


def test_a_clock_with_a_delay_stands_while_it_lasts(opened: Opened, server: WebServer) -> None:
    reader, other = opened("Ada"), server.service.players.register("Brahim", None)
    assert reader.player is not None
    path = running(server, reader.player, other, "katruji", time_control="300d30")
    reader.page.clock.install()
    reader.go(path)
    live(reader)
    own = reader.page.locator('[data-clock="first"]')
    hands.click(reader, "c3", "d4")
    expect(reader.page.locator("#moves li a")).to_have_count(1)
    post(server, f"{path}/actions", {"action": "Pa5"}, other)
    # The page has been refreshed: that tells it the service's time, too.
    expect(reader.page.locator("#state")).to_have_attribute("data-plies", "2")
    reader.page.clock.run_for(10_000)
    expect(own).to_have_text("5:00")
    # So soon after the last message that the page does not open its stream again.
    reader.page.clock.run_for(25_000)
    expect(own).to_have_text(re.compile("4:[0-5][0-9]"))


@pytest.mark.parametrize("scripts", [False, True])
def test_clocks_are_told_in_words_only_without_scripts(
    opened: Opened, server: WebServer, scripts: bool
) -> None:
    reader, other = (
        opened("Ada", java_script_enabled=scripts),
        server.service.players.register("Brahim", None),
    )
    assert reader.player is not None
    # Without scripts, nothing uses the data of the board.
    reader.expected = () if scripts else ("was preloaded",)
    reader.go(timed(server, "katruji", reader.player, other))
    expect(reader.page.locator('[data-clock="first"]')).to_have_text("5:00")
    expect(reader.page.get_by_text("Clocks: South 5:00")).to_be_visible(visible=not scripts)


def test_sound_is_switched_off_for_good(opened: Opened, server: WebServer) -> None:
    reader = scribed(opened, server, variant="katruji")
    button = reader.page.locator("#sound")
    for pressed in ("true", "false"):
        expect(button).to_have_attribute("aria-pressed", pressed)
        button.click()
        reader.page.reload()
    expect(button).to_have_attribute("aria-pressed", "true")


def test_a_choice_stands_beside_its_cell_in_words(opened: Opened, server: WebServer) -> None:
    reader = scribed(opened, server, variant="kerd", fen=PROMOTING, infiltrators="none")
    live(reader)
    hands.click(reader, "e7", "e8")
    options = reader.page.locator("#chooser .options button")
    expect(options).to_have_count(3)
    expect(options.nth(1)).to_contain_text("Bring back a")
    cell, dialog = reader.cell("e8").bounding_box(), reader.page.locator("#chooser").bounding_box()
    assert cell
    assert dialog
    gaps = (dialog["x"] - cell["x"] - cell["width"], cell["x"] - dialog["x"] - dialog["width"])
    assert 0 < max(gaps) < cell["width"]


@pytest.mark.parametrize("shape", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("loser", [0, 1], ids=["first", "second"])
def test_the_result_is_told_to_the_reader(
    opened: Opened, shape: dict[str, Any], loser: int
) -> None:
    players = begun(opened, "katruji", (shape, shape))
    for player in players:
        live(player)
        expect(player.page.locator("#act")).to_be_attached()
    resigning, winning = players[loser], players[1 - loser]
    resigning.page.locator("summary", has_text="Resign").click()
    resigning.press("Yes, resign")
    expect(resigning.page.locator(".whose")).to_have_text("You have lost: resignation")
    expect(winning.page.locator(".whose")).to_have_text("You have won: resignation")
    expect(winning.page.locator("#announce")).to_have_text("You have won: resignation")
    for player in players:
        expect(player.page.locator(".task")).to_be_empty()
    watching = opened(**shape)
    watching.go(resigning.page.url)
    winner = ("North", "South")[loser]
    expect(watching.page.locator(".whose")).to_have_text(f"{winner} has won: resignation")


def test_an_arrow_goes_to_the_next_row_of_hexagons(opened: Opened, server: WebServer) -> None:
    reader = scribed(opened, server, variant="kerak")
    live(reader)
    reader.cell("c4").focus()
    for row in (8, 9, 10):
        reader.page.keyboard.press("ArrowUp")
        at = reader.page.evaluate("document.activeElement.dataset.cell")
        assert "abcdefghi".index(at[0]) + 1 + int(at[1]) == row


def test_a_pass_in_the_list_of_actions_is_told_in_words(opened: Opened, server: WebServer) -> None:
    """Both as it arrives by the stream, and on the page as rendered by the service."""
    stuck = KERAK.write_fen(at("Ia5 nb5 na6 ib4 ic4"))
    reader = scribed(opened, server, variant="kerak", fen=stuck)
    live(reader)
    reader.page.get_by_label("Your action").fill("--")
    reader.press("Play")
    reader.plies(1)
    passed = reader.page.locator("#moves li").first
    expect(passed).to_contain_text("-- pass")
    reader.page.reload()
    expect(passed).to_contain_text("-- pass")
