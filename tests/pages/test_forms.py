"""The forms of a game's page say what became of them, whoever answered."""

from __future__ import annotations

from playwright.sync_api import Route, expect

from tests.pages.conftest import Opened
from tests.pages.reader import Reader
from tests.pages.test_instant import live
from tests.pages.test_playing import begun
from tests.service.web_server import WebServer

BAD_GATEWAY = "<html><body><h1>502 Bad Gateway</h1></body></html>"


def playing(opened: Opened) -> Reader:
    """A player on the page of a game in which a draw can be offered."""
    reader, _ = begun(opened, "katruji")
    live(reader)
    expect(reader.page.get_by_role("button", name="Offer a draw")).to_be_visible()
    return reader


def test_signing_out_in_another_tab_ends_the_readers_part_in_the_game(
    opened: Opened, server: WebServer
) -> None:
    reader = playing(opened)
    turn = reader.page.locator("#board .turn .whose")
    expect(turn).to_have_text("Your turn")
    other = reader.page.context.new_page()
    other.goto("/")
    other.get_by_role("button", name="More").click()
    with other.expect_event("load"):
        other.get_by_role("button", name="Sign out").click()
    expect(turn).to_have_text("South to act, move 1")
    expect(reader.page.locator("#who")).to_contain_text("Sign in")
    # Signing in again there makes it the reader's game again.
    assert reader.player is not None
    reader.sign_in(reader.player.token.secret)
    other.goto("/")
    expect(turn).to_have_text("Your turn")
    reader.press("Offer a draw")
    expect(reader.page.locator(".offer")).to_have_text("South offers a draw.")


def test_a_form_sent_after_the_session_has_ended_is_refused_in_words(opened: Opened) -> None:
    reader = playing(opened)
    reader.expected = ("403",)
    reader.page.context.clear_cookies()
    reader.press("Offer a draw")
    problem = reader.page.locator("#problem .problem")
    expect(problem).to_contain_text("out of date")
    expect(reader.page.locator("#announce")).to_contain_text("out of date")


def test_a_form_that_a_proxy_answers_says_so_and_can_be_sent_again(opened: Opened) -> None:
    reader = playing(opened)
    reader.expected = ("502",)

    def fail(route: Route) -> None:
        route.fulfill(status=502, body=BAD_GATEWAY, content_type="text/html")

    reader.page.route("**/commands*", fail, times=1)
    reader.press("Offer a draw")
    words = "The service answered with the error 502. Try again."
    expect(reader.page.locator("#problem")).to_have_text(words)
    expect(reader.page.locator("#announce")).to_have_text(words)
    reader.press("Offer a draw")
    expect(reader.page.locator(".offer")).to_have_text("South offers a draw.")
    expect(reader.page.locator("#problem")).to_be_empty()
