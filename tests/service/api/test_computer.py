"""Challenging the computer over HTTP, by name or by id, on any terms but rated ones."""

from __future__ import annotations

from typing import Any

import pytest

from service.api.backlogs import SILENCE
from service.computer.levels import LEVELS
from service.computer.registration import register_computers
from service.player.repository import NewPlayer
from tests.service.api.client import PGN, Api, error

CHALLENGE = {"variant": "katruji", "side": "first"}


@pytest.fixture(autouse=True)
def computers(api: Api) -> None:
    register_computers(api.service.players)


def test_the_levels_are_listed(api: Api) -> None:
    told: Any = api.get("/computers").json
    assert [one["level"] for one in told["items"]] == list(range(1, 9))
    assert [one["name"] for one in told["items"]][:2] == ["computer-1", "computer-2"]
    for one in told["items"]:
        assert api.get(f"/players/{one['id']}").json["name"] == one["name"]  # type: ignore[index]


@pytest.mark.parametrize("by", ["opponent", "opponent_name"])
def test_a_challenge_to_the_computer_is_casual(api: Api, ada: NewPlayer, by: str) -> None:
    level = LEVELS[2]
    named = {"opponent": level.player, "opponent_name": level.name}[by]
    made = api.post("/games", {**CHALLENGE, by: named, "time_control": "180+2"}, ada)
    assert made.status_code == 201
    game: Any = made.json
    assert game["players"]["second"]["id"] == level.player
    assert game["players"]["second"]["name"] == "computer-3"
    assert game["terms"]["rated"] is False
    assert game["tags"]["NorthType"] == "program"
    assert game["tags"]["NorthProgram"].endswith("level 3")
    record = api.get(f"/games/{game['id']}", accept=PGN).text
    assert '[NorthType "program"]' in record


def test_a_rated_challenge_to_the_computer_is_refused(
    api: Api, ada: NewPlayer, brahim: NewPlayer, arbiter: NewPlayer
) -> None:
    for level in (LEVELS[0], LEVELS[-1]):
        answer = api.post("/games", {**CHALLENGE, "opponent": level.player, "rated": True}, ada)
        assert error(answer) == (422, "computer-is-casual")
        assert answer.json["field"] == "rated"  # type: ignore[index]
    seats = {"first": {"id": ada.id}, "second": {"id": LEVELS[0].player}}
    wish = {"variant": "katruji", "mode": "arbiter", "players": seats}
    assert error(api.post("/games", {**wish, "rated": True}, arbiter)) == (
        422,
        "computer-is-casual",
    )
    made: Any = api.post("/games", wish, arbiter).json
    assert (made["status"], made["terms"]["rated"]) == ("running", False)
    # Challenges to other players are rated as before.
    other: Any = api.post("/games", {**CHALLENGE, "opponent": brahim.id}, ada).json
    assert other["terms"]["rated"] is True


def test_a_computer_that_there_is_not(api: Api, ada: NewPlayer) -> None:
    answer = api.post("/games", {**CHALLENGE, "opponent_name": "computer-9"}, ada)
    assert error(answer) == (422, "bad-value")
    assert answer.json["field"] == "opponent_name"  # type: ignore[index]


def test_nobody_else_can_have_its_name(api: Api, ada: NewPlayer) -> None:
    api.project()
    made: Any = api.post("/games", {**CHALLENGE, "opponent": LEVELS[0].player}, ada).json
    assert made["players"]["second"]["mark"] is None
    answer = api.post("/players", {"name": "Computer-3"})
    assert error(answer) == (422, "reserved-name")


def test_the_computer_enters_casual_tournaments_only(api: Api, arbiter: NewPlayer) -> None:
    for rated, status in ((True, 422), (False, 200)):
        wish = {"name": f"Open {rated}", "variant": "katruji", "kind": "swiss", "rounds": 3}
        made: Any = api.post("/tournaments", {**wish, "rated": rated}, arbiter).json
        command = {"type": "enter", "player": LEVELS[0].player}
        answer = api.post(f"/tournaments/{made['id']}/commands", command, arbiter)
        assert answer.status_code == status
        if rated:
            assert error(answer) == (422, "computer-is-casual")


def test_overdue_answers_are_told(api: Api) -> None:
    now = api.service.games.clock()
    api.service.open_games.save({"g": now - 60_000}, [], {}, now)
    told: Any = api.get("//readyz").json
    assert told["duties"]["computer"]["queued"] == 1
    assert 60 <= told["duties"]["computer"]["oldest_seconds"] < 200
    assert told["status"] == "degraded"


def challenge_the_computer_after(api: Api, ada: NewPlayer, silence: int) -> Any:
    """The computer's backlog once it is challenged `silence` milliseconds after it last worked."""
    now = api.service.games.clock()
    positions = api.service.log.feed_positions()
    api.service.open_games.save({}, [], positions, now - silence)
    api.project()
    made = api.post("/games", {**CHALLENGE, "opponent": LEVELS[0].player}, ada)
    assert made.status_code == 201
    told: Any = api.get("//readyz").json
    return told["duties"]["computer"]


def test_a_challenge_that_nobody_looks_at_is_told(api: Api, ada: NewPlayer) -> None:
    backlog = challenge_the_computer_after(api, ada, SILENCE)
    assert backlog["queued"] == 1
    assert backlog["oldest_seconds"] > 0


def test_what_the_computer_has_not_saved_yet_is_not_late(api: Api, ada: NewPlayer) -> None:
    backlog = challenge_the_computer_after(api, ada, SILENCE // 2)
    assert backlog == {"queued": 0, "oldest_seconds": 0.0}
