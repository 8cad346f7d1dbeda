"""The terms of games and tournaments over HTTP: agreed, shown, and hidden if private."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from service.game.terms import MINUTE
from service.player.repository import NewPlayer
from tests.service.api.client import NDJSON, Api, error
from tests.service.api.live import read_messages
from tests.service.api.tournaments import Desk
from tests.service.game.support import QUIET
from workers.flag_falls import FlagFalls

ALL = {
    "time_control": "180+2",
    "rated": False,
    "ply_limit": 80,
    "visibility": "private",
    "expires_in_seconds": 3600,
}


def offer(api: Api, by: NewPlayer, **wish: Any) -> Any:
    """Make a challenge; returns the answer."""
    answer = api.post("/games", {"variant": "katruji", "side": "first"} | wish, by)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    return answer.json


def test_a_challenge_tells_its_terms(api: Api, ada: NewPlayer) -> None:
    made = offer(api, ada, **ALL)
    expires = made["terms"].pop("expires_at")
    assert made["terms"] == {
        "time_control": "180+2",
        "speed": "blitz",
        "rated": False,
        "ply_limit": 80,
        "draw_by_points": False,
        "set_up": False,
        "infiltrators": None,
        "visibility": "private",
        "no_show_minutes": None,
    }
    begun, ends = (datetime.fromisoformat(time) for time in (made["created_at"], expires))
    assert (ends - begun).total_seconds() == 3600
    usual = offer(api, ada, fen=QUIET)["terms"]
    assert (usual["rated"], usual["set_up"], usual["expires_at"]) == (False, True, None)
    assert (usual["speed"], usual["visibility"]) == ("untimed", "public")


def test_lists_streams_and_the_opponent_are_told_the_terms(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    wish = {name: value for name, value in ALL.items() if name != "visibility"}
    made = offer(api, ada, opponent=brahim.id, **wish)
    api.project()
    listed: Any = api.get("/games").json
    told = {
        k: made["terms"][k] for k in made["terms"] if k not in ("visibility", "no_show_minutes")
    }
    assert listed["items"][0]["terms"] == told
    (challenge, _) = read_messages(api.get("/me/stream", brahim, query={"until": "caught_up"}))
    assert (challenge.event, challenge.data["terms"]) == ("challenge", made["terms"])
    path = f"/games/{made['id']}"
    assert api.command(path, brahim, "accept").status_code == 200
    assert api.get(path).json["terms"]["expires_at"] is None  # type: ignore[index]


def read_everything(api: Api) -> str:
    """Everything that anybody can list, search and follow."""
    api.project()
    return "".join(
        api.get(path, accept=accept, query=query).get_data(as_text=True)
        for path, accept, query in (
            ("/games", NDJSON, {}),
            ("/games", "application/json", {"status": "offered"}),
            ("/search", NDJSON, {}),
            ("/export", NDJSON, {}),
            ("/events", NDJSON, {"after": "start"}),
            ("/stream", "text/event-stream", {"after": "start", "until": "caught_up"}),
        )
    )


def test_a_private_challenge_is_told_to_its_players_alone(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer
) -> None:
    made = offer(api, ada, opponent=brahim.id, visibility="private", time_control="60")
    assert made["id"] not in read_everything(api)
    for player, name in ((ada, "challenge-sent"), (brahim, "challenge")):
        (told, _) = read_messages(api.get("/me/stream", player, query={"until": "caught_up"}))
        assert (told.event, told.data["game"]) == (name, made["id"])
    (only,) = read_messages(api.get("/me/stream", eve, query={"until": "caught_up"}))
    assert only.data == {"games": 0}
    # Anybody who has its address may read it.
    path = f"/games/{made['id']}"
    assert api.get(path, eve).status_code == 200
    assert api.command(path, brahim, "accept").status_code == 200
    shown = read_everything(api)
    assert shown.count(f'"stream":"game:{made["id"]}"') == 6
    # From the acceptance on, the feed has what was hidden, beginning with the first event.
    told_types = [
        json.loads(line)["type"]
        for line in api.get("/events", query={"after": "start"}).get_data(True).splitlines()
        if made["id"] in line
    ]
    assert told_types == ["game-created/2", "time-control-agreed/1", "challenge-accepted/1"]


@pytest.mark.parametrize("answer", ["decline", "withdraw"])
def test_of_a_private_challenge_that_comes_to_nothing_nobody_is_told(
    api: Api, ada: NewPlayer, brahim: NewPlayer, answer: str
) -> None:
    made = offer(api, ada, opponent=brahim.id, visibility="private")
    by = brahim if answer == "decline" else ada
    assert api.command(f"/games/{made['id']}", by, answer).status_code == 200
    assert made["id"] not in read_everything(api)
    (only,) = read_messages(api.get("/me/stream", brahim, query={"until": "caught_up"}))
    assert only.data == {"games": 0}


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        ({"rated": True, "fen": QUIET}, "contradictory-terms"),
        ({"ply_limit": 80, "tags": {"PlyLimit": "90"}}, "contradictory-terms"),
        ({"draw_by_points": True}, "contradictory-terms"),
        ({"rated": "yes"}, "invalid-request"),
        ({"ply_limit": 0}, "invalid-request"),
        ({"visibility": "secret"}, "invalid-request"),
        ({"expires_in_seconds": 59}, "invalid-request"),
        ({"no_show_minutes": 5}, "invalid-request"),
    ],
)
def test_terms_that_cannot_be_are_refused_and_nothing_is_made(
    api: Api, ada: NewPlayer, wish: dict[str, Any], code: str
) -> None:
    before = api.snapshot()
    refused = api.post("/games", {"variant": "katruji"} | wish, ada)
    assert error(refused) == (422, code)
    assert api.snapshot() == before


def test_a_scribes_game_is_casual(api: Api, ada: NewPlayer) -> None:
    assert api.get(api.scribed(ada)).json["terms"]["rated"] is False  # type: ignore[index]
    seats = {"first": {"name": "A"}, "second": {"name": "B"}}
    wish = {"variant": "katruji", "mode": "scribe", "players": seats}
    assert error(api.post("/games", wish | {"rated": True}, ada)) == (422, "contradictory-terms")
    refused = api.post("/games", wish | {"visibility": "private"}, ada)
    assert error(refused) == (422, "contradictory-terms")
    assert refused.json is not None
    assert refused.json["field"] == "visibility"


def test_a_game_can_be_aborted_before_its_first_action(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    path = api.running(ada, brahim)
    aborted: Any = api.command(path, brahim, "abort").json
    assert (aborted["game"]["status"], aborted["game"]["result"]) == ("finished", "*")
    other = api.running(ada, brahim)
    api.play(other, ada, "Sd1")
    assert error(api.command(other, ada, "abort")) == (409, "cannot-abort")


TERMS = {"time_control": "900+10", "rated": False, "ply_limit": 90, "no_show_minutes": 10}


def test_a_tournaments_games_are_played_on_its_terms(api: Api, arbiter: NewPlayer) -> None:
    desk = Desk(api, arbiter, players=2, rounds=1, **TERMS)
    assert desk.get()["terms"] == TERMS | {
        "speed": "rapid",
        "draw_by_points": False,
        "set_up": False,
        "infiltrators": None,
    }
    assert desk.get()["tags"] == {"PlyLimit": "90"}
    (pairing,) = desk.pair()["pairings"]
    path = f"/games/{pairing['game']}"
    shown: Any = api.get(path).json
    assert {name: shown["terms"][name] for name in TERMS} == TERMS
    assert shown["clocks"]["time_control"] == "900+10"
    first, second = (desk.token(pairing[side]["id"]) for side in ("first", "second"))
    api.play(path, first, "Sd1")
    done: Any = api.play(path, second, "Sa8").json
    assert done["game"]["clocks"]["running"] == "first"
    assert error(api.command(path, first, "abort")) == (409, "cannot-abort")
    api.command(path, first, "resign")
    desk.work()
    assert desk.get("/rounds/1")["pairings"][0]["result"] == "0-1"
    # A tournament with terms is created by this version of the event.
    log = api.get(f"{desk.path}/events", accept=NDJSON).get_data(as_text=True)
    assert '"type":"tournament-created/3"' in log.replace(" ", "")


def test_nobody_is_told_of_a_round_on_clocks_before_it_is_ready(
    api: Api, arbiter: NewPlayer
) -> None:
    desk = Desk(api, arbiter, players=2, rounds=1, **TERMS)
    (pairing,) = desk.pair()["pairings"]
    lines = api.get("/events", query={"after": "start"}).get_data(as_text=True).splitlines()
    told = [json.loads(line)["type"] for line in lines if pairing["game"] in line]
    assert told == ["game-created/2", "time-control-agreed/1", "game-begun/1"]


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        ({"time_control": "soon"}, "bad-time-control"),
        ({"time_control": "0+5"}, "unplayable-time-control"),
        ({"time_control": "60", "tags": {"TimeControl": "61"}}, "contradictory-terms"),
        ({"draw_by_points": True}, "contradictory-terms"),
        ({"no_show_minutes": 0}, "invalid-request"),
        ({"no_show_minutes": 10081}, "invalid-request"),
    ],
)
def test_a_tournament_on_terms_that_cannot_be_is_refused(
    api: Api, arbiter: NewPlayer, wish: dict[str, Any], code: str
) -> None:
    before = api.snapshot()
    cup = {"name": "Cup", "variant": "katruji", "kind": "free"}
    assert error(api.post("/tournaments", cup | wish, arbiter)) == (422, code)
    assert api.snapshot() == before


def test_who_does_not_come_to_a_tournaments_game_loses_by_forfeit(
    api: Api, arbiter: NewPlayer
) -> None:
    desk = Desk(api, arbiter, players=2, rounds=1, no_show_minutes=1)
    (pairing,) = desk.pair()["pairings"]
    alarms = api.service.log.alarms
    (alarm,) = alarms.look(2**52).alarms
    state = api.service.games.load(pairing["game"])
    assert (alarm.stream.id, alarm.at) == (state.id, state.waiting_since + MINUTE)
    # A minute later.
    clock = api.service.games.clock
    api.service.games.clock = lambda: clock() + MINUTE
    api.service.games.outages = None
    FlagFalls(api.service).judge(alarm)
    desk.work()
    (ended,) = desk.get("/rounds/1")["pairings"]
    assert (ended["result"], ended["termination"]) == ("-/+", "forfeit")
    assert alarms.look(2**52).alarms == []
