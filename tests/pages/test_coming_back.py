"""Pages that were opened before: behind others, in other tabs, and by the button for going back."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from service.computer.registration import register_computers
from tests.pages.conftest import Opened
from tests.service.web_server import WebServer


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
