"""Takes screenshots of every page, narrow and wide, light and dark, on a service filled for them.

    python -m tests.pages.screenshots [FOLDER]

FOLDER, by default `screenshots/`, gets a folder for each width and scheme.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Final

import click
from playwright.sync_api import Browser, sync_playwright

from tests.end_to_end.running import Running
from tests.pages.conftest import launch_chromium
from tests.pages.demo import fill_demo
from tests.pages.every_page import list_paths
from tests.pages.reader import Reader
from tests.service.api.test_mail import MAILING

WIDTHS: Final = (390, 1280, 1920)
SCHEMES: Final = ("light", "dark")
HEIGHT: Final = 900
SETTLED: Final = """async () => {
  const loaded = (image) => image.complete || new Promise((done) => {
    image.addEventListener("load", done); image.addEventListener("error", done);
  });
  for (let top = 0; top < document.documentElement.scrollHeight; top += innerHeight) {
    scrollTo(0, top);
    await new Promise(requestAnimationFrame);
  }
  await Promise.all([...document.images].map(loaded));
  scrollTo(0, 0);
  const late = performance.now() + 5000;
  await new Promise((done) => {
    const settle = () => { watched.disconnect(); done(); };
    let quiet = setTimeout(settle, 250);
    const watched = new MutationObserver(() => {
      clearTimeout(quiet);
      quiet = setTimeout(settle, performance.now() < late ? 250 : 0);
    });
    watched.observe(document, { subtree: true, childList: true, attributes: true });
  });
}"""
"""Scrolls through a page so that all its pictures load, and waits until scripts have drawn it."""


def name_file(path: str) -> str:
    """The file name of a page's screenshot.

    >>> name_file("/"), name_file("/players/abcdefghijklmnop/opponents")
    ('home.png', 'players-abcdefghijklmnop-opponents.png')
    """
    return (re.sub(r"[^\w]+", "-", path).strip("-") or "home") + ".png"


def take_screenshots(browser: Browser, service: Running, paths: list[str], folder: Path) -> int:
    """Take a screenshot of each page at each width, light and dark; returns their number."""
    taken = 0
    for width in WIDTHS:
        for scheme in SCHEMES:
            place = folder / f"{width}-{scheme}"
            place.mkdir(parents=True, exist_ok=True)
            shape = {"viewport": {"width": width, "height": HEIGHT}, "color_scheme": scheme}
            reader = Reader(browser, service.url, service.token, **shape)
            for path in paths:
                reader.go(path)
                reader.page.evaluate(SETTLED)
                reader.page.screenshot(path=place / name_file(path), full_page=True)
                taken += 1
            reader.close()
    return taken


def main(folder: Path) -> None:
    """Start a service, fill it, and take the screenshots."""
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        service = Running(Path(temporary) / "data", **MAILING)
        try:
            paths = list_paths(fill_demo(service))
            browser = launch_chromium(playwright)
            taken = take_screenshots(browser, service, paths, folder)
            browser.close()
        finally:
            service.close()
    click.echo(f"{taken} screenshots of {len(paths)} pages are in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "screenshots"))
