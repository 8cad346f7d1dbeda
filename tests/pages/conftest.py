"""A web process and browsers that open its pages. Without Chromium these tests are skipped."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

from service.player.repository import NewPlayer
from tests.pages.reader import Reader
from tests.service.conftest import redis_process, server
from tests.service.web_server import WebServer

NAMES = (
    # Without a hidden window it takes two thirds of the time.
    "chromium-headless-shell",
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
)
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)

Opened = Callable[..., Reader]

__all__ = ["redis_process", "server"]


def launch_chromium(playwright: Playwright) -> Browser:
    """Start the Chromium on the PATH."""
    # A container has no sandbox for Chromium, and no GPU.
    return playwright.chromium.launch(
        executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
    )


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium on the PATH; `make browser` installs Debian's")
    with sync_playwright() as playwright:
        running = launch_chromium(playwright)
        yield running
        running.close()


@pytest.fixture
def opened(browser: Browser, server: WebServer) -> Iterator[Opened]:
    """A function that opens a browser for a new player, a given one, or a stranger.

    At the end, no page may have had an error or sent a request outside the service.
    """
    readers: list[Reader] = []

    def opened(name: str | None = None, player: NewPlayer | None = None, **shape: object) -> Reader:
        if name:
            player = server.service.players.register(name, None)
        readers.append(
            Reader(browser, server.url, player.token.secret if player else None, **shape)
        )
        readers[-1].player = player
        return readers[-1]

    yield opened
    for reader in readers:
        reader.close()
    for reader in readers:
        assert reader.faults == []
        assert reader.strangers == []
