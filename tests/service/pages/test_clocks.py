"""A game's page shows both clocks."""

from __future__ import annotations

import re
import time

import pytest

from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.pages.visitor import Visitor


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


def test_a_form_asks_for_clocks(api: Api, ada: NewPlayer) -> None:
    visitor = Visitor(api, ada)
    form = {"variant": "katruji", "minutes": "3", "increment": "2"}
    for more, control in (({"timed": "yes"}, "180+2"), ({}, None)):
        path = visitor.send("/games/new", **form, **more).headers["Location"]
        shown = api.get(path).json
        assert shown
        assert shown["tags"]["TimeControl"] == "180+2"
        assert shown.get("clocks", {}).get("time_control") == control
    answer = visitor.send("/games/new", variant="katruji", timed="yes")
    assert answer.status_code == 422
    assert "Enter how many minutes each side has on the clock." in answer.text
    assert re.search(r'name="timed" value="yes" checked', answer.text)


@pytest.mark.slow
def test_a_page_says_that_the_time_is_up(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    path = api.running(ada, brahim, time_control="1")
    api.play(path, ada, "Sd1")
    api.play(path, brahim, "Sa8")
    time.sleep(1.1)
    answer = Visitor(api, ada).send(f"{path}/actions", action="Sc2")
    assert answer.status_code == 409
    assert "South has no time left" in answer.text
