"""A person with a browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect

from service.pages.session import COOKIE
from service.player.repository import NewPlayer

PATIENCE = 90_000
"""Milliseconds in which a page must get into the expected state on a busy machine."""

Touch = Callable[..., None]
"""Sends a touch event (`touchStart`, `touchMove`, `touchEnd`) with the places of all fingers."""

expect.set_options(timeout=PATIENCE)

LOOK_AWAY = """(away) => {
  Object.defineProperty(document, "hidden", { value: away, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""

SHIFTS = """new Promise((done) => {
  let sum = 0;
  const add = (list) => { for (const one of list.getEntries()) sum += one.value; };
  new PerformanceObserver(add).observe({type: "layout-shift", buffered: true});
  setTimeout(() => done(sum), 100);
})"""


class Reader:
    """A browser, signed in if there is a token; it records what goes wrong.

    `player` is the token's player, where a test has created one; `touches` is whether there is a
    touch screen. `faults` are errors of scripts and pages, `strangers` are requested addresses
    outside the service, and faults that contain one of `expected` are ignored.
    """

    def __init__(self, browser: Browser, url: str, token: str | None, **shape: Any) -> None:
        self.url = url
        self.player: NewPlayer | None = None
        self.faults: list[str] = []
        self.strangers: list[str] = []
        self.expected: tuple[str, ...] = ()
        self.touches = bool(shape.get("has_touch"))
        self._context = browser.new_context(base_url=url, reduced_motion="reduce", **shape)
        if token is not None:
            self.sign_in(token)
        # The context reports for all its pages, and for tabs that a test opens later.
        self._context.on("weberror", lambda thrown: self.faults.append(str(thrown.error)))
        self._context.on(
            "console", lambda said: self._note(said.type, f"{said.text} {said.location['url']}")
        )
        self._context.on("request", lambda request: self._asked(request.url))
        self.page: Page = self._context.new_page()
        self.page.set_default_timeout(PATIENCE)

    def sign_in(self, token: str) -> None:
        """Sign in with a token, as in another tab."""
        cookie: Any = {"name": COOKIE, "value": token, "url": self.url}
        self._context.add_cookies([cookie])

    def _note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and not any(word in text for word in self.expected):
            self.faults.append(text)

    def _asked(self, url: str) -> None:
        if not url.startswith((self.url, "data:", f"blob:{self.url}")):
            self.strangers.append(url)

    def go(self, path: str) -> None:
        """Open a page."""
        self.page.goto(path)

    def measure_shift(self) -> float:
        """How much of the page has shifted by itself since it was opened, by Chromium's measure."""
        return float(self.page.evaluate(SHIFTS))

    def cell(self, name: str) -> Locator:
        """A cell of the board."""
        return self.page.locator(f'#board [data-cell="{name}"]')

    def await_board(self) -> None:
        """Wait until scripts have drawn the board, so that it can be played on."""
        expect(self.page.locator("#board .frame [role=grid]")).to_be_visible()

    def plies(self, count: int) -> None:
        """Wait until the page shows the position after `count` actions."""
        expect(self.page.locator("#board .position")).to_have_attribute("data-ply", str(count))

    def play(self, action: str, dragging: bool = False) -> None:
        """Play an action in coordinate form with the mouse, as a person would."""
        cells = re.findall(r"[a-l]\d{1,2}", action)
        if "@" in action:
            self._bring(self.page.locator(f'[data-hand="{action[0]}"]'), cells[0], dragging)
        elif ":" in action or not cells:
            button = self.page.locator(f'#deeds button[value="{action}"]')
            if not button.is_visible():
                self.cell(cells[0]).click()
            button.click()
            self.agree()
        else:
            self._bring(self.cell(cells[0]), cells[1], dragging)
            option = self.page.locator(f'#chooser button[value="{action}"]')
            if option.is_visible():
                option.click()

    def agree(self) -> None:
        """Answer yes to the question before something irreversible."""
        self.page.locator("#chooser .options button").click()

    def _bring(self, what: Locator, cell: str, dragging: bool) -> None:
        if dragging:
            what.drag_to(self.cell(cell))
        else:
            what.click()
            self.cell(cell).click()

    @contextmanager
    def finger(self) -> Iterator[Touch]:
        """Yield a function that sends touch events."""
        session = self._context.new_cdp_session(self.page)

        def touch(kind: str, *places: tuple[float, float]) -> None:
            points = [{"x": x, "y": y} for x, y in places]
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        yield touch
        session.detach()

    def press(self, name: str) -> None:
        """Press the button with this name."""
        self.page.get_by_role("button", name=name, exact=True).click()

    def send(self, name: str) -> None:
        """Press the button of a form that leads to a page, and wait for that page.

        Otherwise news may still show on the old page, and the answer replaces what is open there.
        """
        with self.page.expect_event("load"):
            self.press(name)

    def look_away(self, away: bool = True) -> None:
        """Hide the page, as behind another tab, or show it again."""
        self.page.evaluate(LOOK_AWAY, away)

    def offline(self, away: bool) -> None:
        """Take the browser offline, or back online."""
        self._context.set_offline(away)

    def close(self) -> None:
        """Close the browser's windows."""
        self._context.close()
