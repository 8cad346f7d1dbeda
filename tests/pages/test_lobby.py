"""The lobby, the first page and the search field, live in a browser."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import APIResponse, Locator, Page, Route, expect

from service.computer.registration import register_computers
from service.ids import new_id
from service.player.repository import NewPlayer
from tests.pages.conftest import Opened
from tests.pages.reader import LOOK_AWAY, Reader
from tests.pages.test_board import DESK, PHONE
from tests.service.api.live import post, running
from tests.service.web_server import WebServer

SHAPES = pytest.mark.parametrize("shape", [DESK, PHONE], ids=["desk", "phone"])
HOSTILE = "<i>Ann</i> & Co"
SHOWN = re.compile(rf"{re.escape(HOSTILE)}( #\w+)?")
"""The name, with the mark that it gets once an earlier test has registered it."""
RECORDED = """
window.asked = 0;
window.told = [];
window.Notification = class {
  static get permission() { return localStorage.getItem("permission") ?? "default"; }
  static async requestPermission() {
    window.asked += 1;
    const answer = localStorage.getItem("answer") ?? "granted";
    localStorage.setItem("permission", answer);
    return answer;
  }
  constructor(title, { body, tag }) {
    if (Notification.permission !== "granted") return;
    window.told.push([title, body, tag]);
    document.documentElement.dataset.told = window.told.length;
  }
  close() {}
};
"""
"""Records notifications instead of showing them."""
GRANTED = """
if (location.protocol !== "about:") {
  localStorage.setItem("permission", "granted");
  localStorage.setItem("movelog-notify", "on");
}
"""
RESTED = 600
"""Milliseconds after which a click counts although rows have moved."""
TAKEN = 300
"""Milliseconds in which a page asks the service for something, or takes over an answer."""
CLICK_AT_ONCE = """(id) => {
  const count = () => document.querySelectorAll(`#${id} [data-game]`).length;
  const before = count();
  window.counted = new Promise((done) => new MutationObserver((changes, observer) => {
    if (count() === before) return;
    observer.disconnect();
    const click = new MouseEvent("click", { bubbles: true, cancelable: true, detail: 1 });
    done(document.querySelector(`#${id} button`).dispatchEvent(click));
  }).observe(document.body, { childList: true, subtree: true }));
}"""
"""Clicks the first button of a part of the page as soon as it has another number of rows."""


def register(server: WebServer, name: str) -> NewPlayer:
    """Register a player, who is then listed."""
    player = server.service.players.register(name, None)
    server.catch_up()
    return player


def offer(server: WebServer, by: NewPlayer, **terms: Any) -> str:
    """Create an open challenge and return its id."""
    answer = post(server, "/games", {"variant": "katruji", "side": "first"} | terms, by)
    return str(answer.json()["id"])


def row(page: Page, game: str) -> Locator:
    """An open challenge's row in the lobby."""
    return page.locator(f'#open [data-game="{game}"]')


def wait_until_live(reader: Reader) -> None:
    expect(reader.page.locator("#connection")).to_have_text("live")


def watch_lobby(opened: Opened, server: WebServer, speed: str) -> Reader:
    """Ada, who sees the challenges of a speed class and is told of new ones."""
    ada = opened("Ada")
    server.catch_up()
    ada.go(f"/lobby?speed={speed}")
    wait_until_live(ada)
    return ada


def let_rows_rest(reader: Reader) -> None:
    """Wait until a click counts again after rows have moved."""
    reader.page.wait_for_timeout(RESTED)


