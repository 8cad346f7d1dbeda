"""Puzzles are solved on the board, by typing, and without scripts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from playwright.sync_api import Locator, Route, expect

from engine.registry import VARIANTS
from service.boards.scene import find_cells, make_scene
from service.ids import new_id
from service.player.scopes import SCOPES
from service.puzzles.collection import load_collection
from service.puzzles.errors import WithdrawnPuzzle
from service.puzzles.found.commands import RecordPuzzles
from service.puzzles.puzzle import Puzzle
from tests.pages.conftest import Opened
from tests.pages.reader import Reader
from tests.pages.test_asking import SHAPES
from tests.pages.test_rules import reach
from tests.service.puzzles.planted import PLANTED, PLY, find_planted, play_planted
from tests.service.puzzles.solvers import find_own, find_wrong
from tests.service.web_server import WebServer
from tests.waiting import eventually


@pytest.fixture(autouse=True)
def projected(server: WebServer) -> None:
    """Wait until the projector has listed the shipped puzzles."""
    eventually(lambda: server.service.puzzle_list.page(None, None, limit=1) != [])


def choose(variant: str) -> Puzzle:
    """A puzzle whose solution is several simple moves."""
    return next(
        one
        for one in load_collection().list_puzzles(variant)
        if len(find_own(one)) > 1 and all(len(find_cells(own)) == 2 for own in find_own(one))
    )


def open_puzzle(reader: Reader, puzzle: Puzzle) -> Locator:
    """Open a puzzle, and return its figure once the board can be played on."""
    reader.go(f"/puzzles/{puzzle.id}")
    figure = reader.page.locator("figure.puzzle")
    expect(figure.locator('[role="gridcell"]').first).to_be_attached()
    return figure


@SHAPES
@pytest.mark.parametrize("variant", ["katruji", "kerak", "kerd"])
def test_a_puzzle_is_solved_on_the_board(
    opened: Opened, shape: dict[str, Any], variant: str
) -> None:
    reader, puzzle = opened(**shape), choose(variant)
    figure = open_puzzle(reader, puzzle)
    own = find_own(puzzle)
    for count, action in enumerate(own, 1):
        reach(reader, figure, *find_cells(action))
        expected = "Solved." if count == len(own) else "Right. Go on."
        expect(figure.locator(".status")).to_have_text(expected)
        expect(figure.locator(".line .own")).to_have_count(count)
    expect(figure.locator(".line span")).to_have_count(len(puzzle.line))
    expect(figure.locator(".rated")).to_have_text("")
    expect(figure).to_contain_text("Not rated: sign in to have your attempts rated.")
    figure.get_by_role("link", name="Next puzzle").click()
    expect(figure.locator(".status")).to_contain_text("Find the best action.")


@pytest.mark.parametrize("variant", VARIANTS)
def test_nothing_moves_when_the_board_comes(opened: Opened, variant: str) -> None:
    reader = opened(viewport={"width": 390, "height": 800})
    # The fewer pieces on the board, the more lines in the trays.
    puzzle = min(load_collection().list_puzzles(variant), key=count_pieces)
    figure = open_puzzle(reader, puzzle)
    expect(figure.locator(".tray")).to_have_count(len(make_scene(variant, puzzle.fen).trays))
    assert reader.measure_shift() < 0.001


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1366, 650), (1920, 950)])
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_window_shows_the_whole_board(
    opened: Opened, variant: str, width: int, height: int
) -> None:
    reader = opened("Margarethe Schmidt", viewport={"width": width, "height": height})
    figure = open_puzzle(reader, choose(variant))
    for part in ("svg.board", ".status", '[data-side="first"]', '[data-side="second"]'):
        expect(figure.locator(part).first).to_be_in_viewport(ratio=1)


def count_pieces(puzzle: Puzzle) -> int:
    """The number of pieces on the puzzle's board."""
    return len(make_scene(puzzle.variant, puzzle.fen).letters)


