"""Analysing in a browser: variations, engine lines, a game's chart, setting up a position."""

from __future__ import annotations

from typing import Any

import pytest
import requests
from playwright.sync_api import Route, expect

from service.player.repository import NewPlayer
from tests.pages.conftest import Opened
from tests.pages.reader import Reader
from tests.service.api.live import post
from tests.service.web_server import WebServer
from workers.job_functions import FUNCTIONS
from workers.run import carry_out

ACTIONS = ("Pd1", "Pa7", "Pd2", "Pa8")
LIMITS = {"nodes": 1500}


def work(server: WebServer, id: str) -> None:
    """Carry an analysis out as a worker."""
    carry_out(id, server.service, server.service.jobs, FUNCTIONS)


def get(server: WebServer, path: str) -> Any:
    """The JSON at a path of the API."""
    return requests.get(f"{server.url}/api/v1{path}", timeout=90).json()


def ended_game(server: WebServer, by: NewPlayer) -> str:
    """Create a finished game, kept by a scribe, and return its path."""
    seats = {"first": {"name": "Ada"}, "second": {"name": "Brahim"}}
    wish = {"variant": "katruji", "mode": "scribe", "players": seats}
    path = f"/games/{post(server, '/games', wish, by).json()['id']}"
    for action in ACTIONS:
        post(server, f"{path}/actions", {"action": action}, by)
    post(server, f"{path}/commands", {"type": "resign", "side": "first"}, by)
    return path


def analysed_game(server: WebServer, by: NewPlayer) -> str:
    """Create a finished game, analyse it, and return its path."""
    path = ended_game(server, by)
    wish = {"game": path.removeprefix("/games/"), "limits": LIMITS, "lines": 3}
    work(server, post(server, "/analyses", wish, by).json()["id"])
    return path


@pytest.fixture
def ada(opened: Opened) -> Reader:
    return opened("Ada Analyst")


def begin(reader: Reader, variant: str) -> None:
    """Open the analysis board, and wait until it can be played on."""
    reader.go(f"/analysis?variant={variant}")
    expect(tree(reader)).to_have_text("Play on the board: each action is kept here.")


def tree(reader: Reader) -> Any:
    """The tree of moves tried."""
    return reader.page.locator("#tree")


def test_without_the_position_the_page_stays_as_it_came_and_works(ada: Reader) -> None:
    ada.expected = ("ERR_FAILED",)
    ada.page.route("**/api/v1/variants/*/position?*", lambda route: route.abort())
    ada.go("/analysis?variant=katruji")
    expect(ada.page.locator("#problem")).to_have_text("No answer. Try again.")
    expect(ada.cell("c3")).to_be_visible()
    ada.page.get_by_label("Flip the board").click()
    expect(ada.page.locator("#board .position")).to_have_attribute("data-below", "second")
    ada.page.unroute("**/api/v1/variants/*/position?*")
    ada.page.get_by_label("Action", exact=True).fill("Pd4")
    ada.page.get_by_role("button", name="Play", exact=True).click()
    expect(ada.page.locator(".turn")).to_have_text("North to act, move 1")


def test_what_is_tried_is_kept_as_a_tree(ada: Reader) -> None:
    begin(ada, "katruji")
    ada.play("c2d1")
    ada.plies(1)
    expect(tree(ada)).to_have_text("1. Pd1")
    ada.page.keyboard.press("ArrowLeft")
    ada.plies(0)
    ada.play("c3d4")
    ada.plies(1)
    expect(tree(ada).locator(".variation")).to_have_count(1)
    variation = tree(ada).locator('[aria-current="true"]')
    expect(variation).to_be_visible()
    tree(ada).get_by_role("button", name="1. Pd1").click()
    fen = get_position(ada, "Pd1")
    expect(ada.page.locator("#fen")).to_have_text(fen)
    play(ada, "Pa7")
    ada.plies(2)
    expect(ada.page.locator("#remove")).to_be_hidden()
    tree(ada).locator(".variation button").first.click()
    ada.plies(1)
    ada.press("Remove this variation")
    ada.plies(0)
    expect(tree(ada).locator(".variation")).to_have_count(0)


def play(reader: Reader, san: str) -> None:
    """Play an action of Katruji, given in SAN, on the board."""
    fen = reader.page.locator("#fen").text_content() or ""
    path = f"{reader.url}/api/v1/variants/katruji/position"
    told = requests.get(path, params={"fen": fen}, timeout=90).json()
    reader.play(next(one["action"] for one in told["actions"] if one["san"] == san))


