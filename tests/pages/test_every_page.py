"""Every page is accessible and intact, even with hostile names.

axe finds barriers for people who cannot see, point or tell colours apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Response

from tests.end_to_end.running import Running
from tests.pages.demo import Examples, fill_demo
from tests.pages.every_page import list_paths
from tests.pages.reader import Reader
from tests.pages.screenshots import name_file, take_screenshots
from tests.service.api.test_mail import MAILING

MOST_BYTES = 150_000
HINDERING = ("moderate", "serious", "critical")
ALL_OPEN = "for (const one of document.querySelectorAll('details')) one.open = true"
WIDER = """() => document.scrollingElement.scrollWidth > innerWidth && [
  `${document.scrollingElement.scrollWidth} px`,
  ...[...document.querySelectorAll("body *")]
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".scroll"))
    .map((one) => `${one.localName}.${one.className}`).slice(0, 3),
]"""
"""The width of a page that scrolls sideways, and what causes it; false for any other page."""
ASTRAY = """() => [
  ...document.querySelectorAll("main :is(a[href^='/players/'], bdi, .tie .number, .seat > *)")
].filter((one) => {
    const card = one.closest(".tie p, .cards li, .challenges li, td, tbody th");
    if (!card) return false;
    const [own, around] = [one, card].map((some) => some.getBoundingClientRect());
    return own.left < around.left - 1 || own.right > around.right + 1;
  }).map((one) => `${one.parentElement.className} ${one.textContent}`).slice(0, 3)"""
"""Names that overflow their card or cell."""
HIDDEN = """() => [...document.querySelectorAll("main .scroll > table:not(.cross)")]
  .filter((one) => one.offsetWidth > one.parentElement.clientWidth + 1)
  .map((one) => `${one.className} ${one.offsetWidth}`)"""
"""Tables with columns out of sight, on a screen that has room for all."""
BROKEN = """() => {
  const broken = [], range = document.createRange();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (!text.parentElement.checkVisibility()) continue;
    for (const word of text.data.matchAll(/(?<!\\S)[\\p{L}\\p{N}]+(?!\\S)/gu)) {
      if (word[0].length > 12 || text.parentElement.closest("svg, code, textarea")) continue;
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.bottom)));
      if (lines.size > 1) broken.push(`${text.parentElement.localName} ${word[0]}`);
    }
  }
  return broken.slice(0, 3);
}"""
"""Words of ordinary length that break across lines."""
TOUCHING = """() => {
  const boxes = [...document.querySelectorAll("main :is(button, .button)")]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }))
    .map((one) => [one.textContent.trim(), one.getBoundingClientRect()])
    .filter(([, box]) => box.width);
  const near = (a, b) => a.left < b.right + 2 && b.left < a.right + 2
    && a.top < b.bottom + 2 && b.top < a.bottom + 2;
  return boxes.flatMap(([name, box], index) => boxes.slice(index + 1)
    .filter(([, other]) => near(box, other)).map(([other]) => `${name} / ${other}`)).slice(0, 3);
}"""
"""Buttons between which there is no gap."""
NESTED = "() => [...document.querySelectorAll('[data-live] [data-live]')].map((one) => one.id)"
"""Parts of a page within others that are replaced too when the page is renewed."""
ROOMY = 1280


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = Running(tmp_path_factory.mktemp("every") / "data", **MAILING)
    yield running
    running.close()


@pytest.fixture(scope="module")
def examples(service: Running) -> Examples:
    return fill_demo(service)


@pytest.mark.parametrize(
    ("width", "scheme", "signed_in", "language"),
    [
        # Each option both ways; all combinations take minutes.
        (390, "dark", True, "en"),
        (1280, "light", False, "de"),
        pytest.param(390, "light", False, "en", marks=pytest.mark.soak),
        pytest.param(1280, "light", True, "en", marks=pytest.mark.soak),
        pytest.param(390, "light", True, "de", marks=pytest.mark.soak),
        pytest.param(1280, "dark", False, "de", marks=pytest.mark.soak),
    ],
)
def test_no_page_hinders_anybody(
    browser: Browser,
    service: Running,
    examples: Examples,
    width: int,
    scheme: str,
    signed_in: bool,
    language: str,
) -> None:
    shape = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    token = service.token if signed_in else None
    reader = Reader(browser, service.url, token, **shape, locale=language)
    reader.expected = ("401", "403", "422")
    found = [
        f"{path}: {fault}" for path in list_paths(examples) for fault in list_faults(reader, path)
    ]
    reader.close()
    assert found == []
    assert reader.faults == []
    assert reader.strangers == []


def list_faults(reader: Reader, path: str) -> Iterator[str]:
    """Yield a page's faults: as it opens, and the barriers and width once it is unfolded."""
    sizes: list[int] = []

    def note(answer: Response) -> None:
        sizes.append(int(answer.headers.get("content-length", 0)))

    reader.page.on("response", note)
    reader.go(path)
    if (shift := reader.measure_shift()) > 0.02:
        yield f"what is shown moves by {shift}"
    reader.page.remove_listener("response", note)
    if sum(sizes) > MOST_BYTES:
        yield f"{sum(sizes)} bytes"
    if broken := reader.page.evaluate(BROKEN):
        yield f"broken into lines: {broken}"
    if touching := reader.page.evaluate(TOUCHING):
        yield f"buttons without a gap: {touching}"
    if nested := reader.page.evaluate(NESTED):
        yield f"replaced by themselves and with others: {nested}"
    reader.page.evaluate(ALL_OPEN)
    yield from list_hindrances(reader)
    if wider := reader.page.evaluate(WIDER):
        yield f"wider than the screen: {wider}"


def list_hindrances(reader: Reader) -> Iterator[str]:
    """Yield the barriers that axe finds."""
    for violation in Axe().run(reader.page).response["violations"]:
        if violation["impact"] in HINDERING:
            targets = [node["target"] for node in violation["nodes"]][:3]
            yield f"{violation['id']} {targets}"


def test_a_page_that_hinders_somebody_is_found(browser: Browser, service: Running) -> None:
    reader = Reader(browser, service.url, None)
    reader.go("/sign-in")
    reader.page.evaluate("document.querySelector('main').append(document.createElement('input'))")
    assert [fault.split()[0] for fault in list_hindrances(reader)] == ["label"]
    reader.close()


def test_screenshots_are_taken_of_each_page_at_each_width(
    browser: Browser, service: Running, tmp_path: Path
) -> None:
    paths = ["/", "/tournaments/new"]
    assert take_screenshots(browser, service, paths, tmp_path) == 12
    for place in ("390-light", "390-dark", "1280-light", "1280-dark", "1920-light", "1920-dark"):
        for path in paths:
            assert (tmp_path / place / name_file(path)).read_bytes().startswith(b"\x89PNG")