@SHAPES
def test_a_player_is_rated_and_goes_on_by_one_press(opened: Opened, shape: dict[str, Any]) -> None:
    reader, puzzle = opened("Ada", **shape), choose("kerak")
    figure = open_puzzle(reader, puzzle)
    expect(figure).to_contain_text("Either counts as not solved.")
    first, *others = find_own(puzzle)
    reach(reader, figure, *find_cells(first))
    expect(figure.locator(".status")).to_have_text("Right. Go on.")
    # The reply is on the board, and nothing is rated yet.
    reply = puzzle.line[1]
    expect(figure.locator(".line .reply")).to_have_count(1)
    expect(figure.locator(f'[data-piece][data-on="{find_cells(reply)[-1]}"]')).to_have_count(1)
    expect(figure.locator(".rated")).to_have_text("")
    for action in others:
        reach(reader, figure, *find_cells(action))
    expect(figure.locator(".status")).to_have_text("Solved.")
    rated = figure.locator(".rated")
    expect(rated).to_have_text(
        re.compile(r"Solved at the first attempt\. Your puzzle rating: 1,\d{3} \(\+\d+\)\.")
    )
    expect(figure.locator(".cost")).to_have_count(0)
    expect(figure.get_by_role("link", name="Next puzzle")).to_be_focused()
    reader.page.keyboard.press("Enter")
    expect(figure.locator(".status")).to_contain_text("Find the best action.")
    assert puzzle.id not in reader.page.url
    open_puzzle(reader, puzzle)
    expect(rated).to_contain_text("You have tried this puzzle before: it does not count again.")
    expect(rated).to_contain_text("Solved at the first attempt.")


class SlowNetwork:
    """Holds the tries of a reader's puzzle back, each until it is passed on."""

    def __init__(self, reader: Reader) -> None:
        self.page = reader.page
        self.held: list[Route] = []
        self.page.route("**/attempts", lambda route: self.held.append(route))

    def pass_on(self) -> None:
        """Wait for a try, and pass it on; there must not be two at once."""
        while not self.held:
            self.page.wait_for_timeout(20)
        self.page.wait_for_timeout(100)
        (one,) = self.held
        self.held.clear()
        with self.page.expect_response("**/attempts"):
            one.continue_()


def type_actions(figure: Locator, actions: Sequence[str]) -> None:
    """Type actions, one right after the other."""
    field = figure.get_by_label("Action")
    for action in actions:
        field.fill(action)
        field.press("Enter")


@pytest.mark.parametrize("variant", ["katruji", "kerak"])
def test_actions_typed_before_the_answer_are_judged_in_their_order(
    opened: Opened, variant: str
) -> None:
    reader, puzzle = opened("Eve"), choose(variant)
    figure, own = open_puzzle(reader, puzzle), find_own(puzzle)
    network = SlowNetwork(reader)
    type_actions(figure, own)
    for _ in own:
        network.pass_on()
    expect(figure.locator(".status")).to_have_text("Solved.")
    expect(figure.locator(".rated")).to_contain_text("Solved at the first attempt.")
    expect(figure.locator(".line span")).to_have_count(len(puzzle.line))


def test_what_was_typed_after_a_wrong_action_is_dropped(opened: Opened) -> None:
    reader, puzzle = opened(), choose("kerak")
    figure, own = open_puzzle(reader, puzzle), find_own(puzzle)
    network = SlowNetwork(reader)
    type_actions(figure, [find_wrong(puzzle), own[0]])
    network.pass_on()
    expect(figure.locator(".status")).to_contain_text("is not the best action")
    reader.page.wait_for_timeout(200)
    assert not network.held
    expect(figure.locator(".line span")).to_have_count(0)
    type_actions(figure, own[:1])
    network.pass_on()
    expect(figure.locator(".status")).to_have_text("Right. Go on.")


