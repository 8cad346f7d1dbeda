"""Pages that were opened before: behind others, in other tabs, and by the button for going back."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from service.computer.registration import register_computers
from tests.pages.conftest import Opened
from tests.service.web_server import WebServer

KEYS = "[...document.querySelectorAll('input[name=key]')].map((one) => one.value)"


def play_computer(page: Page) -> str:
    """Play the computer at Katruji, and return the address of the game."""
    page.get_by_role("button", name=re.compile("^Katruji")).click()
    page.wait_for_url("**/games/*")
    return page.url


def test_a_guest_begins_a_game_in_a_tab_from_before(opened: Opened, server: WebServer) -> None:
    register_computers(server.service.players)
    reader = opened()
    tabs = [reader.page, reader.page.context.new_page()]
    for tab in tabs:
        tab.goto("/lobby")
    games = [play_computer(tab) for tab in tabs]
    made = [server.service.games.load(game.rpartition("/")[2]) for game in games]
    assert games[0] != games[1]
    # It is the same guest.
    assert made[0].creator == made[1].creator
    for tab in tabs:
        expect(tab.locator("#board .position")).to_be_visible()


def challenge(page: Page) -> str:
    """Make a challenge in the lobby, and return the address of its page."""
    page.get_by_role("button", name="Challenge", exact=True).click()
    page.wait_for_url("**/games/*")
    return page.url


@pytest.mark.parametrize("begin", [play_computer, challenge])
def test_going_back_and_beginning_a_game_again_begins_another(
    opened: Opened, server: WebServer, begin: Callable[[Page], str]
) -> None:
    """Browsers may take the page from their cache: here it is answered alike."""
    register_computers(server.service.players)
    ada = opened("Ada")
    kept: list[APIResponse] = []

    def answer_alike(route: Route) -> None:
        if not kept:
            kept.append(route.fetch())
        route.fulfill(response=kept[0])

    ada.page.route("**/lobby", answer_alike)
    ada.go("/lobby")
    first = begin(ada.page)
    ada.page.go_back()
    second = begin(ada.page)
    ada.page.go_back()
    for field in ada.page.get_by_label("My side").all():
        field.select_option("second")
    assert len({first, second, begin(ada.page)}) == 3


def test_a_page_that_the_browser_kept_whole_has_new_keys(opened: Opened) -> None:
    """A browser that a test controls keeps no page whole: the test says that it did."""
    reader = opened()
    reader.go("/lobby")
    before = reader.page.evaluate(KEYS)
    assert len(before) >= 2
    reader.page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    after = reader.page.evaluate(KEYS)
    assert len({*before, *after}) == 2 * len(before)
