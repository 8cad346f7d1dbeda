"""Actions and commands over HTTP: what they answer, and that refused ones change nothing."""

from __future__ import annotations

import pytest
from werkzeug.test import TestResponse

from service.player.repository import NewPlayer
from tests.service.api.client import V1, Api, error


@pytest.fixture
def game(api: Api, ada: NewPlayer, brahim: NewPlayer) -> str:
    return api.running(ada, brahim)


def test_a_game_from_challenge_to_resignation(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    answer = api.post("/games", {"variant": "katruji", "side": "first"}, ada)
    assert answer.status_code == 201
    made = answer.json
    assert made is not None
    assert answer.headers["Location"] == f"{V1}/games/{made['id']}"
    assert (made["status"], made["version"], made["to_act"]) == ("offered", 1, None)
    assert made["players"]["first"] == {"side": "South", "id": ada.id, "name": "Ada", "mark": None}
    assert made["players"]["second"] == {"side": "North", "id": None, "name": None, "mark": None}
    path = f"/games/{made['id']}"
    assert api.command(path, brahim, "accept").status_code == 200
    done = api.play(path, ada, "Pd1").json
    assert done is not None
    assert [event["type"] for event in done["events"]] == ["action-played/1"]
    assert done["version"] == done["game"]["version"] == 3
    assert done["game"]["to_act"] == "second"
    end = api.command(path, brahim, "resign").json
    assert end is not None
    assert (end["game"]["result"], end["game"]["termination"]) == ("1-0", "resignation")
    assert end["game"]["status"] == "finished"


def test_an_annotation_is_kept_and_shown(api: Api, ada: NewPlayer, game: str) -> None:
    note = {"comments": ["good"], "comments_before": ["now"], "nags": [1], "clock_ms": 61_000}
    api.post(f"{game}/actions", {"action": "Pd1", "annotation": note}, ada)
    shown = api.get(game).json
    assert shown is not None
    (played,) = shown["actions"]
    assert played == {
        "ply": 1,
        "number": 1,
        "side": "first",
        "action": played["action"],
        "san": "Pd1",
        **note,
    }
    assert "{[%clk 0:01:01] good}" in api.get(game, accept="text/plain").text.replace("} {", " ")


def refused(api: Api, answer: TestResponse, before: object) -> tuple[int, str]:
    assert api.snapshot() == before
    return error(answer)


def test_an_illegal_action_tells_the_nearest(api: Api, ada: NewPlayer, game: str) -> None:
    before = api.snapshot()
    answer = api.post(f"{game}/actions", {"action": "Pd9"}, ada)
    assert refused(api, answer, before) == (422, "illegal-move")
    assert answer.json is not None
    assert answer.json["token"] == "Pd9"
    assert "Pd1" in answer.json["nearest"]


def test_an_ambiguous_action_tells_the_candidates(
    api: Api, ada: NewPlayer, brahim: NewPlayer, game: str
) -> None:
    api.play(game, ada, "Pd2")
    before = api.snapshot()
    answer = api.post(f"{game}/actions", {"action": "Sb7=O"}, brahim)
    assert refused(api, answer, before) == (422, "ambiguous-move")
    assert answer.json is not None
    assert len(answer.json["nearest"]) > 1


def test_out_of_turn(api: Api, brahim: NewPlayer, game: str) -> None:
    before = api.snapshot()
    answer = api.post(f"{game}/actions", {"action": "Pd1"}, brahim)
    assert refused(api, answer, before) == (409, "not-your-turn")
    assert answer.json is not None
    assert answer.json["side"] == "South"


def test_in_a_finished_game(api: Api, ada: NewPlayer, game: str) -> None:
    api.command(game, ada, "resign")
    before = api.snapshot()
    for type in ("resign", "offer-draw", "accept-draw", "decline-draw", "decline-retraction"):
        assert refused(api, api.command(game, ada, type), before) == (409, "not-running")
    answer = api.post(f"{game}/actions", {"action": "Pd1"}, ada)
    assert refused(api, answer, before) == (409, "not-running")
    assert answer.json is not None
    assert answer.json["state"] == "finished"
    assert answer.json["status"] == 409


@pytest.mark.parametrize(
    ("type", "expected"),
    [
        ("resign", "not-a-seat"),
        ("offer-draw", "not-a-seat"),
        ("accept-draw", "not-a-seat"),
        ("close", "missing-scope"),
    ],
)
def test_by_a_stranger(api: Api, eve: NewPlayer, game: str, type: str, expected: str) -> None:
    before = api.snapshot()
    assert refused(api, api.command(game, eve, type), before) == (403, expected)
    answer = api.post(f"{game}/actions", {"action": "Pd1"}, eve)
    assert refused(api, answer, before) == (403, "not-a-seat")


OFFICIAL = [
    ("retract", {"plies": 1}),
    ("adjudicate", {"result": "1-0"}),
    ("lose-on-time", {"side": "first"}),
    ("close", {}),
]


@pytest.mark.parametrize(("type", "members"), OFFICIAL)
def test_an_arbiter_rules_and_a_player_may_not(
    api: Api,
    ada: NewPlayer,
    arbiter: NewPlayer,
    game: str,
    type: str,
    members: dict[str, object],
) -> None:
    api.play(game, ada, "Pd1")
    before = api.snapshot()
    answer = api.command(game, ada, type, **members)
    assert refused(api, answer, before) == (403, "missing-scope")
    assert answer.json is not None
    assert answer.json["scope"] == "arbiter"
    assert api.command(game, arbiter, type, **members).status_code == 200


def test_offers_are_answered_by_the_other_side(
    api: Api, ada: NewPlayer, brahim: NewPlayer, game: str
) -> None:
    api.command(game, ada, "offer-draw")
    before = api.snapshot()
    assert refused(api, api.command(game, ada, "offer-draw"), before) == (409, "already-offered")
    assert refused(api, api.command(game, ada, "accept-draw"), before) == (403, "not-the-opponent")
    answer = api.command(game, brahim, "accept-retraction")
    assert refused(api, answer, before) == (409, "nothing-offered")
    done = api.command(game, brahim, "accept-draw").json
    assert done is not None
    assert (done["game"]["result"], done["game"]["termination"]) == ("1/2-1/2", "agreement")


def test_a_retraction_by_agreement(api: Api, ada: NewPlayer, brahim: NewPlayer, game: str) -> None:
    before = api.snapshot()
    answer = api.command(game, ada, "offer-retraction", plies=1)
    assert refused(api, answer, before) == (409, "nothing-to-retract")
    assert answer.json is not None
    assert (answer.json["asked"], answer.json["played"]) == (1, 0)
    api.play(game, ada, "Pd1")
    offered = api.command(game, ada, "offer-retraction", plies=1).json
    assert offered is not None
    assert offered["game"]["retraction"] == {"side": "first", "to_ply": 0}
    taken_back = api.command(game, brahim, "accept-retraction").json
    assert taken_back is not None
    assert (taken_back["game"]["ply"], taken_back["game"]["to_act"]) == (0, "first")


def test_a_challenge_is_answered_once(
    api: Api, ada: NewPlayer, brahim: NewPlayer, eve: NewPlayer
) -> None:
    path = api.created({"variant": "katruji", "opponent": brahim.id}, ada)
    before = api.snapshot()
    assert refused(api, api.command(path, eve, "accept"), before) == (403, "not-a-seat")
    assert refused(api, api.command(path, ada, "accept"), before) == (403, "not-the-opponent")
    assert refused(api, api.command(path, eve, "withdraw"), before) == (403, "not-a-seat")
    assert api.command(path, brahim, "decline").status_code == 200
    before = api.snapshot()
    for type, by in (("accept", brahim), ("decline", brahim), ("withdraw", ada)):
        assert refused(api, api.command(path, by, type), before) == (409, "not-offered")


def test_a_result_is_corrected_only_where_there_is_one(
    api: Api, ada: NewPlayer, arbiter: NewPlayer, game: str
) -> None:
    right = {"result": "0-1", "termination": "forfeit", "reason": "the wrong board"}
    before = api.snapshot()
    answer = api.command(game, arbiter, "correct-result", **right)
    assert refused(api, answer, before) == (409, "not-finished")
    api.command(game, ada, "resign")
    done = api.command(game, arbiter, "correct-result", **right).json
    assert done is not None
    assert (done["game"]["result"], done["game"]["termination"]) == ("0-1", "forfeit")


def test_a_scribe_acts_for_both(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    path = api.scribed(ada)
    api.play(path, ada, "Pd1", "Pa7")
    before = api.snapshot()
    answer = api.post(f"{path}/actions", {"action": "Pd2"}, brahim)
    assert refused(api, answer, before) == (403, "not-a-seat")
    answer = api.command(path, ada, "resign")
    assert refused(api, answer, before) == (422, "bad-value")
    assert api.command(path, ada, "resign", side="first").status_code == 200


def test_an_arbiters_game_needs_the_scope(
    api: Api, ada: NewPlayer, brahim: NewPlayer, arbiter: NewPlayer
) -> None:
    seats = {"first": {"id": ada.id}, "second": {"id": brahim.id}}
    wish = {"variant": "katruji", "mode": "arbiter", "players": seats}
    before = api.snapshot()
    assert refused(api, api.post("/games", wish, ada), before) == (403, "missing-scope")
    path = api.created(wish, arbiter)
    api.play(path, ada, "Pd1")
    assert error(api.post(f"{path}/actions", {"action": "Pa7"}, arbiter)) == (403, "not-a-seat")


@pytest.mark.parametrize(
    "path", ["", "/legal", "/events", "/stream", "?ply=0", "/actions", "/commands"]
)
def test_a_game_that_is_not_there(api: Api, ada: NewPlayer, path: str) -> None:
    before = api.snapshot()
    at = "/games/" + "a" * 16 + path
    if path in ("/actions", "/commands"):
        answer = api.post(at, {"action": "Pd1"} if "act" in path else {"type": "resign"}, ada)
    else:
        answer = api.get(at)
    assert refused(api, answer, before) == (404, "not-found")
    assert answer.json is not None
    assert (answer.json["kind"], answer.json["id"]) == ("game", "a" * 16)


@pytest.mark.parametrize(
    "id", ["x", "A" * 16, "a" * 17, "%00", "..", "a" * 15 + "%ff", "%F0%9F%99%82"]
)
def test_what_is_no_id(api: Api, id: str) -> None:
    answer = api.get(f"/games/{id}")
    assert error(answer) == (404, "no-such-path")
    assert answer.json is not None
    assert answer.json["detail"].startswith("there is no such path; an id has 16")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "BREW"])
def test_another_method(api: Api, game: str, method: str) -> None:
    answer = api.send(method, game)
    assert error(answer) == (405, "wrong-method")
    assert "GET" in answer.headers["Allow"]
