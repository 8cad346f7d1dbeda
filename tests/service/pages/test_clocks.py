"""A game's page tells both clocks."""

from __future__ import annotations

import re

from service.player.repository import NewPlayer
from tests.service.api.client import Api


def page_of(api: Api, path: str) -> str:
    text = api.get(f"/{path}").get_data(as_text=True)
    found = re.search(r'<p class="clocks">(.*?)</p>', text)
    return re.sub(r"<.*?>", "", found[1]) if found else ""


def test_a_page_tells_both_clocks(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    path = api.running(ada, brahim, time_control="180+2")
    assert page_of(api, path) == "Clocks: South 3:00, North 3:00."
    api.play(path, ada, "Sd1")
    api.play(path, brahim, "Sa8")
    told = page_of(api, path)
    assert told.startswith("Clocks: South 3:00, North 3:00. South’s clock has run since ")
    assert "the flag falls at" in told
    api.command(path, brahim, "resign")
    assert re.fullmatch(r"Clocks: South [23]:\d\d, North 3:00\.", page_of(api, path))


def test_a_game_without_clocks_has_none(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    assert page_of(api, api.running(ada, brahim)) == ""