def test_help_asked_for_before_the_answer_begins_after_it(opened: Opened) -> None:
    reader, puzzle = opened(), choose("kerak")
    figure, own = open_puzzle(reader, puzzle), find_own(puzzle)
    network = SlowNetwork(reader)
    type_actions(figure, own[:1])
    figure.get_by_role("button", name="Hint").click()
    network.pass_on()
    network.pass_on()
    expect(figure.locator(".status")).to_have_text(f"Look at {find_cells(own[1])[0]}.")


def test_a_solution_that_does_not_come_is_told(opened: Opened) -> None:
    reader, puzzle = opened(), choose("kerak")
    reader.expected = ("ERR_FAILED",)
    figure = open_puzzle(reader, puzzle)
    reader.page.route("**/solution", lambda route: route.abort())
    figure.get_by_role("button", name="Show the solution").click()
    expect(figure.locator(".status")).to_have_text("no answer; try again")
    reader.page.unroute("**/solution")
    figure.get_by_role("button", name="Show the solution").click()
    expect(figure.locator(".status")).to_have_text("Solved.")


def test_a_failed_attempt_costs_and_can_be_gone_on_with(opened: Opened) -> None:
    reader, puzzle = opened("Bea"), choose("kerd")
    figure = open_puzzle(reader, puzzle)
    rated = figure.locator(".rated")
    failed = re.compile(
        r"Not solved at the first attempt\. Your puzzle rating: 1,\d{3} \(\u2212\d+\)"
    )
    reach(reader, figure, *find_cells(find_wrong(puzzle))[:2])
    expect(figure.locator(".status")).to_contain_text("is not the best action")
    expect(rated).to_have_text(failed)
    figure.get_by_role("button", name="Show the solution").click()
    expect(figure.locator(".status")).to_have_text("Solved.")
    expect(rated).to_have_text(failed)
    expect(figure.locator(".line span")).to_have_count(len(puzzle.line))


