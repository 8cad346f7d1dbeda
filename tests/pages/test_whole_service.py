"""Pages that need the whole service: imports, analyses, tournaments."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.end_to_end.running import Running
from tests.pages.reader import Reader
from tests.service.api.test_mail import MAILING
from tests.waiting import eventually

RECORDS = """[Event "Club evening"]
[South "Ada"]
[North "Brahim"]
[Result "1-0"]
[Variant "katruji"]
[Termination "resignation"]

1. Pc4 Scb7=O 2. Pb4 Sa8 1-0

[Event "Broken"]
[South "Ada"]
[North "Carla"]
[Result "*"]
[Variant "katruji"]

1. Pc5 *
"""

Signed = Callable[..., Reader]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = Running(tmp_path_factory.mktemp("whole") / "data", **MAILING)
    yield running
    running.close()


@pytest.fixture
def admin(browser: Browser, service: Running) -> Iterator[Reader]:
    """The admin's browser."""
    reader = signed(browser, service)
    yield reader
    reader.close()
    assert reader.faults == []
    assert reader.strangers == []


def signed(browser: Browser, service: Running, **shape: Any) -> Reader:
    """Open a browser for the admin."""
    return Reader(browser, service.url, service.token, **shape)


@pytest.fixture(scope="module")
def tournament(service: Running) -> str:
    """The path of a tournament with a round."""
    wish = {"name": "Club cup", "variant": "katruji", "kind": "round-robin"}
    path = f"/tournaments/{service.post('/tournaments', wish).json()['id']}"
    for name in ("Ada", "Brahim"):
        assert service.post(f"{path}/commands", {"type": "enter", "name": name}).ok
    assert service.post(f"{path}/commands", {"type": "pair"}).ok
    eventually(lambda: service.get(f"{path}/rounds")["rounds"], "the round is there")
    return path


def test_a_file_is_imported_and_its_verdicts_are_told(
    admin: Reader, service: Running, tmp_path: Path
) -> None:
    file = tmp_path / "games.pgn.gz"
    file.write_bytes(gzip.compress(RECORDS.encode()))
    admin.go("/imports")
    admin.page.get_by_label("File").set_input_files(file)
    admin.page.get_by_label("Bad records").select_option("as-played")
    admin.press("Upload")
    expect(admin.page.locator("#progress .state")).to_have_text("done")
    verdicts = admin.page.locator("#verdicts")
    expect(verdicts).to_contain_text("accepted")
    expect(verdicts).to_contain_text("as-played")
    record = verdicts.get_by_role("link", name="the record").get_attribute("href")
    kept = service.session.get(f"{service.url}{record}").json()
    assert kept["text"].startswith('[Event "Broken"]')
    verdicts.get_by_text("the game").click()
    expect(admin.page.locator("#moves li")).to_have_count(4)


def test_a_position_is_analysed(admin: Reader) -> None:
    admin.go("/analysis?variant=katruji")
    admin.cell("c3").click()
    admin.cell("d4").click()
    expect(admin.page.locator(".turn")).to_have_text("North to act, move 1")
    admin.press("Find the best lines")
    expect(admin.page.locator(".lines li")).to_have_count(3)


def test_standings_explain_each_number(admin: Reader, tournament: str) -> None:
    admin.go(tournament)
    expect(admin.page.get_by_role("heading", name="Club cup")).to_be_visible()
    admin.page.get_by_label("Standings").get_by_title("Explain this number").first.click()
    expect(admin.page.locator("#explained")).to_be_visible()


def test_a_tournament_is_taken_out(admin: Reader, tournament: str) -> None:
    admin.go(tournament)
    for link, begins in (
        ("All games (PGN)", '[Event "Club cup"]'),
        ("FIDE report (TRF)", "012 Club cup"),
        ("Standings (CSV)", "place,"),
        ("Cross table (CSV)", "row,"),
    ):
        with admin.page.expect_download() as told:
            admin.page.get_by_role("link", name=link).click()
        assert told.value.path().read_text().startswith(begins)


def test_a_tournament_is_directed_while_others_watch(
    browser: Browser, service: Running, admin: Reader
) -> None:
    admin.go("/tournaments/new")
    page = admin.page
    page.get_by_label("Name", exact=True).fill("Evening cup")
    page.locator('[name="preset"][value="round-robin"]').check()
    page.get_by_text("Details: time, tie-breaks").click()
    page.locator('[name="scoring"]').select_option("three-points/1")
    for n, term in enumerate(("match-points", "wins")):
        page.locator('[name="order"]').nth(n).select_option(term)
    admin.send("Set up the tournament")
    page.get_by_label("Names, one per line").fill("Ada\nBrahim")
    admin.send("Enter")
    for name in ("Ada", "Brahim"):
        expect(page.get_by_label("Standings")).to_contain_text(name)
    watching = Reader(browser, service.url, None)
    watching.go(page.url)
    expect(watching.page.locator("#connection")).to_have_text("live")
    expect(watching.page.locator("#desk")).to_have_count(0)
    admin.send("Pair round 1")
    expect(watching.page.get_by_role("region", name="Round 1")).to_contain_text("Brahim")
    expect(page.get_by_label("Result of board 1")).to_be_visible()
    page.get_by_text("Rulings, and taking a round back").click()
    page.locator('[name="pairing"]').first.select_option("1.1")
    page.get_by_label("Reason").first.fill("nobody else came")
    eve = service.post("/players", {"name": "Eve"}).json()["id"]
    arbiter = {"type": "appoint-arbiter", "player": eve}
    path = page.url.removeprefix(service.url)
    assert service.post(f"{path}/commands", arbiter).ok
    expect(page.locator("#desk")).to_contain_text("Eve")
    admin.send("Rule")
    for reader in (admin, watching):
        expect(reader.page.get_by_label("Standings").locator("tbody tr").first).to_contain_text("3")
        boards = reader.page.get_by_role("region", name="Round 1")
        expect(boards).to_contain_text("nobody else came")
    admin.send("Finish the tournament")
    for reader in (admin, watching):
        expect(reader.page.locator("#tournament > p").first).to_contain_text("finished")
    expect(watching.page.locator("#connection")).to_be_empty()
    watching.close()
    assert watching.faults == []
