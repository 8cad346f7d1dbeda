"""An organiser who has only the address runs a tournament: six players, three rounds, on paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.end_to_end.archive_writer import Writer
from tests.end_to_end.running import Running
from tests.pages.reader import Reader
from tests.pages.test_live_boards import expect_in_place
from tests.waiting import eventually, patiently

PLAYERS = ("Ada Lovelace, 1850", "Brahim", "Carla", "Dan, 1500", "Eva")
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
SHOWN_IN_PRINT = """() => [...document.querySelectorAll("header.site, nav, button, form.search")]
  .filter((one) => one.checkVisibility()).map((one) => one.outerHTML)"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = Running(tmp_path_factory.mktemp("organiser") / "data")
    yield running
    running.close()


class Organiser:
    """An organiser who uses only the browser, with or without scripts."""

    def __init__(self, reader: Reader, scripts: bool) -> None:
        self.reader = reader
        self.page = reader.page
        self.scripts = scripts

    def follow(self, name: str) -> None:
        """Click a link and wait for its page."""
        with self.page.expect_event("load"):
            self.page.get_by_role("link", name=name, exact=True).first.click()

    def register(self, name: str) -> None:
        """Register with a password, and return to the page requested before."""
        form = self.page.locator('form[action="/register"]')
        form.locator('[name="name"]').fill(name)
        form.locator('[name="new_password"]').fill("a quiet evening of games")
        with self.page.expect_event("load"):
            form.get_by_role("button", name="Register").click()
        expect(self.page.get_by_role("heading", name="New tournament")).to_be_visible()

    def await_round(self, number: int) -> None:
        """Wait until a round is paired; without scripts, reload the page."""
        heading = self.page.get_by_role("heading", name=f"Round {number}")
        if self.scripts:
            expect(heading).to_be_visible()
            return
        for _ in patiently(f"round {number} is paired"):
            self.page.reload()
            if heading.is_visible():
                return

    def enter(self, *names: str) -> None:
        """Enter players by name."""
        field = self.page.get_by_label("Names, one per line")
        if not field.is_visible():
            # The link in the next step points into a folded section, and unfolds it.
            self.page.get_by_role("link", name="enter", exact=True).click()
            expect(field).to_be_visible()
        field.fill("\n".join(names))
        self.reader.send("Enter")

    def result(self, board: int) -> Locator:
        """The input field for a board's result."""
        return self.page.locator(f'[name="result.{board}"]')

    def type_results(self, signs: str) -> None:
        """Type the results of the first boards with the keyboard, and save them."""
        self.result(1).focus()
        for sign in signs:
            self.page.keyboard.press(sign)
            if not self.scripts:
                self.page.keyboard.press("Tab")
        if self.scripts:
            expect(self.page.get_by_role("button", name="Save the results")).to_be_focused()
        self.reader.send("Save the results")


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "without scripts"])
def test_six_players_play_three_rounds(
    browser: Browser, service: Running, tmp_path: Path, scripts: bool
) -> None:
    shape = {} if scripts else {"java_script_enabled": False}
    reader = Reader(browser, service.url, None, **shape)
    reader.expected = ("422",)
    organiser, page = Organiser(reader, scripts), reader.page
    reader.go("/")
    organiser.follow("Tournaments")
    organiser.follow("New tournament")
    organiser.follow("Sign in or register")
    organiser.register(f"Olga {scripts}")
    page.get_by_label("Name", exact=True).fill(f"Club evening {scripts}")
    page.get_by_label("Rounds of a Swiss").fill("3")
    reader.send("Set up the tournament")
    organiser.enter(*PLAYERS)
    standings = page.get_by_role("region", name="Standings")
    expect(standings.locator("tbody tr")).to_have_count(5)
    expect(standings.locator("tbody tr").first).to_contain_text("Ada Lovelace")
    reader.send("Pair round 1")
    organiser.await_round(1)
    organiser.type_results("1=")
    organiser.enter("Feng")
    expect(page.get_by_text("Next: pair round 2")).to_be_visible()
    expect(page.get_by_label("Next step")).to_contain_text("6 are playing")
    reader.send("Pair round 2")
    organiser.await_round(2)
    expect(page.get_by_role("region", name="Round 2", exact=True)).to_contain_text("Feng")
    organiser.type_results("110")
    before = standings.inner_text()
    correct_second_board(organiser)
    changes = page.locator("#changes")
    expect(changes).to_contain_text("instead of")
    expect(changes).to_contain_text("No round has been paired since")
    assert standings.inner_text() != before
    reader.send("Pair round 3")
    organiser.await_round(3)
    print_pairings(organiser, tmp_path)
    expect(page.get_by_label("Next step")).to_contain_text("This is the last round")
    organiser.type_results("01=")
    expect(page.get_by_text("All 3 rounds are played.")).to_be_visible()
    reader.send("Finish the tournament")
    expect(page.locator("#tournament .state")).to_have_text("finished")
    reader.close()
    assert (reader.faults, reader.strangers) == ([], [])