def test_the_readers_attempts_are_listed(opened: Opened, server: WebServer) -> None:
    reader = opened("Cy")
    reader.go("/puzzles")
    expect(reader.page.get_by_role("link", name="Your attempts")).to_have_count(0)
    for variant in ("katruji", "kerak"):
        figure = open_puzzle(reader, choose(variant))
        figure.get_by_role("button", name="Show the solution").click()
        expect(figure.locator(".status")).to_have_text("Solved.")
    assert reader.player is not None
    player = reader.player.id
    eventually(lambda: len(server.service.puzzle_ratings.of(player, 0)) == 2)
    reader.go("/puzzles")
    expect(reader.page.get_by_text("0 of 1 solved.")).to_have_count(2)
    reader.page.get_by_role("link", name="Your attempts").click()
    rows = reader.page.locator("tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("Kerak")
    expect(rows.first).to_contain_text("no")
    rows.first.get_by_role("link").click()
    expect(figure.locator(".rated")).to_contain_text("Not solved at the first attempt.")


def test_strangers_are_asked_who_they_are_for_their_attempts(opened: Opened) -> None:
    reader = opened()
    reader.go("/puzzles/attempts")
    expect(reader.page).to_have_url(re.compile("/sign-in"))


def test_a_wrong_action_is_taken_back(opened: Opened) -> None:
    reader, puzzle = opened(), choose("katruji")
    figure = open_puzzle(reader, puzzle)
    before = figure.locator("[data-piece]").evaluate_all(
        "all => all.map(one => one.dataset.on).sort()"
    )
    reach(reader, figure, *find_cells(find_wrong(puzzle)))
    expect(figure.locator(".status")).to_contain_text("is not the best action")
    after = "all => all.map(one => one.dataset.on).sort()"
    assert figure.locator("[data-piece]").evaluate_all(after) == before


def test_the_solution_is_shown_and_a_hint_before_it(opened: Opened) -> None:
    reader, puzzle = opened(), choose("kerak")
    figure = open_puzzle(reader, puzzle)
    figure.get_by_role("button", name="Hint").click()
    expect(figure.locator(".status")).to_have_text(f"Look at {find_cells(puzzle.line[0])[0]}.")
    figure.get_by_role("button", name="Show the solution").click()
    expect(figure.locator(".status")).to_have_text("Solved.")
    expect(figure.locator(".line span")).to_have_count(len(puzzle.line))
    expect(figure.get_by_role("button", name="Hint")).to_have_count(0)


def test_an_action_that_is_none_is_explained(opened: Opened) -> None:
    reader = opened()
    reader.expected = ("422",)
    figure = open_puzzle(reader, choose("katruji"))
    figure.get_by_label("Action").fill("nonsense")
    figure.get_by_role("button", name="Play").click()
    expect(figure.locator(".status")).to_contain_text("Not possible")
    expect(figure.get_by_label("Action")).to_have_value("nonsense")


@pytest.mark.parametrize("name", [None, "Dan"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_puzzle_is_solved_without_scripts(opened: Opened, variant: str, name: str | None) -> None:
    reader = opened(name, java_script_enabled=False)
    puzzle = max(load_collection().list_puzzles(variant), key=lambda one: len(one.line))
    reader.go(f"/puzzles/{puzzle.id}")
    figure = reader.page.locator("figure.puzzle")
    own = find_own(puzzle)
    for count, action in enumerate(own, 1):
        figure.get_by_label("Action").fill(action)
        figure.get_by_role("button", name="Play").click()
        expected = "Solved." if count == len(own) else "Right. Go on."
        expect(figure.locator(".status")).to_have_text(expected)
    expect(figure.locator(".line span")).to_have_count(len(puzzle.line))
    rated = "Solved at the first attempt. Your puzzle rating:" if name else ""
    expect(figure.locator(".rated")).to_contain_text(rated)
    figure.get_by_role("link", name="Next puzzle").click()
    expect(figure.locator(".status")).to_contain_text("Find the best action.")


def test_help_is_given_without_scripts(opened: Opened) -> None:
    reader, puzzle = opened("Eve", java_script_enabled=False), choose("katruji")
    reader.expected = ("422",)
    reader.go(f"/puzzles/{puzzle.id}")
    figure = reader.page.locator("figure.puzzle")
    figure.get_by_label("Action").fill("nonsense")
    figure.get_by_role("button", name="Play").click()
    expect(figure.locator(".status")).to_contain_text("no form of a Katruji action")
    expect(figure.locator(".rated")).to_have_text("")
    figure.get_by_role("button", name="Hint").click()
    first, *_ = find_own(puzzle)
    expect(figure.locator(".status")).to_contain_text(f"Look at {find_cells(first)[0]}.")
    expect(figure.locator(".rated")).to_contain_text("Not solved at the first attempt.")
    figure.get_by_label("Action").fill(first)
    figure.get_by_role("button", name="Play").click()
    expect(figure.locator(".status")).to_have_text("Right. Go on.")
    figure.get_by_role("button", name="Show the solution").click()
    expect(figure.locator(".status")).to_have_text("This is the solution.")
    expect(figure.locator(".line span")).to_have_count(len(puzzle.line))


def test_the_list_leads_to_puzzles_of_a_theme(opened: Opened) -> None:
    reader = opened()
    reader.go("/puzzles")
    reader.page.get_by_role("link", name="Castle").first.click()
    expect(reader.page.get_by_role("heading", name="Kerak puzzle")).to_be_visible()


def test_a_puzzle_is_in_german(opened: Opened) -> None:
    reader = opened(locale="de")
    figure = open_puzzle(reader, choose("katruji"))
    expect(figure.locator(".status")).to_contain_text("Finde die beste Aktion.")
    figure.get_by_role("button", name="Hinweis").click()
    expect(figure.locator(".status")).to_contain_text("Sieh dir")


def test_a_stranger_goes_on_from_puzzle_to_puzzle_of_a_theme(opened: Opened) -> None:
    reader = opened()
    reader.go("/puzzles/next?variant=katruji&theme=trap")
    figure, seen = reader.page.locator("figure.puzzle"), set()
    for _ in range(3):
        expect(figure.locator('[role="gridcell"]').first).to_be_attached()
        id = figure.get_attribute("data-puzzle")
        assert id is not None
        puzzle = load_collection().find(id)
        assert (puzzle.variant, "trap" in puzzle.themes) == ("katruji", True)
        assert "theme=trap" in reader.page.url
        seen.add(id)
        figure.get_by_role("button", name="Show the solution").click()
        expect(figure.locator(".status")).to_have_text("Solved.")
        expect(figure.get_by_role("link", name="Next puzzle")).to_be_focused()
        reader.page.keyboard.press("Enter")
        expect(figure).not_to_have_attribute("data-puzzle", id)
    assert len(seen) == 3


def plant(server: WebServer) -> str:
    """Record the planted puzzle, and return the game that is listed as its source."""
    service, game = server.service, new_id()
    play_planted(service.games, game)
    command = RecordPuzzles(analysis=game, variant="katruji", puzzles=(find_planted(),), most=3)
    service.found_puzzles.record(game, command)
    eventually(lambda: service.puzzle_list.find_source(PLANTED.id) is not None)
    source = service.puzzle_list.find_source(PLANTED.id)
    assert source is not None
    return source.game


def test_who_has_solved_a_puzzle_is_led_to_its_game(opened: Opened, server: WebServer) -> None:
    game = plant(server)
    reader = opened("Dee")
    figure = open_puzzle(reader, PLANTED)
    link = figure.get_by_role("link", name="The game it is from")
    for count, action in enumerate(find_own(PLANTED), 1):
        expect(link).to_be_hidden()
        reach(reader, figure, *find_cells(action))
        expect(figure.locator(".line .own")).to_have_count(count)
    expect(figure.locator(".status")).to_have_text("Solved.")
    link.click()
    expect(reader.page).to_have_url(re.compile(rf"/games/{game}\?ply={PLY}"))


def test_a_stranger_without_scripts_is_led_to_the_game(opened: Opened, server: WebServer) -> None:
    game = plant(server)
    reader = opened(java_script_enabled=False)
    reader.go(f"/puzzles/{PLANTED.id}")
    link = reader.page.get_by_role("link", name="The game it is from")
    expect(link).to_be_hidden()
    reader.page.get_by_role("button", name="Show the solution").click()
    expect(link).to_have_attribute("href", f"/games/{game}?ply={PLY}")


@pytest.mark.parametrize("scripts", [True, False])
def test_an_admin_withdraws_a_puzzle_on_its_page(
    opened: Opened, server: WebServer, scripts: bool
) -> None:
    service, puzzle = server.service, choose("kerak" if scripts else "kerd")
    admin = service.players.register("Ann", None, scopes=SCOPES)
    reader = opened(player=admin, java_script_enabled=scripts)
    reader.go(f"/puzzles/{puzzle.id}")
    reader.page.get_by_text("Withdraw this puzzle").click()
    reader.page.get_by_label("Reason").fill("it is dull")
    reader.page.get_by_role("button", name="Withdraw", exact=True).click()
    expect(reader.page).to_have_url(re.compile("/puzzles$"))
    assert service.withdrawals.load(puzzle.id).reason == "it is dull"
    eventually(lambda: is_withdrawn(server, puzzle))
    stranger = opened()
    stranger.expected = ("404",)
    answer = stranger.page.goto(f"{server.url}/puzzles/{puzzle.id}")
    assert answer is not None
    assert answer.status == 404
    expect(stranger.page.locator("main")).to_contain_text("was withdrawn")


def is_withdrawn(server: WebServer, puzzle: Puzzle) -> bool:
    """Whether the lists know that a puzzle is withdrawn."""
    try:
        server.service.puzzle_list.find(puzzle.id)
    except WithdrawnPuzzle:
        return True
    return False


def test_nobody_else_is_shown_how(opened: Opened) -> None:
    for reader in (opened("Dee"), opened()):
        reader.go(f"/puzzles/{choose('katruji').id}")
        expect(reader.page.locator("figure.puzzle")).to_be_visible()
        expect(reader.page.get_by_text("Withdraw this puzzle")).to_have_count(0)