@SHAPES
def test_challenges_come_and_go_in_the_lobby_while_it_is_open(
    opened: Opened, server: WebServer, shape: dict[str, Any]
) -> None:
    brahim = register(server, HOSTILE)
    ada, eve, other = opened("Ada", **shape), opened("Eve", **shape), opened(**shape)
    ada.go("/lobby")
    eve.go("/lobby?variant=katruji&speed=rapid")
    other.go("/lobby?variant=kerd")
    for reader in (ada, eve, other):
        wait_until_live(reader)
    expect(eve.page.locator("#open")).to_contain_text("No open challenge matches.")
    game = offer(server, brahim, time_control="900+10")
    for reader in (ada, eve):
        expect(row(reader.page, game)).to_contain_text(re.compile(rf"{SHOWN.pattern} plays South"))
        expect(row(reader.page, game)).to_contain_text("15 minutes a side and 10 seconds")
    kerd = offer(server, brahim, variant="kerd")
    expect(row(other.page, kerd)).to_contain_text("Play as a guest")
    expect(row(other.page, game)).to_have_count(0)
    assert ada.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    # This is the last time that her rows move before she accepts.
    expect(row(ada.page, kerd)).to_be_visible()
    let_rows_rest(ada)
    row(ada.page, game).get_by_role("button", name="Accept").click()
    ada.page.wait_for_url(f"**/games/{game}")
    for reader in (eve, other):
        expect(row(reader.page, game)).to_have_count(0)
    expect(row(eve.page, kerd)).to_have_count(0)
    expect(row(other.page, kerd)).to_have_count(1)


def test_the_focus_stays_on_the_same_challenge(opened: Opened, server: WebServer) -> None:
    grete = register(server, "Grete Gold")
    games = [offer(server, grete, time_control="60+1") for _ in range(2)]
    ada = watch_lobby(opened, server, "bullet")
    buttons = [row(ada.page, game).get_by_role("button", name="Accept") for game in games]
    buttons[0].focus()
    newcomer = offer(server, grete, time_control="60+1")
    expect(row(ada.page, newcomer)).to_be_visible()
    expect(buttons[0]).to_be_focused()
    post(server, f"/games/{games[0]}/commands", {"type": "withdraw"}, grete)
    expect(row(ada.page, games[0])).to_have_count(0)
    expect(ada.page.locator("#main")).to_be_focused()
    buttons[1].focus()
    post(server, f"/games/{newcomer}/commands", {"type": "withdraw"}, grete)
    expect(row(ada.page, newcomer)).to_have_count(0)
    ada.page.keyboard.press("Enter")
    ada.page.wait_for_url(f"**/games/{games[1]}")


def test_no_row_moves_under_the_pointer(opened: Opened, server: WebServer) -> None:
    hugo = register(server, "Hugo Hill")
    games = [offer(server, hugo, time_control="180+1") for _ in range(2)]
    ada = watch_lobby(opened, server, "blitz")
    button = row(ada.page, games[0]).get_by_role("button", name="Accept")
    button.hover()
    before = button.bounding_box()
    with ada.page.expect_response("**/lobby?speed=blitz"):
        newcomer = offer(server, hugo, time_control="180+1")
    expect(ada.page.locator("#announce")).to_contain_text("A new challenge")
    button.hover(position={"x": 5, "y": 5})
    post(server, f"/games/{games[1]}/commands", {"type": "withdraw"}, hugo)
    gone = row(ada.page, games[1]).get_by_role("button", name="Accept")
    expect(gone).to_have_attribute("aria-disabled", "true")
    expect(row(ada.page, newcomer)).to_have_count(0)
    assert button.bounding_box() == before
    gone.dispatch_event("click")
    ada.page.get_by_role("heading", name="Lobby").hover()
    expect(row(ada.page, newcomer)).to_be_visible()
    expect(gone).to_have_count(0)


def test_a_challenge_that_is_gone_stays_grey_when_the_pointer_leaves_a_list_that_lags(
    opened: Opened, server: WebServer
) -> None:
    nina, ada = register(server, "Nina North"), opened("Ada")
    games = [offer(server, nina, time_control="180+2") for _ in range(2)]
    server.catch_up()
    ada.go("/lobby?speed=blitz")
    wait_until_live(ada)
    row(ada.page, games[0]).get_by_role("button", name="Accept").hover()
    lagging = ada.page.request.get("/lobby?speed=blitz")
    ada.page.route("**/lobby?speed=blitz", lambda route: route.fulfill(response=lagging))
    with ada.page.expect_response("**/lobby?speed=blitz"):
        post(server, f"/games/{games[1]}/commands", {"type": "withdraw"}, nina)
    gone = row(ada.page, games[1]).get_by_role("button", name="Accept")
    expect(gone).to_have_attribute("aria-disabled", "true")
    ada.page.wait_for_timeout(TAKEN)
    ada.page.get_by_role("heading", name="Lobby").hover()
    assert gone.get_attribute("aria-disabled") == "true"


