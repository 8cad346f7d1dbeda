"""Notifications of turns where the browser or the service cannot do everything."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.pages.conftest import Opened
from tests.pages.reader import Reader
from tests.pages.test_lobby import RECORDED, register, told
from tests.service.api.live import post, running
from tests.service.web_server import WebServer

FOR_WORKERS = """
window.Notification = class {
  static get permission() { return localStorage.getItem("permission") ?? "default"; }
  static async requestPermission() {
    localStorage.setItem("permission", "granted");
    return "granted";
  }
  constructor() { throw new TypeError("Illegal constructor"); }
};
"""
"""Notifications as in Chrome for Android, where only service workers show them."""
UNASKED = "Notification.requestPermission = async () => { throw new Error('not now'); };"


def wait_for_turn(server: WebServer, reader: Reader) -> None:
    """Have the opponent act in a game of the reader's while the page is hidden."""
    assert reader.player is not None
    basil = register(server, "Basil")
    game = running(server, basil, reader.player)
    reader.page.locator(f'#yours [data-game="{game[7:]}"]').wait_for()
    reader.look_away()
    post(server, f"{game}/actions", {"action": "Sd1"}, basil)


def test_the_switch_is_hidden_where_pages_cannot_notify(opened: Opened) -> None:
    ada = opened("Ada")
    ada.page.context.add_init_script(FOR_WORKERS)
    with ada.page.expect_response("**/me/stream"):
        ada.go("/")
    expect(ada.page.locator("#notify")).to_have_count(1)
    expect(ada.page.locator("#notify")).to_be_hidden()


def test_a_switch_from_before_goes_off_when_a_notification_fails(
    opened: Opened, server: WebServer
) -> None:
    """The reader allowed notifications when the switch was still shown."""
    ada = opened("Ada")
    ada.page.context.add_init_script(FOR_WORKERS)
    ada.go("/rules")
    ada.page.evaluate("localStorage.setItem('permission', 'granted')")
    ada.page.evaluate("localStorage.setItem('movelog-notify', 'on')")
    ada.go("/")
    switch = ada.page.locator("#notify")
    expect(switch).to_be_visible()
    wait_for_turn(server, ada)
    expect(switch).to_be_hidden()
    ada.go("/")
    expect(switch).to_be_hidden()


def test_a_browser_that_does_not_ask_leaves_the_switch_off(opened: Opened) -> None:
    ada = opened("Ada")
    ada.page.context.add_init_script(RECORDED + UNASKED)
    ada.go("/")
    ada.page.get_by_role("switch").click()
    expect(ada.page.locator("#notify")).to_contain_text("This browser blocks notifications")


def test_a_turn_is_told_without_reading_the_game(opened: Opened, server: WebServer) -> None:
    ada = opened("Ada")
    ada.page.context.add_init_script(RECORDED)
    ada.page.route("**/api/v1/games/*", lambda route: route.abort())
    ada.go("/")
    ada.page.get_by_role("switch").click()
    expect(ada.page.get_by_role("switch")).to_have_attribute("aria-checked", "true")
    wait_for_turn(server, ada)
    expect(ada.page.locator("html")).to_have_attribute("data-told", "1")
    [[title, body, _]] = told(ada.page)
    # Another test has registered a Basil, too.
    assert title.startswith("Your turn against Basil")
    assert body == "Katruji: Sd1 was played."
