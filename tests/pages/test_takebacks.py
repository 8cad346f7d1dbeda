"""A takeback: of a player's own last action; nothing that was planned is played after it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from service.player.repository import NewPlayer
from tests.pages import hands
from tests.pages.conftest import Opened
from tests.pages.reader import Reader
from tests.pages.test_instant import live
from tests.service.api.live import post, running
from tests.service.web_server import WebServer


def begun(opened: Opened, server: WebServer) -> tuple[Reader, str, NewPlayer]:
    """A player's page of a game in which they have acted, the game's path, and the opponent."""
    reader, other = opened("Ada"), server.service.players.register("Brahim", None)
    assert reader.player is not None
    path = running(server, reader.player, other)
    reader.go(path)
    live(reader)
    hands.click(reader, "c3", "d4")
    expect(reader.page.locator("#moves li a")).to_have_count(1)
    return reader, path, other


def test_what_was_planned_is_not_played_after_a_takeback(opened: Opened, server: WebServer) -> None:
    reader, path, other = begun(opened, server)
    hands.click(reader, "a3", "a4")
    expect(reader.page.locator("#board .plan")).to_have_count(2)
    reader.press("Ask for a takeback")
    expect(reader.page.locator(".offer")).to_have_text("South asks to go back to action 0.")
    post(server, f"{path}/commands", {"type": "accept-retraction"}, other)
    reader.plies(0)
    expect(reader.page.locator("#board .plan")).to_have_count(0)
    hands.click(reader, "b3", "c4")
    expect(reader.page.locator("#moves li a")).to_have_text("1. Pc4")


@pytest.mark.parametrize("reloaded", [False, True])
def test_on_ones_turn_a_takeback_goes_back_to_before_ones_own_action(
    opened: Opened, server: WebServer, reloaded: bool
) -> None:
    reader, path, other = begun(opened, server)
    for ply, (token, own) in enumerate([("Pa5", ("a3", "a4")), ("Pa6", None)]):
        post(server, f"{path}/actions", {"action": token}, other)
        reader.plies(2 * ply + 2)
        if own:
            hands.click(reader, *own)
            expect(reader.page.locator("#moves li a")).to_have_count(3)
    if reloaded:
        reader.go(path)
        live(reader)
    reader.press("Ask for a takeback")
    expect(reader.page.locator(".offer")).to_have_text("South asks to go back to action 2.")
