"""The organiser's desk with everything unfolded: it hinders nobody and fits a phone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.end_to_end.running import Running
from tests.pages.reader import Reader
from tests.pages.test_every_page import ALL_OPEN, WIDER, list_hindrances
from tests.waiting import eventually

NAMES = ("Maximiliana von Wolkenstein-Hohenlohe", "\u05d0\u05d3\u05d4", "Carla", "Dan")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = Running(tmp_path_factory.mktemp("desk") / "data")
    yield running
    running.close()


def test_the_desk_hinders_nobody_and_fits_a_phone(browser: Browser, service: Running) -> None:
    organiser = service.post("/players", {"name": "Olga"}).json()
    service.session.headers["Authorization"] = f"Bearer {organiser['token']['secret']}"
    wish = {"name": "Evening", "variant": "katruji", "kind": "swiss", "rounds": 3}
    made = service.post("/tournaments", wish | {"rated": False, "over_the_board": True}).json()
    path = f"/tournaments/{made['id']}"
    for name in NAMES:
        service.post(f"{path}/commands", {"type": "enter", "name": name})
    service.post(f"{path}/commands", {"type": "pair"})
    eventually(lambda: service.get(path)["rounds_ready"])
    result = {"board": 1, "result": "1-0"}
    service.post(f"{path}/commands", {"type": "results", "round": 1, "results": [result]})
    shape = {"viewport": {"width": 390, "height": 844}}
    reader = Reader(browser, service.url, organiser["token"]["secret"], **shape)
    pages = [path, f"{path}/rounds", f"{path}/rounds/1", f"{path}/rounds/1/boards"]
    pages += [f"{path}/cross-table", f"/players/{organiser['id']}"]
    pages += ["/tournaments/new", "/tournaments"]
    for page in pages:
        reader.go(page)
        reader.page.evaluate(ALL_OPEN)
        assert [*list_hindrances(reader)] == [], page
        assert not reader.page.evaluate(WIDER), page
    reader.close()
    assert (reader.faults, reader.strangers) == ([], [])