def correct_second_board(organiser: Organiser) -> None:
    """Correct a result that was entered the wrong way round, which needs a reason."""
    page, reader = organiser.page, organiser.reader
    summary, reason = (
        page.get_by_text("Correct result of board 2"),
        page.locator('[name="reason.2"]'),
    )
    check_phone_rows(page, summary)
    summary.click()
    expect(page.locator("#public-2")).to_have_text("Everybody can read why, here and in print.")
    organiser.result(2).fill("0")
    if organiser.scripts:
        # The browser asks for the reason before sending anything, even if its field is folded away.
        summary.click()
        reader.press("Save the results")
    else:
        reader.send("Save the results")
        expect(page.get_by_role("alert")).to_contain_text("say why you are changing it")
        expect(page.locator("#wrong-2").first).to_contain_text("say why you are changing it")
    expect(organiser.result(2)).to_have_value("0")
    expect(reason).to_be_focused()
    page.keyboard.type("typed the wrong way round")
    reader.send("Save the results")
    expect(page.get_by_role("region", name="Round 2", exact=True)).to_contain_text(
        "typed the wrong way round"
    )


def check_phone_rows(page: Page, summary: Locator) -> None:
    """Opened on a phone, the correction of a result leaves the columns of names as they are."""
    assert page.viewport_size is not None
    usual, names = page.viewport_size, page.locator("#results tbody tr:not(.remark)")
    page.set_viewport_size(PHONE["viewport"])
    before = [row.bounding_box() for row in names.all()]
    assert before
    assert None not in before
    summary.click()
    opened = [row.bounding_box() for row in names.all()]
    assert [(box["width"], box["height"]) for box in opened if box] == [
        (box["width"], box["height"]) for box in before if box
    ]
    page.set_viewport_size(usual)
    summary.click()


def print_pairings(organiser: Organiser, tmp_path: Path) -> None:
    """Print the pairings, the score sheets and the tables, without anything else."""
    page, here = organiser.page, organiser.page.url
    # The links are for the round that has just been paired.
    away = page.get_by_role("region", name="Print and download")
    expect(away.get_by_role("link", name="Score sheets of round 3")).to_be_visible()
    organiser.follow("Pairings of round 3, to print")
    round_3 = page.url
    for path, shown in (
        (round_3, "Feng"),
        (f"{round_3}/score-sheets", "Signed, South:"),
        (f"{here.partition('?')[0]}/standings", "Buchholz"),
        (f"{here.partition('?')[0]}/cross-table", "Ada Lovelace"),
    ):
        page.goto(path)
        page.emulate_media(media="print")
        expect(page.locator("main")).to_contain_text(shown)
        if organiser.scripts:
            assert page.evaluate(SHOWN_IN_PRINT) == []
        file = tmp_path / "page.pdf"
        page.pdf(path=file, format="A4")
        assert file.read_bytes().startswith(b"%PDF")
        page.emulate_media(media="screen")
    page.goto(here)


def test_players_enter_themselves_on_a_phone(browser: Browser, service: Running) -> None:
    organiser = service.post("/players", {"name": "Otto"}).json()
    wish = {"name": "Open house", "variant": "kerak", "kind": "swiss", "rounds": 2}
    wish |= {"rated": False, "self_entry": True}
    service.session.headers["Authorization"] = f"Bearer {organiser['token']['secret']}"
    made = service.post("/tournaments", wish).json()
    service.session.headers["Authorization"] = f"Bearer {service.token}"
    player = service.post("/players", {"name": "Pia"}).json()
    reader = Reader(browser, service.url, player["token"]["secret"], **PHONE)
    reader.go(f"/tournaments/{made['id']}")
    reader.send("Enter the tournament")
    expect(reader.page.get_by_text("You have entered.")).to_be_visible()
    first = reader.page.get_by_role("region", name="Standings").bounding_box()
    assert first is not None
    assert first["y"] < 844, "a phone shows the table without scrolling"
    reader.press("Withdraw")
    with reader.page.expect_event("load"):
        reader.agree()
    expect(reader.page.get_by_role("button", name="Enter the tournament")).to_be_visible()
    reader.close()
    assert (reader.faults, reader.strangers) == ([], [])


