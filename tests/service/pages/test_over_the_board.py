"""Tournaments over the board on the pages: nobody is told to play, nothing is shown as played."""

from __future__ import annotations

import pytest

from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.api.tournaments import Desk
from tests.service.pages.visitor import Visitor


@pytest.fixture
def desk(api: Api, arbiter: NewPlayer, ada: NewPlayer) -> Desk:
    """Two games of a round over the board; Ada is registered and plays in one."""
    venue = {"over_the_board": True, "starts_on": "2030-01-31", "ends_on": "2030-02-01"}
    desk = Desk(api, arbiter, players=0, name="Club", rated=False, **venue)
    for name in ("Brahim", "Carla", "Dan"):
        desk.do("enter", name=name)
    desk.do("enter", player=ada.id)
    desk.pair()
    return desk


def test_its_games_are_nobodys_turn_and_in_no_list(api: Api, desk: Desk, ada: NewPlayer) -> None:
    assert [one["game"] for one in desk.get("/rounds/1")["pairings"]] == [None, None]
    assert api.get("/games").json["items"] == []  # type: ignore[index]
    assert "Your turn" not in Visitor(api, ada).open("/")
    desk.do("rule", round=1, board=1, result="1-0")
    desk.do("rule", round=1, board=2, result="1-0")
    desk.work()
    page = Visitor(api).open(f"/players/{ada.id}")
    assert "No games." in page
    assert "1 won" not in page


def test_boards_that_are_not_transmitted_are_named_and_not_drawn(api: Api, desk: Desk) -> None:
    desk.do("rule", round=1, board=1, result="1-0")
    page = Visitor(api).open(f"{desk.path}/rounds/1/boards")
    assert "Not transmitted" in page
    assert "board.svg" not in page
    assert "<strong>1–0</strong>" in page
    for path in (desk.path, f"{desk.path}/rounds/1"):
        assert "/rounds/1/boards" not in Visitor(api).open(path)


def test_the_tournament_says_where_when_and_by_whom(
    api: Api, desk: Desk, arbiter: NewPlayer
) -> None:
    page = Visitor(api).open(desk.path)
    assert "over the board" in page
    assert "2030-01-31 to 2030-02-01" in page
    german = api.http.get(desk.path, headers={"Accept": "text/html", "Accept-Language": "de"}).text
    assert "2030-01-31 bis 2030-02-01" in german
    assert f'Organiser: <a href="/players/{arbiter.id}">' in page
    assert f'<td><a href="/players/{arbiter.id}">' in Visitor(api).open("/tournaments")
    assert desk.get()["organiser"]["id"] == arbiter.id
    assert "042 2030/01/31" in api.get(f"{desk.path}/trf").text
    assert "052 2030/02/01" in api.get(f"{desk.path}/trf").text


def test_the_form_makes_a_tournament_over_the_board(api: Api, ada: NewPlayer) -> None:
    form = {"name": "Cup", "variant": "kerak", "preset": "club-evening"}
    form |= {"starts_on": "2030-01-31"}
    answer = Visitor(api, ada).send("/tournaments/new", **form)
    made = api.get(answer.headers["Location"]).json
    assert made is not None
    assert (made["over_the_board"], made["starts_on"], made["ends_on"]) == (
        True,
        "2030-01-31",
        None,
    )
    wrong = Visitor(api, ada).send("/tournaments/new", **form | {"ends_on": "2029-01-01"})
    assert wrong.status_code == 422
    assert "Last day: is before the start" in wrong.text
