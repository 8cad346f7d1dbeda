"""Finding an opponent on the pages: by name, in the lobby, again; and calling a game off."""

from __future__ import annotations

from service.computer.registration import register_computers
from service.player.repository import NewPlayer
from tests.service.api.client import Api
from tests.service.pages.visitor import Visitor


def test_a_player_is_challenged_by_name_and_finds_it_at_home(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    api.project()
    form = {"variant": "katruji", "opponent_name": "brahim", "side": "first", "private": "yes"}
    form |= {"rated": "no", "expires_in_seconds": "3600", "days": "3", "timed": "yes"}
    path = Visitor(api, ada).send("/games/new", **form).headers["Location"]
    made = api.get(path).json
    assert made
    assert made["players"]["second"]["id"] == brahim.id
    assert (made["terms"]["time_control"], made["terms"]["rated"]) == ("1/259200", False)
    api.project()
    assert path in Visitor(api, brahim).open("/")
    assert path not in Visitor(api).open("/")
    shown = Visitor(api, brahim).open(path)
    assert "3 days for each action; casual; private" in shown
    assert "expires on" in shown


def test_who_is_called_so_is_asked_for_where_nobody_is(api: Api, ada: NewPlayer) -> None:
    answer = Visitor(api, ada).send("/games/new", variant="katruji", opponent_name="Nobody")
    assert answer.status_code == 422
    assert "Opponent&#39;s name: no registered player is called so" in answer.text
    assert 'value="Nobody"' in answer.text


def test_home_has_the_challenges_that_anybody_may_accept(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    anybody = api.created({"variant": "katruji"}, ada)
    named = api.created({"variant": "katruji", "opponent": brahim.id}, ada)
    api.project()
    shown = Visitor(api).open("/")
    assert anybody in shown
    assert named not in shown.partition("Open challenges")[2].partition("Running")[0]


def test_a_game_is_aborted_before_its_first_action(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = api.running(ada, brahim)
    visitor = Visitor(api, ada)
    assert "Abort the game" in visitor.open(path)
    assert "Abort the game" not in Visitor(api).open(path)
    assert visitor.send(f"{path}/commands", type="abort").status_code == 303
    assert "Abort the game" not in visitor.open(path)
    other = api.running(ada, brahim)
    api.play(other, ada, "Sd1")
    assert "Abort the game" not in visitor.open(other)


def test_an_ended_games_page_offers_a_rematch(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer
) -> None:
    path = api.running(ada, brahim)
    visitor = Visitor(api, ada)
    assert "Rematch" not in visitor.open(path)
    refused = visitor.send(f"{path}/rematch")
    assert refused.status_code == 409
    assert "it is not over" in refused.text
    api.command(path, brahim, "resign")
    assert "Rematch" in visitor.open(path)
    assert "Rematch" not in Visitor(api, eve).open(path)
    asked = visitor.send(f"{path}/rematch")
    assert asked.status_code == 303
    answered = Visitor(api, brahim).send(f"{path}/rematch")
    assert answered.headers["Location"] == asked.headers["Location"]
    game = api.get(asked.headers["Location"]).json
    assert game
    assert (game["status"], game["players"]["first"]["id"]) == ("running", brahim.id)


def test_the_computer_is_challenged_from_the_form(api: Api, ada: NewPlayer) -> None:
    register_computers(api.service.players)
    visitor = Visitor(api, ada)
    assert "/games/new?computer=computer-3" in visitor.open("/")
    form = visitor.open("/games/new?computer=computer-3")
    assert '<option value="computer-3" selected>level 3</option>' in form
    answer = visitor.send("/games/new", variant="katruji", computer="computer-2", side="first")
    made = api.get(answer.headers["Location"]).json
    assert made
    assert made["players"]["second"]["name"] == "computer-2"
    assert made["terms"]["rated"] is False
    refused = visitor.send("/games/new", variant="katruji", computer="computer-2", rated="yes")
    assert refused.status_code == 422
    assert "For ratings: the computer plays casual games only" in refused.text
    assert '<option value="computer-2" selected>' in refused.text
