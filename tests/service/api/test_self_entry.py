"""Tournaments of casual games: any player may hold one, and players may enter themselves."""

from __future__ import annotations

import pytest

from service.player.repository import NewPlayer
from tests.service.api.client import Api, error
from tests.service.api.tournaments import Desk


@pytest.fixture
def organiser(api: Api) -> NewPlayer:
    """A player with an ordinary token."""
    return api.player("Olga")


@pytest.fixture
def desk(api: Api, organiser: NewPlayer) -> Desk:
    return Desk(api, organiser, players=0, rated=False, self_entry=True)


def test_players_enter_and_withdraw_by_themselves(desk: Desk, api: Api) -> None:
    ada, brahim = api.player("Ada"), api.player("Brahim")
    assert desk.get()["self_entry"] is True
    assert desk.json(desk.order(ada, "enter", player=ada.id))["players"][0]["id"] == ada.id
    assert error(desk.order(ada, "enter", player=brahim.id)) == (403, "not-the-arbiter")
    assert error(desk.order(ada, "enter", name="Friend")) == (403, "not-the-arbiter")
    assert error(desk.order(None, "enter", player=ada.id)) == (401, "missing-token")
    assert desk.json(desk.order(ada, "withdraw", player=ada.id))["players"][0]["withdrawn"] == 1
    assert desk.do("close-self-entry")["self_entry"] is False
    assert error(desk.order(brahim, "enter", player=brahim.id)) == (409, "self-entry-closed")
    assert desk.do("open-self-entry")["self_entry"] is True
    assert desk.json(desk.order(brahim, "enter", player=brahim.id))


def test_an_organiser_enters_names_and_no_registered_players(
    desk: Desk, api: Api, organiser: NewPlayer
) -> None:
    ada = api.player("Ada")
    refused = desk.order(organiser, "enter", player=ada.id)
    assert error(refused) == (422, "bad-value")
    assert "enter by themselves" in refused.json["detail"]  # type: ignore[index]
    assert desk.do("enter", name="Brahim")["players"][0]["name"] == "Brahim"
    assert desk.do("enter", player=organiser.id)
    other = api.player("Ruth", "arbiter", "play")
    desk.do("appoint-arbiter", player=other.id)
    assert desk.json(desk.order(other, "enter", player=ada.id))


@pytest.mark.slow
def test_an_organiser_runs_a_round_by_typing_results(desk: Desk, organiser: NewPlayer) -> None:
    for name in ("Ada", "Brahim", "Carla", "Dan"):
        desk.do("enter", name=name)
    assert len(desk.pair()["pairings"]) == 2
    results = [{"board": 1, "result": "1-0"}, {"board": 2, "result": "1/2-1/2"}]
    desk.do("results", round=1, results=results)
    desk.work()
    assert desk.get("/rounds/1")["status"] == "finished"
    wrong = desk.order(organiser, "results", round=1, results=[{"board": 1, "result": "0-1"}])
    assert error(wrong) == (422, "bad-value")
    reason = [{"board": 1, "result": "0-1", "reason": "typed the wrong way round"}]
    desk.do("results", round=1, results=reason)
    assert [one["result"] for one in desk.get("/rounds/1")["pairings"]] == ["0-1", "1/2-1/2"]
    twice = desk.order(organiser, "results", round=1, results=reason * 2)
    assert error(twice) == (422, "bad-value")


def test_rated_games_need_an_arbiters_token(api: Api, organiser: NewPlayer) -> None:
    wish = {"name": "Rated", "variant": "kerak", "kind": "round-robin"}
    assert error(api.post("/tournaments", wish, organiser)) == (403, "missing-scope")
    assert api.post("/tournaments", wish | {"rated": False}, organiser).status_code == 201
