"""An organiser's printouts: nothing is cut off, headings stay whole, each round has its page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.end_to_end.archive_writer import Writer
from tests.end_to_end.running import Running
from tests.pages.reader import Reader
from tests.waiting import eventually

ROUNDS = 11
PORTRAIT, LANDSCAPE = (688, 900), (1032, 600)
"""The printable area of an A4 sheet, in pixels."""
CUT = """() => [...document.querySelectorAll("main *")]
  .filter((one) => one.checkVisibility() && one.clientWidth)
  .filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.outerHTML.slice(0, 200))"""
WRAPPED = """() => [...document.querySelectorAll(".cross thead th, .boards-list thead th")]
  .filter((one) => one.checkVisibility() && one.clientHeight > 48)
  .map((one) => one.textContent)"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = Running(tmp_path_factory.mktemp("prints") / "data")
    yield running
    running.close()


@pytest.fixture(scope="module")
def tournament(service: Running) -> str:
    """The path of a round robin of twelve players over the board, with all rounds paired."""
    writer = Writer(service.url, service.token)
    wish: dict[str, object] = {"name": "Winter league", "variant": "kerak", "kind": "round-robin"}
    wish |= {"rated": False, "over_the_board": True}
    path = f"/tournaments/{writer.post('/tournaments', wish)['id']}"
    names = [f"Player {number}" for number in range(2, ROUNDS + 1)]
    for name in ("Maximiliana von Wolkenstein-Hohenlohe", "\u05d0\u05d3\u05d4", *names):
        writer.post(f"{path}/commands", {"type": "enter", "name": name})
    for number in range(1, ROUNDS + 1):
        writer.post(f"{path}/commands", {"type": "pair"})
        eventually(partial(is_ready, service, path, number))
    return path


def is_ready(service: Running, path: str, number: int) -> bool:
    """Whether `number` rounds are paired."""
    return bool(service.get(path)["rounds_ready"] == number)


def print_page(page: Page, file: Path) -> list[tuple[float, float]]:
    """The width and height of each sheet of a printed page."""
    page.pdf(path=file, format="A4", prefer_css_page_size=True)
    data = file.read_bytes()
    boxes = re.findall(rb"/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]", data)
    return [(float(width), float(height)) for width, height in boxes]


@pytest.mark.parametrize(
    ("part", "size", "sheets"),
    [
        ("/rounds/3", PORTRAIT, 1),
        ("/rounds", PORTRAIT, ROUNDS),
        ("/standings", PORTRAIT, 1),
        ("/cross-table", LANDSCAPE, 1),
        ("/rounds/3/score-sheets", PORTRAIT, 6),
    ],
)
def test_a_print_is_whole(
    browser: Browser,
    service: Running,
    tournament: str,
    tmp_path: Path,
    part: str,
    size: tuple[int, int],
    sheets: int,
) -> None:
    width, height = size
    reader = Reader(browser, service.url, None, viewport={"width": width, "height": height})
    page = reader.page
    reader.go(f"{tournament}{part}")
    page.emulate_media(media="print")
    assert page.evaluate(CUT) == []
    assert page.evaluate(WRAPPED) == []
    printed = print_page(page, tmp_path / "page.pdf")
    assert len(printed) == sheets
    assert all((one[0] > one[1]) is (size == LANDSCAPE) for one in printed)
    reader.close()
    assert (reader.faults, reader.strangers) == ([], [])
