"""Nothing shifts by itself on a game's page: for players and watchers, on any screen."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.pages import hands
from tests.pages.conftest import Opened
from tests.pages.reader import Reader
from tests.pages.test_board import DESK, PHONE, legal
from tests.pages.test_playing import begun

WIDE: dict[str, Any] = {"viewport": {"width": 1920, "height": 1080}}
SLOW = {"offline": False, "latency": 50, "downloadThroughput": 40_000, "uploadThroughput": 40_000}
"""A network, in bytes a second, on which a page arrives in many parts."""
MOVED = """() => new Promise((done) => {
  const moved = [];
  const add = (list) => {
    for (const { value, sources, startTime } of list) {
      for (const { node, previousRect: a, currentRect: b } of value ? sources : []) {
        const box = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join();
        moved.push(`${node?.nodeName} ${node?.className}: ${box(a)} to ${box(b)} at ${startTime}`);
      }
    }
  };
  const watch = new PerformanceObserver((list) => add(list.getEntries()));
  watch.observe({type: "layout-shift", buffered: true});
  setTimeout(() => { add(watch.takeRecords()); done(moved); }, 200);
})"""
"""Everything that has shifted on the page so far, even just after a click."""


def open_slowly(reader: Reader) -> None:
    """Reload the page on a slow network and a slow processor."""
    session = reader.page.context.new_cdp_session(reader.page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    reader.page.reload()
    expect(reader.page.locator("#connection")).to_have_text("live")
    session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    session.send("Network.emulateNetworkConditions", {**SLOW, "downloadThroughput": -1})
    session.detach()


@pytest.mark.slow
@pytest.mark.parametrize("shape", [DESK, PHONE, WIDE], ids=["desk", "phone", "wide"])
@pytest.mark.parametrize("variant", ["katruji", "kerak"])
def test_nothing_moves_for_players_and_watchers(
    opened: Opened, variant: str, shape: dict[str, Any]
) -> None:
    players = begun(opened, variant, (shape, shape))
    watcher = opened(**shape)
    watcher.go(players[0].page.url)
    readers = (*players, watcher)
    for reader in readers:
        open_slowly(reader)
    for ply in range(4):
        mover = players[ply % 2]
        where = next(filter(None, map(hands.ends_of, legal(mover))))
        hand = hands.tap if mover.touches else hands.click
        hands.see_board(mover)
        hand(mover, *where)
        for reader in readers:
            reader.plies(ply + 1)
            reader.page.evaluate("new Promise((done) => setTimeout(done, 300))")
    for reader in readers:
        assert reader.page.evaluate(MOVED) == []
