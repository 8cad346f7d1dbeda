"""Placing from the hand: planned before one's turn, several of a kind, the rest at random."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import APIResponse, Route, expect

from tests.pages import hands
from tests.pages.conftest import Opened
from tests.pages.hands import Hand
from tests.pages.reader import Reader
from tests.pages.test_board import DESK, FINGER, MOUSE, PHONE
from tests.pages.test_forms import BAD_GATEWAY
from tests.pages.test_game_page import timed
from tests.pages.test_instant import ACTIONS, live, stands
from tests.pages.test_playing import begun
from tests.service.web_server import WebServer

HANDS = pytest.mark.parametrize(
    ("shape", "hand"),
    [*((DESK, by) for by in MOUSE), *((PHONE, by) for by in FINGER)],
    ids=["click", "drag", "keys", "tap", "swipe"],
)


def ready(players: tuple[Reader, Reader]) -> None:
    """Wait until both players can act, and scroll their boards into view."""
    for player in players:
        live(player)
        expect(player.page.locator("#act")).to_be_attached()
        hands.see_board(player)


@HANDS
@pytest.mark.parametrize("side", [0, 1], ids=["first", "second"])
def test_a_placing_is_planned_from_the_hand(
    opened: Opened, shape: dict[str, Any], hand: Hand, side: int
) -> None:
    """The plan can be cancelled, and is played when the turn comes."""
    players = begun(opened, "kerak", (shape, shape))
    ready(players)
    planner, other = players[side], players[1 - side]
    kind, cell, name = (("C", "d2", "Red Castle"), ("I", "d9", "Blue Infantry"))[side]
    if side == 0:
        planner.play("I@c3")
        for player in players:
            player.plies(1)
            # This update redraws the hand.
            expect(player.page.locator("#state")).to_have_attribute("data-plies", "1")
    plans = planner.page.locator("#board .plan")
    hand(planner, f"hand {kind}", cell)
    expect(plans).to_have_count(1)
    expect(planner.page.locator("#board .planned")).to_have_count(1)
    expect(planner.page.locator(".task")).to_have_text(f"Planned: {name} {cell}")
    planner.press("Cancel the plan")
    expect(plans).to_have_count(0)
    expect(planner.page.locator("#announce")).to_have_text("The planned action is cancelled.")
    expect(planner.page.locator(".task")).to_have_text("You can plan your next action.")
    planner.page.keyboard.press("Escape")
    hand(planner, f"hand {kind}", cell)
    expect(plans).to_have_count(1)
    planner.plies(1 - side)
    other.play("I@d9" if side == 0 else "I@c3")
    for player in players:
        player.plies(3 - side)
        stands(player, cell)
    expect(plans).to_have_count(0)


def test_a_finger_keeps_its_piece_while_the_hand_is_drawn_anew(opened: Opened) -> None:
    players = begun(opened, "kerak", (PHONE, PHONE))
    ready(players)
    planner, other = players
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    planner.page.route("**/games/*/actions*", hold)
    planner.play("I@c3")
    planner.plies(1)
    finger = hands.move_finger(planner, "hand C", "d2")
    hands.check_ghost(planner, *next(finger))
    held[0].continue_()
    other.plies(1)
    expect(planner.page.locator('#board [data-hand="I"]')).to_have_count(0)
    for at in finger:
        hands.check_ghost(planner, *at)
    expect(planner.page.locator(".task")).to_have_text("Planned: Red Castle d2")


def test_a_plan_is_played_though_the_turn_comes_before_the_last_actions_answer(
    opened: Opened,
) -> None:
    planner, other = begun(opened, "kerak")
    ready((planner, other))
    held: list[tuple[Route, APIResponse]] = []

    def hold(route: Route) -> None:
        held.append((route, route.fetch()))

    planner.page.route("**/games/*/actions*", hold, times=1)
    planner.play("I@c3")
    planner.play("C@d2")
    expect(planner.page.locator(".task")).to_have_text("Planned: Red Castle d2")
    other.plies(1)
    other.play("I@d9")
    planner.plies(2)
    route, answer = held[0]
    route.fulfill(response=answer)
    for player in (planner, other):
        player.plies(3)
        stands(player, "d2")


def test_a_plan_is_dropped_with_the_refused_action_before_it(opened: Opened) -> None:
    first, second = begun(opened, "katruji")
    ready((first, second))
    first.expected = ("502",)
    held: list[Route] = []
    first.page.route(ACTIONS, lambda route: held.append(route))
    with first.page.expect_request(ACTIONS):
        hands.click(first, "c3", "d4")
    hands.click(first, "b3", "c4")
    expect(first.page.locator("#board .plan")).to_have_count(2)
    held[0].fulfill(status=502, body=BAD_GATEWAY, content_type="text/html")
    expect(first.page.locator("#problem .problem")).to_be_visible()
    first.plies(0)
    expect(first.page.locator("#board .plan")).to_have_count(0)
    assert len(held) == 1


def test_a_piece_chosen_out_of_turn_stays_chosen_when_the_turn_comes(opened: Opened) -> None:
    first, second = begun(opened, "katruji")
    ready((first, second))
    second.cell("b6").click()
    hands.click(first, "c3", "d4")
    second.plies(1)
    second.cell("a5").click()
    first.plies(2)
    stands(first, "a5")


def asked_with_a_plan(opened: Opened) -> Reader:
    """A player who is asked whether to resign while an action is planned."""
    _, second = begun(opened, "katruji")
    live(second)
    expect(second.page.locator("#act")).to_be_attached()
    hands.click(second, "b6", "a5")
    expect(second.page.locator("#board .plan")).to_have_count(2)
    second.page.locator("summary").get_by_text("Resign").click()
    expect(second.page.locator("#chooser")).to_be_visible()
    return second


def test_a_question_that_is_closed_by_escape_keeps_the_plan(opened: Opened) -> None:
    second = asked_with_a_plan(opened)
    plan = second.page.locator("#board .plan")
    second.page.keyboard.press("Escape")
    expect(second.page.locator("#chooser")).to_be_hidden()
    expect(plan).to_have_count(2)
    second.page.keyboard.press("Escape")
    expect(plan).to_have_count(0)


REFRESH = """() => {
  for (const one of document.querySelectorAll(".confirm")) one.replaceWith(one.cloneNode(true));
}"""
ESCAPE_AS_IT_CLOSES = """() => {
  document.getElementById("chooser").close();
  const escape = new KeyboardEvent("keydown", { key: "Escape", bubbles: true });
  document.activeElement.dispatchEvent(escape);
}"""


def test_escape_drops_the_plan_while_a_question_still_has_the_focus(opened: Opened) -> None:
    """What opened it was replaced when the page was refreshed, so the focus cannot go back."""
    second = asked_with_a_plan(opened)
    second.page.evaluate(REFRESH)
    second.page.evaluate(ESCAPE_AS_IT_CLOSES)
    expect(second.page.locator("#chooser")).to_have_count(0)
    expect(second.page.locator("#board .plan")).to_have_count(0)


def test_a_refused_question_gives_the_focus_to_its_opener_on_a_refreshed_page(
    opened: Opened,
) -> None:
    second = asked_with_a_plan(opened)
    second.page.evaluate(REFRESH)
    second.page.keyboard.press("Escape")
    expect(second.page.locator("#chooser")).to_have_count(0)
    expect(second.page.locator("summary").get_by_text("Resign")).to_be_focused()


def test_an_answered_question_leaves_the_focus_on_the_page_where_its_form_is_gone(
    opened: Opened,
) -> None:
    second = asked_with_a_plan(opened)
    second.page.evaluate("document.querySelector('.confirm').remove()")
    second.page.keyboard.press("Escape")
    expect(second.page.locator("#chooser")).to_have_count(0)
    expect(second.page.locator("#main")).to_be_focused()


def test_a_confirmed_question_leaves_the_focus_on_a_refreshed_page(opened: Opened) -> None:
    second = asked_with_a_plan(opened)
    second.page.evaluate(REFRESH)
    second.agree()
    expect(second.page.locator("#board .whose")).to_contain_text("You have lost")
    expect(second.page.locator("#main")).to_be_focused()


@pytest.mark.parametrize("shape", [DESK, PHONE], ids=["desk", "phone"])
def test_a_kind_in_hand_stays_chosen_for_the_next_of_it(
    opened: Opened, server: WebServer, shape: dict[str, Any]
) -> None:
    players = opened("Ada", **shape), opened("Brahim", **shape)
    ada, brahim = (player.player for player in players)
    assert ada
    assert brahim
    path = timed(server, "kerak", ada, brahim)
    for player in players:
        player.go(path)
    ready(players)
    first, second = players
    held = first.page.locator('[data-hand="I"]')
    expect(first.page.locator(".tray-title")).to_have_text(
        ["Blue has in hand:", "Red has in hand:"]
    )
    held.click()
    for ply, cell in ((0, "c3"), (2, "d3")):
        first.plies(ply)
        first.cell(cell).click()
        for player in players:
            player.plies(ply + 1)
        expect(held).to_have_attribute("aria-pressed", "true")
        second.play(("I@d9", "I@d8")[ply // 2])
    first.plies(4)
    # The first click keeps an automatic selection; the second deselects it.
    held.click()
    expect(held).to_have_attribute("aria-pressed", "true")
    held.click()
    expect(held).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize("shape", [DESK, PHONE], ids=["desk", "phone"])
def test_the_rest_is_placed_by_chance(opened: Opened, shape: dict[str, Any]) -> None:
    players = begun(opened, "kerak", (shape, shape))
    ready(players)
    for player in players:
        player.press("Place the rest at random")
        if player is players[0]:
            told = player.page.locator(".task")
            expect(told).to_have_text(re.compile(r"Placed at random: \d+ left\."))
    for player in players:
        player.plies(4)
        expect(player.page.locator("#chance")).to_be_hidden()
    expect(players[0].page.locator(".whose")).to_have_text("Your turn")
