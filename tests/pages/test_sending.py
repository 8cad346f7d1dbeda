"""Typed actions are sent once, and are neither lost nor left in the field."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Request, Route, expect

from service.player.commands import Principal
from tests.pages import hands
from tests.pages.conftest import Opened
from tests.pages.reader import Reader
from tests.pages.test_refusals import scribed
from tests.service.api.live import post
from tests.service.web_server import WebServer

ACTIONS = "**/actions?*"
HOLDABLE = """
const kept = [];
const add = EventSource.prototype.addEventListener;
EventSource.prototype.addEventListener = function (name, take) {
  add.call(this, name, (event) => (window.isHeld ? kept.push(() => take(event)) : take(event)));
};
window.release = () => {
  window.isHeld = false;
  for (const take of kept.splice(0)) take();
};
"""
"""Lets a test hold back what a stream tells the page, by `isHeld` until `release()`."""


def key(request: Request) -> str:
    """The idempotency key that a form was sent with."""
    return parse_qs(request.post_data or "")["key"][0]


def test_what_is_typed_while_an_answer_is_awaited_stays(opened: Opened, server: WebServer) -> None:
    reader = scribed(opened, server, variant="katruji")
    field = reader.page.get_by_label("Your action")
    expect(reader.page.locator("#connection")).to_have_text("live")
    waiting: list[Route] = []
    reader.page.route(ACTIONS, lambda route: waiting.append(route))
    with reader.page.expect_request(ACTIONS):
        field.fill("Pc4")
        field.press("Enter")
    expect(field).to_have_value("")
    answer = waiting[0].fetch()
    # The stream delivers the action before the answer arrives.
    reader.plies(1)
    expect(field).to_have_value("")
    field.fill("Scb7=O")
    waiting[0].fulfill(response=answer)
    expect(reader.page.locator("#announce")).to_contain_text("Pc4. North to act")
    reader.page.unroute(ACTIONS)
    expect(field).to_have_value("Scb7=O")
    expect(field).to_be_focused()
    field.press("Enter")
    reader.plies(2)


@pytest.mark.parametrize("is_told_first", [True, False], ids=["stream first", "answer first"])
def test_what_is_entered_while_an_answer_is_awaited_is_sent_after_it(
    opened: Opened, server: WebServer, is_told_first: bool
) -> None:
    """It is sent once the page knows of the action before it, and not lost until then."""
    reader = scribed(opened, server, variant="katruji")
    reader.page.add_init_script(HOLDABLE)
    reader.page.reload()
    field = reader.page.get_by_label("Your action")
    expect(reader.page.locator("#connection")).to_have_text("live")
    waiting: list[Route] = []
    reader.page.route(ACTIONS, lambda route: waiting.append(route), times=1)
    reader.page.evaluate("(held) => { window.isHeld = held; }", not is_told_first)
    with reader.page.expect_request(ACTIONS):
        field.fill("Pc4")
        field.press("Enter")
    expect(field).to_have_value("")
    answer = waiting[0].fetch()
    if is_told_first:
        reader.plies(1)
    field.fill("Scb7=O")
    field.press("Enter")
    expect(field).to_have_value("Scb7=O")
    waiting[0].fulfill(response=answer)
    if not is_told_first:
        reader.page.wait_for_timeout(500)
        reader.page.evaluate("window.release()")
    reader.plies(2)
    expect(field).to_have_value("")
    expect(reader.page.locator("#problem")).to_be_empty()


def test_what_had_no_answer_is_sent_again_as_the_same_request(
    opened: Opened, server: WebServer
) -> None:
    reader = scribed(opened, server, variant="katruji")
    reader.expected = ("ERR_FAILED",)
    field = reader.page.get_by_label("Your action")
    sent: list[str] = []

    def lose(route: Route) -> None:
        sent.append(key(route.request))
        route.abort()

    reader.page.route(ACTIONS, lose)
    for typed in (None, None, "Pb4"):
        if typed or not sent:
            field.fill(typed or "Pc4")
        with reader.page.expect_event("requestfailed"):
            field.press("Enter")
        expect(field).to_have_value(typed or "Pc4")
    first, again, other = sent
    assert first == again
    assert other != first
    reader.page.unroute(ACTIONS)
    reader.press("Play")
    reader.plies(1)
    expect(reader.page.locator("#moves")).to_contain_text("Pb4")


def test_what_had_no_answer_is_sent_anew_once_the_game_has_gone_on(
    opened: Opened, server: WebServer
) -> None:
    """Repeating the request would be refused: it was about an earlier state."""
    reader = scribed(opened, server, variant="katruji")
    reader.expected = ("ERR_FAILED",)
    assert reader.player is not None
    expect(reader.page.locator("#connection")).to_have_text("live")
    reader.page.route(ACTIONS, lambda route: route.abort(), times=1)
    with reader.page.expect_event("requestfailed"):
        hands.click(reader, "c3", "d4")
    expect(reader.page.locator("#connection")).to_have_text("no answer; try again")
    reader.plies(0)
    game = reader.page.url.removeprefix(server.url).partition("?")[0]
    post(server, f"{game}/commands", {"type": "offer-draw", "side": "second"}, reader.player)
    expect(reader.page.locator(".offer")).to_have_text("North offers a draw.")
    hands.click(reader, "c3", "d4")
    expect(reader.page.locator("#moves li a")).to_have_count(1)
    expect(reader.page.locator("#problem")).to_be_empty()


def test_what_is_not_answered_for_long_is_taken_off_the_board(
    opened: Opened, server: WebServer
) -> None:
    reader = scribed(opened, server, variant="katruji")
    # The quarter of a minute that the page waits is shorter here.
    reader.page.evaluate("""() => {
        const wait = AbortSignal.timeout.bind(AbortSignal);
        AbortSignal.timeout = (milliseconds) => wait(milliseconds / 10);
    }""")
    expect(reader.page.locator("#connection")).to_have_text("live")
    reader.page.route(ACTIONS, lambda route: None, times=1)  # no answer, ever
    with reader.page.expect_event("requestfailed"):
        hands.click(reader, "c3", "d4")
        expect(reader.page.locator('#board [data-piece][data-on="d4"]')).to_have_count(1)
    expect(reader.page.locator("#connection")).to_have_text("no answer; try again")
    expect(reader.page.locator('#board [data-piece][data-on="d4"]')).to_have_count(0)
    expect(reader.page.locator('#board [data-piece][data-on="c3"]')).to_have_count(1)
    hands.click(reader, "c3", "d4")
    reader.plies(1)


def test_an_action_counts_after_signing_in_again_in_another_tab(
    opened: Opened, server: WebServer
) -> None:
    """Another session has another CSRF token, which scripts take over with the next news."""
    reader = scribed(opened, server, variant="katruji")
    assert reader.player is not None
    expect(reader.page.locator("#connection")).to_have_text("live")
    by = Principal(reader.player.id, None)
    reader.sign_in(server.service.players.issue(reader.player.id, ["play"], by).secret)
    game = reader.page.url.removeprefix(server.url).partition("?")[0]
    post(server, f"{game}/commands", {"type": "offer-draw", "side": "second"}, reader.player)
    expect(reader.page.locator(".offer")).to_have_text("North offers a draw.")
    hands.click(reader, "c3", "d4")
    reader.plies(1)
    expect(reader.page.locator("#moves li a")).to_have_count(1)


def hold_first(reader: Reader) -> list[Route]:
    """Hold back the first action sent, but no other; returns the list that gets its route."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    reader.page.route(ACTIONS, hold)
    return held


