"""How the analysis board follows analyses by streams: only that of the position shown."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.pages.conftest import Opened
from tests.pages.reader import Reader
from tests.pages.test_analysing import begin, work
from tests.service.web_server import WebServer

STREAM = "**/api/v1/analyses/*/stream"
COUNTED = """
window.streams = [];
const Plain = EventSource;
window.EventSource = class extends Plain {
  constructor(address) {
    super(address);
    window.streams.push(this);
  }
};
"""
"""Keeps all streams that a page has opened."""
OPEN = """window.streams.filter(
  (one) => one.readyState !== EventSource.CLOSED && one.url.includes("/analyses/")
).map((one) => one.url)"""
"""The addresses of the streams of analyses that are open."""
FIND = """([depth, actions, san]) => {
  const lines = [{ score: 10, actions, san, plies_to_end: null }];
  const finding = { lines, chance: 0.5, depth, nodes: depth, worlds: 1 };
  const data = JSON.stringify({ index: 0, finding });
  window.streams.at(-1).dispatchEvent(new MessageEvent("under_way", { data }));
}"""
"""Sends one line to the page, found in the position shown."""


@pytest.fixture
def ada(opened: Opened) -> Reader:
    reader = opened("Ada Analyst")
    reader.page.add_init_script(COUNTED)
    return reader


def analyse(reader: Reader) -> str:
    """Have the position shown analysed, and return the analysis's id."""
    with reader.page.expect_response("**/api/v1/analyses") as asked:
        reader.press("Find the best lines")
    expect(reader.page.locator("#progress")).to_contain_text("Analysing")
    return str(asked.value.json()["id"])


def wait_for_streams(reader: Reader, *ids: str) -> None:
    """Wait until the streams of exactly these analyses are open."""
    told = [f"{reader.url}/api/v1/analyses/{id}/stream" for id in ids]
    reader.page.wait_for_function(f"(told) => String({OPEN}) === told", arg=",".join(told))


def test_only_the_analysis_of_the_position_shown_is_followed(
    ada: Reader, server: WebServer
) -> None:
    begin(ada, "katruji")
    made = [analyse(ada)]
    for ply in range(1, 7):
        ada.page.locator("#legal option").nth(0).wait_for(state="attached")
        action = ada.page.locator("#legal option").nth(0).get_attribute("value")
        ada.page.get_by_label("Action", exact=True).fill(str(action))
        ada.page.get_by_role("button", name="Play", exact=True).click()
        ada.plies(ply)
        made.append(analyse(ada))
        wait_for_streams(ada, made[-1])
    # Other requests are not held up; what was found meanwhile is shown on the way back.
    ada.page.keyboard.press("Home")
    ada.plies(0)
    wait_for_streams(ada, made[0])
    ada.look_away()
    wait_for_streams(ada)
    work(server, made[0])
    ada.look_away(False)
    expect(ada.page.locator("#found .lines li")).to_have_count(3)
    wait_for_streams(ada)


def test_a_position_that_is_analysed_again_has_one_stream(ada: Reader) -> None:
    begin(ada, "kerd")
    analyse(ada)
    wait_for_streams(ada, analyse(ada))


def begin_analysis(reader: Reader, first: str) -> None:
    """Have the position after an action analysed, which nobody else has asked for."""
    begin(reader, "katruji")
    reader.play(first)
    reader.plies(1)
    wait_for_streams(reader, analyse(reader))


def test_a_line_that_is_pressed_is_played_whatever_is_found_meanwhile(ada: Reader) -> None:
    begin_analysis(ada, "b3a4")
    ada.page.evaluate(FIND, [1, ["b6a7"], ["Pa7"]])
    ada.page.get_by_role("button", name="Pa7").hover()
    ada.page.mouse.down()
    ada.page.evaluate(FIND, [2, ["b6a5"], ["Pa5"]])
    ada.page.mouse.up()
    ada.plies(2)
    expect(ada.page.locator("#tree")).to_have_text("1. Pa4 Pa7")
    ada.page.keyboard.press("ArrowLeft")
    expect(ada.page.locator("#found .lines")).to_contain_text("Pa5")


def test_the_focus_stays_in_the_tree_and_in_the_lines(ada: Reader) -> None:
    """Whatever is played and found."""
    begin_analysis(ada, "b3c4")
    ada.page.evaluate(FIND, [1, ["b6a7", "c2d1"], ["Pa7", "Pd1"]])
    steps, played = ada.page.locator("#found .lines button"), ada.page.locator("#tree button")
    steps.nth(1).focus()
    ada.page.evaluate(FIND, [2, ["b6a5", "c3d4"], ["Pa5", "Pd4"]])
    expect(steps.nth(1)).to_have_text("Pd4")
    expect(steps.nth(1)).to_be_focused()
    ada.page.keyboard.press("Enter")
    ada.plies(3)
    expect(played.nth(2)).to_be_focused()
    for _ in range(2):
        ada.page.keyboard.press("Shift+Tab")
    ada.page.keyboard.press("Enter")
    ada.plies(1)
    expect(played.nth(0)).to_be_focused()
    expect(played.nth(0)).to_have_attribute("aria-current", "true")
    ada.page.evaluate(FIND, [3, ["b6a7"], ["Pa7"]])
    expect(steps).to_have_text("Pa7")
    expect(played.nth(0)).to_be_focused()
    # A variation is written into the tree.
    steps.click()
    ada.plies(2)
    expect(played).to_have_count(4)


def test_the_focus_goes_to_the_tree_from_a_button_that_has_done_its_work(ada: Reader) -> None:
    begin(ada, "katruji")
    ada.play("c2d1")
    ada.plies(1)
    ada.page.keyboard.press("ArrowLeft")
    ada.plies(0)
    ada.play("c3d4")
    ada.plies(1)
    ada.page.locator("#promote").focus()
    ada.page.keyboard.press("Enter")
    expect(ada.page.locator("#promote")).to_be_hidden()
    expect(ada.page.locator('#tree [aria-current="true"]')).to_be_focused()
    ada.page.keyboard.press("Tab")
    ada.page.keyboard.press("Enter")
    ada.page.locator("#remove").focus()
    ada.page.keyboard.press("Enter")
    expect(ada.page.locator("#tree button")).to_have_count(1)
    expect(ada.page.locator("#tree")).to_be_focused()


def test_an_answer_from_a_proxy_is_told(ada: Reader) -> None:
    ada.expected = ("502",)
    begin(ada, "katruji")
    ada.page.route(
        "**/api/v1/analyses",
        lambda route: route.fulfill(status=502, body="<h1>Bad gateway</h1>"),
    )
    ada.press("Find the best lines")
    expect(ada.page.locator("#problem")).to_have_text("No answer. Try again.")
    expect(ada.page.locator("#progress")).to_be_hidden()


@pytest.mark.parametrize(("status", "variant"), [(429, "kerd"), (503, "kerak")])
def test_a_stream_that_is_refused_is_tried_again(
    ada: Reader, server: WebServer, status: int, variant: str
) -> None:
    ada.expected = (str(status),)
    begin(ada, variant)
    ada.page.route(STREAM, lambda route: route.fulfill(status=status), times=1)
    with ada.page.expect_response(STREAM):
        id = analyse(ada)
    work(server, id)
    expect(ada.page.locator("#found .lines li")).to_have_count(3)
