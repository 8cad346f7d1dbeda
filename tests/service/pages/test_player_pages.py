"""A player's page: what they play now, in which tournaments, and who else has the name."""

from __future__ import annotations

from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.api.tournaments import Desk
from tests.service.pages.visitor import Visitor


def test_games_that_are_played_and_tournaments_are_shown(
    api: Api, arbiter: NewPlayer, ada: NewPlayer, brahim: NewPlayer
) -> None:
    page = Visitor(api).open(f"/players/{ada.id}")
    assert 'id="playing"' not in page
    assert 'id="tournaments"' not in page
    api.running(ada, brahim)
    desk = Desk(api, arbiter, players=0, name="Spring Open")
    desk.do("enter", player=ada.id)
    desk.work()
    page = Visitor(api).open(f"/players/{ada.id}")
    assert 'id="playing"' in page
    assert f'<a href="{desk.path}">Spring Open</a>' in page
    assert "Spring Open" not in Visitor(api).open(f"/players/{brahim.id}")
    desk.do("remove-entry", player=ada.id)
    desk.work()
    assert "Spring Open" not in Visitor(api).open(f"/players/{ada.id}")


def test_players_of_one_name_lead_to_each_other(api: Api, arbiter: NewPlayer) -> None:
    desk = Desk(api, arbiter, players=0, name="Twins")
    one = api.player("Ada Twin")
    other = desk.do("enter", name="Ada Twin")["players"][0]["id"]
    desk.work()
    assert f'<a href="/players/{other}">Ada Twin' in Visitor(api).open(f"/players/{one.id}")
