"""The organiser's desk, its tables and the page header are accessible, and fit a phone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.end_to_end.running import Running
from tests.pages.reader import Reader
from tests.pages.test_every_page import ALL_OPEN, WIDER, list_hindrances
from tests.waiting import eventually

NAMES = ("Maximiliana von Wolkenstein-Hohenlohe", "\u05d0\u05d3\u05d4", "Carla", "Dan", "Eva")
SIDEWAYS = """() => [...document.querySelectorAll(".scroll")]
  .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth)
  .map((one) => one.ariaLabel)"""
"""Tables that extend beyond the screen."""
CUT = """() => {
  const field = document.querySelector("header [name=q]");
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = getComputedStyle(field).font;
  const { paddingLeft, paddingRight } = getComputedStyle(field);
  const room = field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  return pen.measureText(field.placeholder).width > room;
}"""
"""Whether the placeholder of the search field is cut off."""


@pytest.fixture(scope="module")
def organiser(service: Running) -> dict[str, Any]:
    """A player, as whom the service's client is signed in from now on."""
    made: dict[str, Any] = service.post("/players", {"name": "Olga"}).json()
    service.session.headers["Authorization"] = f"Bearer {made['token']['secret']}"
    return made


@pytest.fixture(scope="module")
def evening(service: Running, organiser: dict[str, Any]) -> str:
    """The path of a Swiss in its third round, with byes and forfeits."""
    wish = {"name": "Evening", "variant": "katruji", "kind": "swiss", "rounds": 3}
    made = service.post("/tournaments", wish | {"rated": False, "over_the_board": True}).json()
    path = f"/tournaments/{made['id']}"
    for name in NAMES:
        service.post(f"{path}/commands", {"type": "enter", "name": name, "rating": 1500})
    for number in (1, 2, 3):
        service.post(f"{path}/commands", {"type": "pair"})
        eventually(partial(is_ready, service, path, number))
        results = [{"board": 1, "result": "1/2-1/2"}, {"board": 2, "result": "+/-"}]
        entered = {
            "type": "results",
            "round": number,
            "results": results[: 1 if number == 3 else 2],
        }
        service.post(f"{path}/commands", entered)
    return path


def is_ready(service: Running, path: str, number: int) -> bool:
    """Whether `number` rounds are paired."""
    return bool(service.get(path)["rounds_ready"] == number)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = Running(tmp_path_factory.mktemp("desk") / "data")
    yield running
    running.close()


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_desk_hinders_nobody_and_fits_a_phone(
    browser: Browser, service: Running, organiser: dict[str, Any], evening: str, language: str
) -> None:
    shape: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "locale": language}
    reader = Reader(browser, service.url, organiser["token"]["secret"], **shape)
    pages = [evening, f"{evening}/rounds", f"{evening}/rounds/1", f"{evening}/rounds/1/boards"]
    pages += [f"{evening}/cross-table", f"/players/{organiser['id']}"]
    pages += ["/tournaments/new", "/tournaments"]
    for page in pages:
        reader.go(page)
        reader.page.evaluate(ALL_OPEN)
        assert [*list_hindrances(reader)] == [], page
        assert not reader.page.evaluate(WIDER), page
    reader.close()
    assert (reader.faults, reader.strangers) == ([], [])


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("width", [390, 1280])
def test_tables_of_three_rounds_are_seen_whole(
    browser: Browser,
    service: Running,
    organiser: dict[str, Any],
    evening: str,
    width: int,
    language: str,
) -> None:
    shape: dict[str, Any] = {"viewport": {"width": width, "height": 844}, "locale": language}
    reader = Reader(browser, service.url, organiser["token"]["secret"], **shape)
    for path in (evening, f"{evening}/cross-table", f"{evening}/rounds/3"):
        reader.go(path)
        assert reader.page.evaluate(SIDEWAYS) == [], path
    reader.close()


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_phone_shows_the_points_of_the_standings(
    browser: Browser, service: Running, evening: str, language: str
) -> None:
    shape: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "locale": language}
    reader = Reader(browser, service.url, None, **shape)
    reader.go(f"{evening}/standings")
    rating = reader.page.locator(".ranks tbody tr:first-child td").nth(1)
    assert not rating.is_visible(), "the rating has no room"
    points = reader.page.locator(".ranks tbody tr:first-child a[href*='term=match-points']")
    box = points.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 390
    reader.close()


def test_a_phone_shows_the_whole_menu(browser: Browser, service: Running) -> None:
    reader = Reader(browser, service.url, None, viewport={"width": 390, "height": 844})
    reader.go("/")
    menu = reader.page.get_by_role("navigation", name="Site")
    for name in ("Lobby", "Tournaments", "Search"):
        place = menu.get_by_role("link", name=name, exact=True).bounding_box()
        assert place is not None
        assert 0 <= place["x"] < place["x"] + place["width"] <= 390
    reader.close()


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("width", [1280, 1366, 1920])
def test_the_field_for_a_search_says_what_for(
    browser: Browser, service: Running, width: int, language: str
) -> None:
    shape: dict[str, Any] = {"viewport": {"width": width, "height": 800}, "locale": language}
    reader = Reader(browser, service.url, service.token, **shape)
    reader.go("/rules")
    expect(reader.page.locator("header [name=q]")).to_be_visible()
    assert not reader.page.evaluate(CUT)
    reader.close()


@pytest.mark.parametrize("width", [700, 1024])
def test_a_link_takes_the_place_of_the_field_for_a_search(
    browser: Browser, service: Running, width: int
) -> None:
    shape: dict[str, Any] = {"viewport": {"width": width, "height": 800}}
    reader = Reader(browser, service.url, service.token, **shape)
    reader.go("/rules")
    expect(reader.page.locator("header [name=q]")).to_be_hidden()
    reader.page.get_by_role("link", name="Search", exact=True).click()
    reader.page.wait_for_url("**/search")
    reader.close()