def test_rows_move_under_a_pointer_that_rests(opened: Opened, server: WebServer) -> None:
    """Whoever waits for an opponent there is told, although the mouse is not touched."""
    lara, ada = register(server, "Lara Lead"), opened("Ada")
    assert ada.player is not None
    resting = offer(server, lara, time_control="1/86400")
    server.catch_up()
    ada.page.clock.install()
    ada.go("/lobby?speed=correspondence")
    wait_until_live(ada)
    row(ada.page, resting).get_by_role("button", name="Accept").hover()
    with ada.page.expect_response("**/lobby?speed=correspondence"):
        challenge = offer(server, lara, opponent=ada.player.id)
    received = ada.page.locator(f'#yours [data-game="{challenge}"]')
    expect(received).to_have_count(0)
    ada.page.clock.fast_forward(10_000)
    expect(received).to_be_visible()


def test_a_click_just_after_rows_have_moved_does_nothing(opened: Opened, server: WebServer) -> None:
    ida = register(server, "Ida Iron")
    meant = offer(server, ida, time_control="86400+1")
    ada = watch_lobby(opened, server, "classical")
    ada.page.evaluate(CLICK_AT_ONCE, "open")
    newcomer = offer(server, ida, time_control="86400+1")
    expect(row(ada.page, newcomer)).to_be_visible()
    assert ada.page.evaluate("window.counted") is False
    let_rows_rest(ada)
    row(ada.page, meant).get_by_role("button", name="Accept").click()
    ada.page.wait_for_url(f"**/games/{meant}")


def test_a_late_answer_does_not_replace_a_newer_list(opened: Opened, server: WebServer) -> None:
    mara, ada = register(server, "Mara Mint"), opened("Ada")
    held, late = list[Route](), list[APIResponse]()

    def hold_first(route: Route) -> None:
        if held:
            return route.continue_()
        held.append(route)
        return late.append(route.fetch())

    ada.go("/lobby?speed=correspondence")
    wait_until_live(ada)
    ada.page.route("**/lobby?speed=correspondence", hold_first)
    offer(server, mara, time_control="1/86400")
    while not late:
        ada.page.wait_for_timeout(TAKEN)
    newest = offer(server, mara, time_control="1/86400")
    expect(row(ada.page, newest)).to_be_visible()
    with ada.page.expect_response("**/lobby?speed=correspondence") as response:
        held[0].fulfill(response=late[0])
    response.value.finished()
    ada.page.wait_for_timeout(TAKEN)
    expect(row(ada.page, newest)).to_be_visible()


def test_a_challenge_to_the_reader_is_shown_and_declined_without_loading_the_page(
    opened: Opened, server: WebServer
) -> None:
    brahim = register(server, "Cedric")
    ada = opened("Ada")
    assert ada.player is not None
    ada.go("/lobby")
    wait_until_live(ada)
    offer(server, brahim, opponent=ada.player.id)
    yours = ada.page.locator("#yours")
    expect(yours).to_contain_text("Cedric challenges you; you would be North")
    let_rows_rest(ada)
    ada.send("Decline")
    expect(ada.page.locator("#yours [data-game]")).to_have_count(0)


def test_what_ended_while_a_page_was_hidden_is_no_longer_listed(
    opened: Opened, server: WebServer
) -> None:
    """Challenges that were withdrawn, and games that were aborted."""
    brahim = register(server, "Bodo")
    ada, lobby = opened("Ada"), opened()
    assert ada.player is not None
    gone = [offer(server, brahim) for _ in range(2)]
    received = offer(server, brahim, opponent=ada.player.id)
    game = running(server, brahim, ada.player)
    server.catch_up()
    lobby.go("/lobby")
    wait_until_live(lobby)
    expect(row(lobby.page, gone[1])).to_have_count(1)
    # These are known from the stream, and not only from the page.
    gone += [offer(server, brahim)]
    expect(row(lobby.page, gone[2])).to_have_count(1)
    with ada.page.expect_response("**/me/stream"):
        ada.go("/")
    yours = [ada.page.locator(f'#yours [data-game="{id}"]') for id in (received, game[7:])]
    for one in yours:
        expect(one).to_have_count(1)
    for reader in (ada, lobby):
        reader.look_away()
    for id in (*gone, received):
        post(server, f"/games/{id}/commands", {"type": "withdraw"}, brahim)
    post(server, f"{game}/commands", {"type": "abort"}, brahim)
    for reader in (ada, lobby):
        reader.look_away(False)
    for one in (*(row(lobby.page, id) for id in gone), *yours):
        expect(one).to_have_count(0)