def get_position(reader: Reader, line: str) -> str:
    """The FEN of the position after a line of Katruji."""
    path = f"{reader.url}/api/v1/variants/katruji/position"
    told = requests.get(path, params={"action": line}, timeout=90).json()
    fen: str = told["position"]["fen"]
    return fen


def test_what_is_typed_is_played_or_explained(ada: Reader) -> None:
    begin(ada, "katruji")
    field = ada.page.locator('#act [name="action"]')
    ada.expected = ("422",)
    field.fill("Pd5")
    field.press("Enter")
    expect(ada.page.locator("#problem")).to_contain_text("Pd5")
    ada.plies(0)
    field.fill("Pd1")
    field.press("Enter")
    ada.plies(1)
    expect(ada.page.locator("#problem")).to_be_empty()


def test_several_actions_are_typed_at_once(ada: Reader) -> None:
    """All are played, or none if one is wrong."""
    begin(ada, "katruji")
    field = ada.page.locator('#act [name="action"]')
    ada.expected = ("422",)
    field.fill("Pd1 Pa7  Pd2")
    field.press("Enter")
    ada.plies(3)
    expect(tree(ada)).to_have_text("1. Pd1 Pa7 2. Pd2")
    field.fill("Pa8 Pd5")
    field.press("Enter")
    expect(ada.page.locator("#problem")).to_contain_text("Pd5")
    ada.plies(3)
    expect(tree(ada)).to_have_text("1. Pd1 Pa7 2. Pd2")
    expect(field).to_have_value("Pa8 Pd5")


@pytest.mark.parametrize("text", ["Pd1", "Pd1 Pa7"])
def test_typed_actions_are_given_back_without_an_answer(ada: Reader, text: str) -> None:
    begin(ada, "katruji")
    ada.expected = ("ERR_FAILED",)
    position = "**/position?*action=c2d1*"
    field = ada.page.locator('#act [name="action"]')
    ada.page.route(position, lambda route: route.abort())
    field.fill(text)
    field.press("Enter")
    expect(ada.page.locator("#problem")).to_have_text("No answer. Try again.")
    expect(field).to_have_value(text)
    ada.page.unroute(position)
    field.press("Enter")
    expect(field).to_have_value("")
    ada.plies(len(text.split()))


def test_what_was_typed_is_played_where_it_was_typed(ada: Reader) -> None:
    """Its reader has gone back before the service answered, and stays there."""
    begin(ada, "katruji")
    ada.play("c2d1")
    ada.plies(1)
    held: list[Route] = []
    ada.page.route("**/position?*action=Pa7", lambda route: held.append(route))
    field = ada.page.locator('#act [name="action"]')
    with ada.page.expect_request("**/position?*action=Pa7"):
        field.fill("Pa7 Pd2")
        field.press("Enter")
    tree(ada).focus()
    ada.page.keyboard.press("Home")
    ada.plies(0)
    held[0].continue_()
    expect(tree(ada)).to_have_text("1. Pd1 Pa7 2. Pd2")
    ada.plies(0)


def test_a_position_is_analysed_and_its_lines_are_played(ada: Reader, server: WebServer) -> None:
    begin(ada, "katruji")
    ada.play("c2d1")
    ada.plies(1)
    with ada.page.expect_response("**/api/v1/analyses") as asked:
        ada.press("Find the best lines")
    expect(ada.page.locator("#progress")).to_contain_text("Analysing")
    id = asked.value.json()["id"]
    work(server, id)
    chance = get(server, f"/analyses/{id}")["findings"][0]["finding"]["chance"]
    lines = ada.page.locator("#found .lines li")
    expect(lines).to_have_count(3)
    expect(ada.page.locator("#progress")).to_be_hidden()
    expect(ada.page.locator(".evaluation-bar")).to_have_attribute(
        "aria-valuenow", str(round(100 * chance))
    )
    lines.first.locator("button").nth(1).click()
    ada.plies(3)
    expect(tree(ada).locator("button")).to_have_count(3)


