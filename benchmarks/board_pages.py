"""A game between two browsers at one service, and what their pages report about its speed.

The pages time themselves: a probe records when a click or a key happened, when a position was
laid out, and when the frame with it was drawn. Times are milliseconds of the machine's clock, the
same in all pages.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import requests
from playwright.sync_api import Browser, BrowserType, Page

from service.pages.session import COOKIE

PATIENCE = 60_000
CHROMIUMS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    "chromium-headless-shell",
)
CELLS = re.compile(r"[a-l]\d{1,2}")
PROBE = """(() => {
  const now = () => performance.timeOrigin + performance.now();
  const probe = (globalThis.probe = { hand: 0, laid: {}, drawn: {}, shift: 0 });
  const add = (list) => { for (const one of list.getEntries()) probe.shift += one.value; };
  new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
  for (const kind of ["click", "keydown"]) {
    const note = (event) => (probe.hand = performance.timeOrigin + event.timeStamp);
    addEventListener(kind, note, true);
  }
  let shown = null;
  const look = () => {
    const place = document.querySelector("#board .position");
    const ply = place?.dataset.ply ?? null;
    if (ply === null || ply === shown) return;
    shown = ply;
    place.getBoundingClientRect();
    probe.laid[ply] = now();
    requestAnimationFrame(() => {
      const drawn = new MessageChannel();
      drawn.port1.onmessage = () => (probe.drawn[ply] = now());
      drawn.port2.postMessage(null);
    });
  };
  const kinds = { subtree: true, childList: true, attributeFilter: ["data-ply"] };
  new MutationObserver(look).observe(document, kinds);
})()"""
MIDDLE = """(selector) => {
  const found = document.querySelector(selector);
  found.scrollIntoView({ block: "nearest" });
  const box = found.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}"""
ANSWERED = """() => {
  const sent = performance.getEntriesByType("resource").filter((one) => /actions/.test(one.name));
  return performance.timeOrigin + sent.at(-1).responseEnd;
}"""


@dataclass(frozen=True, slots=True)
class PlyTimes:
    """The times of a ply, in milliseconds from the click, and the traffic to the opponent's page.

    `own` and `other` are when the two boards were drawn; `beyond` is how long after the answer to
    the mover's request the other's was drawn. `messages` and `sent` count what the opponent's page
    received on the stream of the game, `bytes` everything it received.
    """

    own: float
    other: float
    beyond: float
    messages: int
    sent: int
    bytes: int


def launch(chromium: BrowserType) -> Browser:
    """Launch the Chromium on the PATH, or Playwright's own."""
    found = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    # Inside a container Chromium cannot use its sandbox, and there is no GPU.
    return chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])


class Player:
    """A browser signed in as a new player, who clicks on the board or types."""

    def __init__(self, browser: Browser, url: str, name: str, clicks: bool) -> None:
        self.clicks = clicks
        made = requests.post(f"{url}/api/v1/players", json={"name": name}, timeout=60).json()
        self.url = url
        self.headers = {"Authorization": f"Bearer {made['token']['secret']}"}
        self.context = browser.new_context(
            base_url=url, viewport={"width": 1280, "height": 800}, reduced_motion="reduce"
        )
        cookie: Any = {"name": COOKIE, "value": made["token"]["secret"], "url": url}
        self.context.add_cookies([cookie])
        self.context.add_init_script(PROBE)
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.traffic = Traffic(self.page)

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """The API's answer to a request by the player."""
        answer = requests.request(
            method, f"{self.url}/api/v1{path}", json=body, headers=self.headers, timeout=60
        )
        answer.raise_for_status()
        return answer.json()

    def open(self, game: str) -> None:
        """Open a game's page, and wait until it follows the game."""
        self.page.goto(f"/games/{game}")
        self.page.locator("#connection", has_text="live").wait_for()

    def wait_drawn(self, ply: int) -> float:
        """When the position after `ply` actions was drawn."""
        self.page.wait_for_function("(ply) => ply in probe.drawn", arg=str(ply))
        return float(self.page.evaluate("(ply) => probe.drawn[ply]", str(ply)))

    def move(self, action: str) -> None:
        """Click where an action begins and where it ends, or type it."""
        if not self.clicks:
            self.page.locator("#act [name=action]").fill(action)
            self.page.keyboard.press("Enter")
            return
        for selector in find_clicks(action):
            self.page.mouse.click(*self.page.evaluate(MIDDLE, selector))

    def step(self, key: str, ply: int) -> float:
        """How long it takes after a key until the position after `ply` actions is laid out."""
        self.page.evaluate("(ply) => delete probe.laid[ply]", str(ply))
        self.page.keyboard.press(key)
        self.page.wait_for_function("(ply) => ply in probe.laid", arg=str(ply))
        return float(self.page.evaluate("(ply) => probe.laid[ply] - probe.hand", str(ply)))

    @property
    def shift(self) -> float:
        """How much the page has moved by itself (the web's layout shift)."""
        return float(self.page.evaluate("probe.shift"))


class Traffic:
    """What a page receives: bytes over the wire, and messages of its game's stream."""

    def __init__(self, page: Page) -> None:
        self.bytes = self.messages = self.sent = 0
        self._streams: set[str] = set()
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.responseReceived", self._answered)
        session.on("Network.dataReceived", self._received)
        session.on("Network.eventSourceMessageReceived", self._heard)

    def _answered(self, told: Mapping[str, Any]) -> None:
        if "/games/" in told["response"]["url"] and "/stream" in told["response"]["url"]:
            self._streams.add(told["requestId"])
        self.bytes += int(told["response"]["encodedDataLength"])

    def _received(self, told: Mapping[str, Any]) -> None:
        size = int(told["encodedDataLength"])
        self.bytes += size
        if told["requestId"] in self._streams:
            self.sent += size

    def _heard(self, told: Mapping[str, Any]) -> None:
        self.messages += told["requestId"] in self._streams


def find_clicks(action: str) -> tuple[str, str]:
    """The selectors of the elements to click for an action in coordinate form."""
    cells = CELLS.findall(action)
    start = f'[data-hand="{action[0]}"]' if "@" in action else f'[data-cell="{cells[0]}"]'
    return f"#board {start}", f'#board [data-cell="{cells[-1]}"]'


def is_plain(action: str, legal: Sequence[str]) -> bool:
    """Whether clicks on its cells mean this action and no other."""
    cells = CELLS.findall(action)
    if ":" in action or "&" in action or len(cells) != (1 if "@" in action else 2):
        return False
    # An action with further cells, such as a Commander's with other pieces, begins with the same.
    begins = (action[0] if "@" in action else None, cells)
    return begins not in [
        (one[0] if "@" in one else None, CELLS.findall(one)[: len(cells)])
        for one in legal
        if one != action
    ]