def test_the_boards_of_a_round_are_watched_by_one_stream(
    browser: Browser, service: Running
) -> None:
    writer = Writer(service.url, service.token)
    players = [writer.player(f"Player {number}") for number in range(4)]
    wish = {"name": "Wall", "variant": "kerak", "kind": "round-robin"}
    path = f"/tournaments/{writer.post('/tournaments', wish)['id']}"
    for player in players:
        writer.post(f"{path}/commands", {"type": "enter", "player": player})
    writer.post(f"{path}/commands", {"type": "pair"})
    pairs = eventually(lambda: service.get(f"{path}/rounds")["rounds"])[0]["pairings"]
    reader = Reader(browser, service.url, None)
    asked: list[str] = []
    reader.page.on("request", lambda sent: asked.append(sent.url))
    reader.go(f"{path}/rounds/1/boards")
    expect(reader.page.locator("#connection")).to_have_text("live")
    expect(reader.page.locator(".wall li")).to_have_count(2)
    game = pairs[1]["game"]
    writer.play(game, 3)
    board = reader.page.locator(f'[data-game="{game}"]')
    expect(board.locator("[data-board]")).to_have_attribute("data-ply", "3")
    expect(board.locator("svg .layer-last *").first).to_be_attached()
    expect_in_place(board.locator("[data-board]"), "kerak", "first")
    writer.command(game, pairs[1]["first"]["id"], type="resign")
    expect(board).to_contain_text("0–1")
    expect(board.locator("[data-board]")).to_have_attribute("data-ply", "3")
    assert len([url for url in asked if "/stream?" in url]) == 1
    reader.close()
    assert (reader.faults, reader.strangers) == ([], [])


def open_first_round(
    browser: Browser, service: Running, names: Sequence[str], **wish: object
) -> tuple[Organiser, Writer, str]:
    """An arbiter on the page of a tournament whose first round is paired, and its path."""
    writer = Writer(service.url, service.token)
    wish |= {"variant": "kerak", "over_the_board": True, "rated": False}
    path = f"/tournaments/{writer.post('/tournaments', wish)['id']}"
    for name in names:
        writer.post(f"{path}/commands", {"type": "enter", "name": name})
    writer.post(f"{path}/commands", {"type": "pair"})
    eventually(lambda: service.get(f"{path}/rounds")["rounds"])
    reader = Reader(browser, service.url, service.token)
    reader.go(path)
    expect(reader.page.locator("#connection")).to_have_text("live")
    return Organiser(reader, scripts=True), writer, path


def test_unsaved_results_do_not_become_those_of_the_next_round(
    browser: Browser, service: Running
) -> None:
    names = ("Gil", "Hanna", "Iris", "Jan")
    organiser, writer, path = open_first_round(
        browser, service, names, name="League", kind="round-robin"
    )
    organiser.result(1).fill("1")
    writer.post(f"{path}/commands", {"type": "pair"})
    organiser.await_round(2)
    expect(organiser.result(1)).to_have_value("")
    organiser.reader.close()
    assert (organiser.reader.faults, organiser.reader.strangers) == ([], [])


def test_unsaved_results_do_not_become_those_of_other_pairings(
    browser: Browser, service: Running
) -> None:
    """The round was taken back and paired anew while the page was hidden."""
    names = ("Kai", "Lea", "Mia", "Nils", "Ole", "Pia")
    organiser, writer, path = open_first_round(
        browser, service, names, name="Open", kind="swiss", rounds=3
    )
    reader = organiser.reader
    organiser.result(1).fill("1")
    reader.look_away(True)
    absent = service.get(path)["players"][0]["id"]
    for command in (
        {"type": "unpair", "round": 1, "reason": "Kai has not come"},
        {"type": "withdraw", "player": absent},
        {"type": "pair"},
    ):
        writer.post(f"{path}/commands", command)
    eventually(lambda: service.get(f"{path}/rounds")["rounds"])
    reader.look_away(False)
    expect(reader.page.locator("#results")).not_to_contain_text("Kai")
    expect(organiser.result(1)).to_be_visible()
    expect(organiser.result(1)).to_have_value("")
    reader.close()
    assert (reader.faults, reader.strangers) == ([], [])