def test_a_game_shows_its_analysis_beside_the_replay(ada: Reader, server: WebServer) -> None:
    assert ada.player
    path = analysed_game(server, ada.player)
    found = get(server, f"{path}/analysis")
    ada.go(path)
    ada.plies(4)
    ada.await_board()
    chart = ada.page.locator("#chart svg")
    box = chart.bounding_box()
    assert box
    for ply in (1, 3):
        chart.click(position={"x": box["width"] * ply / 4, "y": box["height"] / 2})
        ada.plies(ply)
        expect(ada.page.locator("#slider")).to_have_value(str(ply))
        chance = round(100 * found["findings"][ply]["finding"]["chance"])
        bar = ada.page.locator(".evaluation-bar")
        expect(bar).to_have_attribute("aria-valuenow", str(chance))
        expect(ada.page.locator("#found .lines li")).to_have_count(3)
    ada.page.keyboard.press("ArrowLeft")
    ada.plies(2)
    middle = chart.evaluate("svg => svg.querySelector('.cursor').getAttribute('d')")
    assert middle == "M180.0 0V120"
    signs = {"inaccuracy": "?!", "mistake": "?", "blunder": "??"}
    for at, judged in enumerate(found["judged"]["actions"], 1):
        sign = signs.get(judged["judgement"], "!" if judged["only"] else "") if judged else ""
        link = ada.page.locator(f'#moves ol [data-ply="{at}"]')
        expect(link).to_contain_text(get(server, path)["actions"][at - 1]["san"] + sign)


def test_how_each_side_played_is_told_when_the_analysis_ends(
    ada: Reader, server: WebServer
) -> None:
    assert ada.player
    path = ended_game(server, ada.player)
    wish = {"game": path.removeprefix("/games/"), "limits": LIMITS}
    id = post(server, "/analyses", wish, ada.player).json()["id"]
    ada.go(path)
    expect(ada.page.locator("#chart svg")).to_be_visible()
    tallies = ada.page.locator("#tallies")
    expect(tallies).to_be_empty()
    work(server, id)
    for side in get(server, f"{path}/analysis")["judged"]["sides"].values():
        told = f"{side['accuracy']:.0f} % accuracy, {side['blunder']} blunder"
        expect(tallies).to_contain_text(told)
    expect(ada.page.locator("#analysing")).to_be_hidden()


def test_a_variation_is_kept_with_the_game(ada: Reader, server: WebServer) -> None:
    assert ada.player
    path = ended_game(server, ada.player)
    ada.expected = ("404",)
    ada.go(f"/analysis?game={path.removeprefix('/games/')}&ply=1")
    ada.plies(1)
    expect(tree(ada)).to_have_text("1. Pd1 Pa7 2. Pd2 Pa8")
    play(ada, "Pa6")
    ada.plies(2)
    ada.press("Keep this variation with the game")
    expect(ada.page.locator("#problem")).to_have_text("The variation is saved with the game.")
    (kept,) = get(server, path)["actions"][1]["variations"]
    assert kept == "1... Pa6"
    ada.go(f"{path}?ply=2")
    expect(ada.page.locator("#moves")).to_contain_text("(1... Pa6)")


def test_variations_that_are_kept_with_a_game_are_in_the_tree(
    ada: Reader, server: WebServer
) -> None:
    assert ada.player
    path = ended_game(server, ada.player)
    told = get(server, path)
    body = {
        "type": "annotate",
        "ply": 2,
        "annotation": {"nags": [], "comments": [], "comments_before": []},
        "variations": ["1... Pa6 {slow} (1... Pb5) 2. Pd2", "1... Pa5"],
        "expected_version": told["version"],
    }
    assert post(server, f"{path}/commands", body, ada.player).status_code == 200
    ada.expected = ("404",)
    ada.go(f"/analysis?game={path.removeprefix('/games/')}&ply=2")
    ada.plies(2)
    expect(tree(ada)).to_contain_text("Pa6")
    for action in ("Pb5", "Pa5", "slow"):
        expect(tree(ada)).to_contain_text(action)
    keep = ada.page.get_by_role("button", name="Keep this variation with the game")
    tree(ada).get_by_role("button", name="Pa5").click()
    expect(ada.page.locator("#remove")).to_be_visible()
    expect(keep).to_be_hidden()
    # An extended variation is kept in the same place.
    play(ada, "Pd2")
    ada.plies(3)
    keep.click()
    expect(ada.page.locator("#problem")).to_have_text("The variation is saved with the game.")
    expect(keep).to_be_hidden()
    kept = get(server, path)["actions"][1]["variations"]
    assert kept == ["1... Pa6 {slow} (1... Pb5) 2. Pd2", "1... Pa5 2. Pd2"]


@pytest.mark.parametrize("variant", ["kerd", "kerak"])
def test_other_boards_are_played_on_too(ada: Reader, server: WebServer, variant: str) -> None:
    begin(ada, variant)
    for ply in (1, 2):
        fen = ada.page.locator("#fen").text_content() or ""
        path = f"{server.url}/api/v1/variants/{variant}/position"
        told = requests.get(path, params={"fen": fen}, timeout=90).json()
        ada.play(next(one["action"] for one in told["actions"] if one["to"]))
        ada.plies(ply)
    expect(tree(ada).locator("button")).to_have_count(2)
