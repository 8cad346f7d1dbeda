"""Ruling R35 on an open page: a finished game goes on."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.pages.conftest import Opened
from tests.pages.test_refusals import scribed
from tests.service.api.live import post
from tests.service.game.support import YARA
from tests.service.web_server import WebServer

CAUGHT_UP = "() => document.getElementById('connection').textContent === ''"


def test_r35_a_page_that_reopens_its_game_keeps_up_with_it_again(
    opened: Opened, server: WebServer
) -> None:
    reader = scribed(opened, server, variant="katruji", fen=YARA)
    assert reader.player is not None
    path = reader.page.url.removeprefix(server.url).partition("?")[0]
    post(server, f"{path}/actions", {"action": "Oxa5"}, reader.player)
    expect(reader.page.locator(".result")).to_have_text("1-0")
    reader.page.wait_for_function(CAUGHT_UP)
    reader.page.get_by_text("Reopen the game").click()
    reader.page.get_by_label("Reason").fill("misheard")
    reader.press("Reopen")
    expect(reader.page.locator(".offer")).to_contain_text("retract the wrong action")
    post(server, f"{path}/commands", {"type": "retract", "plies": 1}, reader.player)
    reader.plies(0)
    expect(reader.page.locator("#act")).to_be_visible()
