"""Pages that need all of the service: imports, analyses, tournaments; and what checkers say of all.

Every page is looked at by axe, for what hinders people who cannot see, point or tell colours apart.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
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
    """A browser of the admin's."""
    return Reader(browser, service.url, service.token, **shape)


@pytest.fixture(scope="module")
def tournament(service: Running) -> str:
    """The path of a tournament with a round."""
    wish = {"name": "Club cup", "variant": "katruji", "kind": "round-robin"}
    path = f"/tournaments/{service.post('/tournaments', wish).json()['id']}"
    for name in ("Ada", "Brahim"):
        assert service.post(f"{path}/commands", {"type": "enter", "name": name}).ok
    assert service.post(f"{path}/commands", {"type": "pair"}).ok
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
    page.get_by_label("Name").fill("Evening cup")
    chosen = {"kind": "round-robin", "scoring": "three-points/1"}
    for name, value in chosen.items():
        page.locator(f'[name="{name}"]').select_option(value)
    for n, term in enumerate(("match-points", "wins")):
        page.locator('[name="order"]').nth(n).select_option(term)
    admin.send("Set up")
    for name in ("Ada", "Brahim"):
        page.get_by_label("Name", exact=True).fill(name)
        admin.send("Enter")
        expect(page.get_by_label("Standings")).to_contain_text(name)
    watching = Reader(browser, service.url, None)
    watching.go(page.url)
    expect(watching.page.locator("#connection")).to_have_text("live")
    expect(watching.page.locator("#desk")).to_have_count(0)
    admin.send("Pair round 1")
    for reader in (admin, watching):
        expect(reader.page.get_by_label("Round 1")).to_contain_text("game")
    page.get_by_text("Results and rulings").click()
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
        expect(reader.page.get_by_label("Round 1")).to_contain_text("nobody else came")
    page.get_by_text("Finish the tournament").click()
    admin.send("Yes, finish it")
    for reader in (admin, watching):
        expect(reader.page.locator("#tournament > p").first).to_contain_text("finished")
    expect(watching.page.locator("#connection")).to_be_empty()
    watching.close()
    assert watching.faults == []


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light")])
def test_no_page_hinders_anybody(
    browser: Browser, service: Running, tournament: str, width: int, scheme: str
) -> None:
    reader = signed(browser, service, viewport={"width": width, "height": 800}, color_scheme=scheme)
    found = [
        f"{path}: {fault}"
        for path in [
            *(*PAGES, tournament, f"{tournament}/rounds/1"),
            *(*games(service), *players(service)),
        ]
        for fault in faults(reader, path, width)
    ]
    reader.close()
    assert found == []
    assert reader.faults == []
    assert reader.strangers == []


PAGES = (
    *("/", "/games", "/games/new", "/explorer", "/analysis?variant=kerd", "/imports"),
    *("/tournaments", "/tournaments/new", "/players", "/merge-suggestions"),
    *("/ratings", "/api", "/sign-in", "/mail", "/mail/confirm/token", "/mail/stop/token"),
)
MOST_BYTES = 150_000


def games(service: Running) -> list[str]:
    """The paths of a game of each variant."""
    seats = {"first": {"name": "Ada"}, "second": {"name": "Brahim"}}
    wish = {"mode": "scribe", "players": seats}
    made = [service.post("/games", {"variant": name, **wish}) for name in ("kerak", "kerd")]
    return [f"/games/{answer.json()['id']}" for answer in made]


def players(service: Running) -> list[str]:
    """The paths of the pages about two players who have finished a game."""
    record, kind = RECORDS.partition("\n[Event")[0], {"Content-Type": "application/x-chess-pgn"}
    upload = service.session.post(f"{service.url}/api/v1/imports", data=record, headers=kind)
    assert upload.ok, upload.text
    [game] = eventually(lambda: service.get("/search", event="Club evening", limit=1)["items"])
    ada, brahim = (game["players"][side]["id"] for side in ("first", "second"))
    page = f"/players/{ada}"
    return [page, f"{page}?variant=katruji", f"{page}/opponents", f"{page}/against/{brahim}"]


def faults(reader: Reader, path: str, width: int) -> Iterator[str]:
    """What is wrong with a page: for axe, for its width, for its weight, for what moves."""
    sizes: list[int] = []
    reader.page.on("response", lambda answer: sizes.append(size(answer.headers)))
    reader.go(path)
    shift = reader.page.evaluate(SHIFTS)
    if shift > 0.02:
        yield f"what is shown moves by {shift}"
    if sum(sizes) > MOST_BYTES:
        yield f"{sum(sizes)} bytes"
    if reader.page.evaluate("document.documentElement.scrollWidth") > width:
        yield "wider than the screen"
    yield from hindrances(reader)


def hindrances(reader: Reader) -> Iterator[str]:
    """What axe finds serious or worse."""
    for violation in Axe().run(reader.page).response["violations"]:
        if violation["impact"] in ("serious", "critical"):
            targets = [node["target"] for node in violation["nodes"]][:3]
            yield f"{violation['id']} {targets}"


def test_a_page_that_hinders_somebody_is_found(admin: Reader) -> None:
    admin.go("/sign-in")
    admin.page.evaluate("document.querySelector('main').append(document.createElement('input'))")
    assert [fault.split()[0] for fault in hindrances(admin)] == ["label"]


SHIFTS = """new Promise((done) => {
  let sum = 0;
  const add = (list) => { for (const one of list.getEntries()) sum += one.value; };
  new PerformanceObserver(add).observe({type: "layout-shift", buffered: true});
  setTimeout(() => done(sum), 100);
})"""


def size(headers: dict[str, str]) -> int:
    """The bytes of an answer, as it says."""
    return int(headers.get("content-length", 0))