def test_players_are_suggested_for_the_mouse_and_for_keys(
    opened: Opened, server: WebServer
) -> None:
    twins = sorted(
        [register(server, "Annabel Lee"), register(server, "Annabel Lee")], key=lambda one: one.id
    )
    co = register(server, HOSTILE)
    ada = opened("Ada")
    ada.go("/lobby")
    field = ada.page.get_by_label("Opponent", exact=True)
    options = ada.page.locator("#suggested [role=option]:visible")
    # In one step: the answer to a part of the text could come after Escape.
    field.fill("anna")
    expect(options).to_have_count(2)
    expect(field).to_have_attribute("aria-expanded", "true")
    ada.page.keyboard.press("Escape")
    expect(options).to_have_count(0)
    field.press_sequentially("bel")
    expect(options).to_have_count(2)
    ada.page.keyboard.press("ArrowDown")
    ada.page.keyboard.press("ArrowDown")
    ada.page.keyboard.press("ArrowUp")
    ada.page.keyboard.press("ArrowUp")
    last = ada.page.locator('#suggested [aria-selected="true"]')
    told = last.inner_text()
    expect(field).to_have_attribute("aria-activedescendant", str(last.get_attribute("id")))
    ada.page.keyboard.press("Enter")
    expect(field).to_have_value(told)
    expect(options).to_have_count(0)
    assert told in [f"Annabel Lee #{one.id[:4].upper()}" for one in twins]
    ada.send("Challenge")
    made = server.service.games.load(ada.page.url.rpartition("/")[2])
    [chosen] = [one for one in twins if told.endswith(one.id[:4].upper())]
    assert chosen.id in made.seats
    # The search field of every page leads to the player.
    site = ada.page.get_by_label("Player or game")
    site.press_sequentially("co")
    ada.page.locator(f'[role=option][data-player="{co.id}"]').click()
    ada.page.wait_for_url(f"**/players/{co.id}")
    expect(ada.page.get_by_role("heading", level=1)).to_have_text(SHOWN)


def test_a_marked_player_stays_marked_when_a_late_answer_changes_the_list(
    opened: Opened, server: WebServer
) -> None:
    wanted = sorted(register(server, f"Zoltan {name}").id for name in ("Kiss", "Nagy"))
    register(server, "Zoe")
    ada = opened("Ada")
    ada.go("/lobby")
    held: list[Route] = []
    ada.page.route("**/players?*name=zolt", lambda route: held.append(route))
    field = ada.page.get_by_label("Opponent", exact=True)
    options = ada.page.locator("#suggested [role=option]:visible")
    field.press_sequentially("zo", delay=0)
    expect(options).to_have_count(3)
    with ada.page.expect_request("**/players?*name=zolt"):
        field.press_sequentially("lt", delay=0)
    marked = ada.page.locator('#suggested [aria-selected="true"]')
    while marked.count() == 0 or marked.get_attribute("data-player") != wanted[1]:
        ada.page.keyboard.press("ArrowDown")
    held[0].continue_()
    expect(options).to_have_count(2)
    expect(marked).to_have_attribute("data-player", wanted[1])
    ada.page.keyboard.press("Enter")
    expect(field).to_have_value(re.compile("Zoltan"))
    expect(ada.page).to_have_url(re.compile("/lobby$"))


def test_the_search_field_works_by_its_form_without_scripts(
    opened: Opened, server: WebServer
) -> None:
    xenia = register(server, "Xenia")
    reader = opened(java_script_enabled=False)
    reader.go("/")
    reader.page.get_by_label("Player or game").fill("xenia")
    reader.page.keyboard.press("Enter")
    reader.page.wait_for_url("**/search?q=xenia")
    link = reader.page.locator("#main").get_by_role("link", name="Xenia", exact=True)
    expect(link).to_have_attribute("href", f"/players/{xenia.id}")
    reader.go("/lobby")
    expect(reader.page.locator("#notify")).to_have_count(0)


