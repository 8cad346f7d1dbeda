"""The desk's forms for correcting what was entered wrong."""

from __future__ import annotations

from typing import Any

import pytest

from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.api.tournaments import Desk
from tests.service.pages.visitor import Visitor


@pytest.fixture
def organiser(api: Api) -> NewPlayer:
    """A player with an ordinary token."""
    return api.player("Olga")


@pytest.fixture
def desk(api: Api, organiser: NewPlayer) -> Desk:
    """A Swiss tournament of four over the board, with one round paired."""
    desk = Desk(api, organiser, players=0, name="Evening", rated=False, over_the_board=True)
    for name in ("Ada", "Brahin", "Carla", "Dan"):
        desk.do("enter", name=name)
    desk.pair()
    return desk


def find_player(desk: Desk, name: str) -> dict[str, Any]:
    """A player of the tournament by name."""
    found: dict[str, Any] = next(one for one in desk.get()["players"] if one["name"] == name)
    return found


def test_a_misspelt_name_and_a_rating_are_corrected_after_the_start(
    api: Api, desk: Desk, organiser: NewPlayer
) -> None:
    visitor, path = Visitor(api, organiser), f"{desk.path}/commands"
    brahin = find_player(desk, "Brahin")["id"]
    form = {"type": "correct-entry", "player": brahin, "name": "Brahim", "rating": "1700"}
    assert visitor.send(path, **form).status_code == 303
    assert find_player(desk, "Brahim")["rating"] == 1700
    for page in ("", "/rounds/1", "/cross-table"):
        text = Visitor(api).open(desk.path + page)
        assert "Brahim" in text
        assert "Brahin" not in text
    brahim = find_player(desk, "Brahim")["id"]
    refused = visitor.send(path, type="correct-entry", player=brahim, name="Dan")
    assert refused.status_code == 409
    assert 'name="name" value="Dan"' in refused.text
    assert '<details id="correct" open>' in refused.text


def test_a_registered_player_changes_the_name_themselves(api: Api, organiser: NewPlayer) -> None:
    desk = Desk(api, organiser, players=0, name="Own", rated=False, self_entry=True)
    ada = api.player("Ada")
    desk.order(ada, "enter", player=ada.id)
    answer = desk.order(organiser, "correct-entry", player=ada.id, name="Eva")
    assert answer.status_code == 422
    assert answer.json is not None
    assert answer.json["detail"] == "name: belongs to a registered player, who can change it"


def test_who_was_entered_by_mistake_is_taken_out(
    api: Api, desk: Desk, organiser: NewPlayer
) -> None:
    visitor, path = Visitor(api, organiser), f"{desk.path}/commands"
    desk.do("enter", name="Nobody")
    visitor.send(path, type="remove-entry", player=find_player(desk, "Nobody")["id"])
    assert ">Nobody<" not in visitor.open(desk.path)
    refused = visitor.send(path, type="remove-entry", player=find_player(desk, "Dan")["id"])
    assert "has been paired; withdraw them instead" in refused.text


def test_the_tournaments_own_data_is_corrected(api: Api, desk: Desk, organiser: NewPlayer) -> None:
    visitor, path = Visitor(api, organiser), f"{desk.path}/commands"
    form = {"type": "amend", "name": "Club evening", "starts_on": "2030-01-31", "ends_on": ""}
    form |= {"minutes": "15", "increment": "10", "rounds": "4"}
    refused = visitor.send(path, **form)
    assert "say why rounds changes" in refused.text
    assert 'name="minutes" value="15"' in refused.text
    assert visitor.send(path, **form, reason="one more hour").status_code == 303
    made = desk.get()
    assert (made["name"], made["starts_on"], made["rounds"]) == ("Club evening", "2030-01-31", 4)
    assert made["terms"]["time_control"] == "900+10"
    visitor.send(path, type="amend", name="Club evening", starts_on="", ends_on="")
    assert desk.get()["starts_on"] is None
    # The old name is free, the new one taken.
    for name, status in (("Evening", 201), ("club EVENING", 409)):
        wish = {"name": name, "variant": "katruji", "kind": "swiss", "rounds": 2, "rated": False}
        assert api.post("/tournaments", wish, organiser).status_code == status


def test_a_round_is_taken_back_and_the_tournament_cancelled(
    api: Api, desk: Desk, organiser: NewPlayer
) -> None:
    visitor, path = Visitor(api, organiser), f"{desk.path}/commands"
    assert "Yes, cancel it" not in visitor.open(desk.path)
    refused = visitor.send(path, type="cancel")
    assert "round 1 is paired: take it back first" in refused.text
    visitor.send(path, type="unpair", round="1", reason="made by mistake")
    desk.work()
    assert "Yes, cancel it" in visitor.open(desk.path)
    visitor.send(path, type="cancel")
    desk.work()
    page = visitor.open(desk.path)
    assert "This tournament was cancelled." in page
    assert "Pair round" not in page
    assert "Evening" not in visitor.open("/tournaments")
    assert "Evening" in visitor.open("/tournaments?status=cancelled")
    wish = {"name": "Evening", "variant": "katruji", "kind": "swiss", "rounds": 2, "rated": False}
    assert api.post("/tournaments", wish, organiser).status_code == 201


def test_tournaments_are_found_by_a_part_of_the_name(
    api: Api, desk: Desk, organiser: NewPlayer
) -> None:
    Desk(api, organiser, players=0, name="Ökumenischer Pokal", rated=False).work()
    page = Visitor(api).open("/tournaments?name=ökum")
    assert "Ökumenischer Pokal" in page
    assert "Evening" not in page
    assert "No such tournament." in Visitor(api).open("/tournaments?name=%25")
