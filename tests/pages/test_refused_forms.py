"""Pages on which the service shows that a form was refused: they stay live."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.pages.conftest import Opened
from tests.pages.test_lobby import offer, register, row, wait_until_live
from tests.service.api.live import post, running
from tests.service.web_server import WebServer

REMATCH = """(path) => {
  const form = document.createElement("form");
  form.append(document.querySelector("input[name=csrf]").cloneNode());
  Object.assign(form, { method: "post", action: path });
  form.dataset.whole = "";
  document.body.append(form);
  form.submit();
}"""
"""Sends the form for a rematch."""


def test_the_lobby_stays_live_after_another_player_was_faster(
    opened: Opened, server: WebServer
) -> None:
    felix, grete = register(server, "Felix the Fast"), register(server, "Grete")
    ada = opened("Ada")
    ada.expected = ("409",)
    game = offer(server, grete)
    server.catch_up()
    ada.go("/lobby")
    wait_until_live(ada)
    # The news has not reached this page yet.
    ada.look_away()
    post(server, f"/games/{game}/commands", {"type": "accept"}, felix)
    row(ada.page, game).get_by_role("button", name="Accept").click()
    refusal = ada.page.locator("#problem .problem")
    expect(refusal).to_be_visible()
    wait_until_live(ada)
    other = offer(server, grete)
    expect(row(ada.page, other)).to_contain_text("Grete plays South")
    expect(refusal).to_be_visible()
    ada.go(f"/lobby/{game}")
    ada.page.wait_for_url("**/lobby")


def test_a_game_stays_live_after_a_rematch_was_refused(opened: Opened, server: WebServer) -> None:
    """The refused form is one that the page offered before the game was reopened."""
    brahim, ada = register(server, "Brahim"), opened("Ada")
    ada.expected = ("409",)
    assert ada.player is not None
    path = running(server, brahim, ada.player)
    ada.go(path)
    ada.page.evaluate(REMATCH, f"{path}/rematch")
    expect(ada.page.locator("#problem .problem")).to_contain_text("it is not over")
    post(server, f"{path}/actions", {"action": "Sd1"}, brahim)
    ada.plies(1)
    post(server, f"{path}/commands", {"type": "resign"}, brahim)
    expect(ada.page.get_by_role("button", name="Rematch")).to_be_visible()
    ada.go(f"{path}/rematch")
    ada.page.wait_for_url(f"**{path}")