@SHAPES
def test_the_first_page_follows_a_game_and_the_readers_turns(
    opened: Opened, server: WebServer, shape: dict[str, Any]
) -> None:
    number = new_id()[:6]
    brahim = register(server, f"Brahim {number}")
    ada, stranger = opened(f"Ada {number}", **shape), opened(**shape)
    assert ada.player is not None
    game = running(server, brahim, ada.player)
    server.catch_up()
    ada.go("/")
    stranger.go("/")
    expect(stranger.page.locator("#watched")).to_contain_text(f"Brahim {number} to act")
    expect(ada.page.locator("#yours")).to_contain_text(f"Brahim {number} to act")
    # The reader's own games are already listed above.
    expect(ada.page.locator("#watched")).not_to_contain_text(number)
    expect(ada.page.locator("#yours")).not_to_contain_text("Your turn")
    post(server, f"{game}/actions", {"action": "Pd1"}, brahim)
    expect(ada.page.locator("#yours")).to_contain_text("Your turn")
    expect(ada.page.locator("#yours .cards [data-game]")).to_have_count(1)
    expect(stranger.page.locator("#watched")).to_contain_text(f"Ada {number} to act")
    board = stranger.page.locator("#watched [data-board]")
    expect(board).to_have_attribute("data-ply", "1")
    # A board is drawn only once it is in view.
    board.scroll_into_view_if_needed()
    expect(board.locator('[data-on="d1"]')).to_have_count(1)
    post(server, f"{game}/commands", {"type": "resign"}, brahim)
    expect(stranger.page.locator("#watched")).to_contain_text(f"Ada {number} won: resignation")
    expect(ada.page.locator("#yours [data-game]")).to_have_count(0)


def told(page: Page) -> list[list[str]]:
    """The notifications that a page has shown."""
    found: list[list[str]] = page.evaluate("window.told")
    return found


def test_a_turn_is_told_once_while_all_pages_are_hidden(opened: Opened, server: WebServer) -> None:
    brahim = register(server, "Basil")
    ada = opened("Ada")
    assert ada.player is not None
    context = ada.page.context
    context.add_init_script(RECORDED)
    streams: list[str] = []
    context.on(
        "request", lambda asked: streams.append(asked.url) if "/me/stream" in asked.url else None
    )
    game = running(server, brahim, ada.player)
    server.catch_up()
    ada.go("/")
    tabs = [ada.page, context.new_page()]
    tabs[1].goto("/players")
    switch = ada.page.get_by_role("switch", name="Tell me when it is my turn")
    expect(switch).to_have_attribute("aria-checked", "false")
    assert [page.evaluate("window.asked") for page in tabs] == [0, 0]
    switch.click()
    expect(switch).to_have_attribute("aria-checked", "true")
    assert [page.evaluate("window.asked") for page in tabs] == [1, 0]
    # While one of the tabs is visible, no notification is shown.
    tabs[0].evaluate(LOOK_AWAY, True)
    post(server, f"{game}/actions", {"action": "Sd1"}, brahim)
    answered = post(server, f"{game}/actions", {"action": "Sa8"}, ada.player).json()
    shown = tabs[0].locator(f'#yours [data-game="{game[7:]}"]')
    expect(shown).to_have_attribute("data-seen", str(answered["version"]))
    tabs[1].evaluate(LOOK_AWAY, True)
    post(server, f"{game}/actions", {"action": "Sc1"}, brahim)
    leading = tabs[0]
    expect(leading.locator("html")).to_have_attribute("data-told", "1")
    assert told(leading) == [["Your turn against Basil", "Katruji: Sc1 was played.", game[7:]]]
    assert told(tabs[1]) == []
    assert len(streams) == 1
    # When the tab with the stream is closed, another takes over.
    with context.expect_event("request", lambda asked: "/me/stream" in asked.url):
        leading.close()
    post(server, f"{game}/actions", {"action": "Sb8"}, ada.player)
    post(server, f"{game}/actions", {"action": "Sd1"}, brahim)
    expect(tabs[1].locator("html")).to_have_attribute("data-told", "1")
    assert [one[1] for one in told(tabs[1])] == ["Katruji: Sd1 was played."]
    assert len(streams) == 2