@pytest.mark.parametrize("hand", [hands.click, hands.drag])
def test_what_a_hand_does_while_an_answer_is_awaited_is_played(
    opened: Opened, server: WebServer, hand: hands.Hand
) -> None:
    """A scribe may click or drag faster than the service answers; nothing is lost."""
    reader = scribed(opened, server, variant="katruji")
    expect(reader.page.locator("#connection")).to_have_text("live")
    waiting = hold_first(reader)
    with reader.page.expect_request(ACTIONS):
        hands.click(reader, "c3", "d4")
    hand(reader, "b6", "a5")
    waiting[0].continue_()
    reader.plies(2)
    expect(reader.page.locator('#board [data-piece][data-on="a5"]')).to_have_count(1)
    expect(reader.page.locator("#moves li a")).to_have_count(2)


def test_what_was_clicked_after_an_action_that_is_refused_is_not_done(
    opened: Opened, server: WebServer
) -> None:
    reader = scribed(opened, server, variant="katruji")
    expect(reader.page.locator("#connection")).to_have_text("live")
    waiting = hold_first(reader)
    with reader.page.expect_request(ACTIONS):
        hands.click(reader, "c3", "d4")
    hands.click(reader, "a3", "b3")
    words = '<div class="problem"><p>Not possible now.</p></div>'
    waiting[0].fulfill(status=422, content_type="text/html", body=words)
    expect(reader.page.locator("#problem")).to_contain_text("Not possible now.")
    reader.page.wait_for_timeout(200)
    reader.plies(0)
    expect(reader.page.locator("#board .chosen")).to_have_count(0)