def test_a_turn_that_a_closed_tab_was_about_to_tell_is_told_by_another(
    opened: Opened, server: WebServer
) -> None:
    brahim = register(server, "Basil")
    ada = opened("Ada")
    assert ada.player is not None
    context = ada.page.context
    context.add_init_script(RECORDED)
    context.add_init_script(GRANTED)
    game = running(server, brahim, ada.player)
    server.catch_up()
    ada.go("/")
    tabs = [ada.page, context.new_page()]
    tabs[1].goto("/")
    # The stream tells each tab of the game as it is, before there is something new.
    post(server, f"{game}/actions", {"action": "Sd1"}, brahim)
    answered = post(server, f"{game}/actions", {"action": "Sa8"}, ada.player).json()
    for tab in tabs:
        seen = tab.locator(f'#yours [data-game="{game[7:]}"]')
        expect(seen).to_have_attribute("data-seen", str(answered["version"]))
        tab.evaluate(LOOK_AWAY, True)
    tabs[0].evaluate("""() => {
      window.queried = new Promise((asked) => {
        navigator.locks.query = () => { asked(); return new Promise(() => {}); };
      });
    }""")
    post(server, f"{game}/actions", {"action": "Sc1"}, brahim)
    tabs[0].evaluate("window.queried")
    tabs[0].close()
    expect(tabs[1].locator("html")).to_have_attribute("data-told", "1")
    assert [one[1] for one in told(tabs[1])] == ["Katruji: Sc1 was played."]


def test_a_tab_whose_reader_signs_out_in_another_closes_their_stream(opened: Opened) -> None:
    """Else it would ask for it again and again, and be refused each time."""
    ada = opened("Ada")
    assert ada.player is not None
    other = ada.page.context.new_page()
    with ada.page.expect_request("**/me/stream"):
        ada.go("/")
    other.goto("/")
    other.get_by_role("button", name="More").click()
    with ada.page.expect_event("requestfailed", lambda asked: asked.url.endswith("/me/stream")):
        other.get_by_role("button", name="Sign out").click()
    expect(ada.page.locator("#who")).to_contain_text("Sign in")
    # Once they have signed in again there, and that tab is gone, it follows their games again.
    ada.sign_in(ada.player.token.secret)
    other.goto("/")
    with ada.page.expect_request("**/me/stream"):
        other.close()


def test_a_browser_that_refuses_notifications_is_told_on_the_switch(
    opened: Opened, server: WebServer
) -> None:
    ada = opened("Ada")
    ada.page.context.add_init_script(RECORDED)
    ada.go("/")
    ada.page.evaluate('localStorage.setItem("answer", "denied")')
    switch = ada.page.get_by_role("switch")
    switch.click()
    expect(ada.page.locator("#notify")).to_contain_text("This browser blocks notifications")
    expect(switch).to_have_attribute("aria-checked", "false")
    # The setting stays off, so hidden pages keep no stream open.
    assert ada.page.evaluate("localStorage.getItem('movelog-notify')") == "off"


def test_the_computer_is_played_from_the_first_page(opened: Opened, server: WebServer) -> None:
    register_computers(server.service.players)
    ada = opened("Ada")
    ada.go("/")
    ada.page.get_by_label("Level of the computer").select_option("computer-1")
    ada.page.get_by_label("My side").select_option("second (North, Blue, Black)")
    ada.page.get_by_role("button", name=re.compile("^Katruji")).click()
    ada.page.wait_for_url("**/games/*")
    game = server.service.games.load(ada.page.url.rpartition("/")[2])
    assert game.variant == "katruji"
    assert server.service.players.names(game.seats)[game.seats[0] or ""] == "computer-1"


def test_a_newcomer_takes_a_challenge_as_a_guest(opened: Opened, server: WebServer) -> None:
    game = offer(server, register(server, "Felix"), time_control="60+1")
    server.catch_up()
    reader = opened()
    reader.go("/lobby?speed=bullet")
    row(reader.page, game).get_by_role("button", name="Play as a guest").click()
    reader.page.wait_for_url(f"**/games/{game}")
    reader.page.get_by_role("button", name="Accept the challenge").click()
    expect(reader.page.locator("#state")).to_contain_text("running")
