"""Attempts at puzzles over HTTP: judged by the service, rated once, explained only afterwards."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.accounts.account import Way
from service.composition.projector import rebuild
from service.player.commands import Principal
from service.player.repository import NewPlayer
from service.projection.puzzles.puzzles import write_collection
from service.projection.puzzles.ratings import PuzzleRatings
from service.puzzles.collection import load_collection
from service.puzzles.puzzle import Puzzle
from service.rating.glicko2 import Rating
from service.rating.puzzle_rating import begin_puzzle, rate_attempt
from tests.service.accounts.support import HOME
from tests.service.api.client import Api, error
from tests.service.projection.support import dump
from tests.service.puzzles.solvers import find_own, find_wrong, list_long, list_with

LONG, OTHER = list_long()[:2]
THEME = "sacrifice"


@pytest.fixture
def api(api: Api) -> Api:
    """An application with the puzzles that come with the service."""
    write_collection(api.service.database)
    return api


def attempt(
    api: Api,
    puzzle: Puzzle,
    *actions: str,
    by: NewPlayer | None = None,
    help: str | None = None,
    key: str | None = None,
) -> Any:
    body: dict[str, object] = {"actions": list(actions)}
    if help is not None:
        body["help"] = help
    answer = api.post(f"/puzzles/{puzzle.id}/attempts", body, by, key)
    assert answer.status_code == 200, answer.text
    return answer.json


def read(api: Api, path: str, by: NewPlayer | None = None, **query: str) -> Any:
    answer = api.get(path, by, query=query)
    assert answer.status_code == 200, answer.text
    return answer.json


def read_ratings(api: Api, player: NewPlayer) -> Any:
    return read(api, f"/players/{player.id}/puzzle-ratings")["ratings"]


def test_an_attempt_is_rated_when_it_is_over(api: Api, ada: NewPlayer) -> None:
    own = find_own(LONG)
    for done in range(1, len(own)):
        found = attempt(api, LONG, *own[:done], by=ada)
        assert (found["standing"], found["attempt"], found["unrated"]) == ("open", None, None)
    found = attempt(api, LONG, *own, by=ada)
    assert (found["standing"], found["unrated"], found["hint"]) == ("solved", None, None)
    made = found["attempt"]
    better, easier = rate_attempt(Rating(), begin_puzzle(LONG.rating), solved=True)
    changes = {
        "rating": {"before": 1500.0, "after": better.rating, "deviation": better.deviation},
        "puzzle_rating": {
            "before": float(LONG.rating),
            "after": easier.rating,
            "deviation": easier.deviation,
        },
    }
    assert made == {
        "puzzle": LONG.id,
        "variant": "katruji",
        "at": made["at"],
        "solved": True,
        "help": None,
        "actions": list(own),
        **changes,
    }
    assert read_ratings(api, ada) == {}
    api.project()
    # The lists have the rating that the attempt's answer gave.
    rated = read_ratings(api, ada)["katruji"]
    assert (rated["rating"], rated["deviation"]) == (better.rating, better.deviation)
    assert (rated["attempts"], rated["solved"]) == (1, 1)
    assert read(api, f"/players/{ada.id}/puzzle-attempts", ada)["items"] == [made]
    listed = read(api, f"/puzzles/{LONG.id}")
    assert listed["rating"] == round(easier.rating)
    assert (listed["deviation"], listed["attempts"]) == (round(easier.deviation), 1)


def test_a_wrong_action_fails_and_the_puzzle_can_be_gone_on_with(api: Api, ada: NewPlayer) -> None:
    wrong, own = find_wrong(LONG), find_own(LONG)
    found = attempt(api, LONG, wrong, by=ada)
    assert (found["standing"], found["unrated"]) == ("wrong", None)
    assert found["attempt"]["solved"] is False
    assert found["attempt"]["rating"]["after"] < 1500
    again = attempt(api, LONG, *own, by=ada)
    assert (again["standing"], again["unrated"]) == ("solved", "tried-before")
    assert again["attempt"]["solved"] is False
    api.project()
    assert read_ratings(api, ada)["katruji"]["attempts"] == 1
    assert read(api, f"/puzzles/{LONG.id}")["attempts"] == 1


@pytest.mark.parametrize("help", ["hint", "solution"])
def test_help_ends_the_attempt(api: Api, ada: NewPlayer, help: str) -> None:
    own = find_own(LONG)
    found = attempt(api, LONG, own[0], by=ada, help=help)
    assert found["standing"] == "open"
    assert (found["attempt"]["solved"], found["attempt"]["help"]) == (False, help)
    assert found["attempt"]["actions"] == [own[0]]
    assert found["hint"] == (own[1][:2] if help == "hint" else None)
    assert read(api, f"/puzzles/{LONG.id}/solution", ada)["line"]


def test_a_request_that_is_sent_again_is_answered_again(api: Api, ada: NewPlayer) -> None:
    own = find_own(LONG)
    first = attempt(api, LONG, *own, by=ada, key="once")
    assert attempt(api, LONG, *own, by=ada, key="once") == first
    api.project()
    assert attempt(api, LONG, *own, by=ada, key="once") == first
    assert attempt(api, LONG, *own, by=ada, key="twice")["unrated"] == "tried-before"
    assert attempt(api, LONG, *own, by=ada, key="twice")["unrated"] == "tried-before"
    body = {"actions": [find_wrong(LONG)]}
    other = api.post(f"/puzzles/{LONG.id}/attempts", body, ada, "once")
    assert error(other) == (422, "idempotency-key-reused")


@pytest.mark.parametrize("signed_in", [False, True])
def test_a_key_that_is_none_is_refused_before_the_attempt_is_over(
    api: Api, ada: NewPlayer, signed_in: bool
) -> None:
    by = ada if signed_in else None
    answer = api.post(f"/puzzles/{LONG.id}/attempts", {}, by, "k" * 256)
    assert error(answer) == (400, "malformed-header")


def test_nothing_of_the_solution_is_told_before_the_attempt_is_over(
    api: Api, ada: NewPlayer
) -> None:
    own = find_own(LONG)
    position, solution = f"/puzzles/{LONG.id}/position", f"/puzzles/{LONG.id}/solution"

    def check_silent() -> None:
        for action in (own[0], find_wrong(LONG)):
            refused = api.get(position, ada, query={"actions": action})
            assert error(refused) == (409, "attempt-open")
        assert error(api.get(solution, ada)) == (409, "attempt-open")
        start = read(api, position, ada)
        assert (start["played"], start["hint"], start["attempt"]) == ([], None, None)

    check_silent()
    attempt(api, LONG, own[0], by=ada)
    check_silent()
    attempt(api, OTHER, *find_own(OTHER), by=ada)
    check_silent()
    attempt(api, LONG, *own, by=ada)
    assert read(api, position, ada, actions=own[0])["unrated"] == "tried-before"
    assert len(read(api, solution, ada)["line"]) == len(LONG.line)


def test_strangers_and_guests_try_and_are_not_rated(api: Api) -> None:
    guest = api.service.accounts.register_guest("")
    session = api.service.accounts.begin_session(guest, Way.GUEST, HOME)
    before = api.snapshot()
    for headers, unrated in (({}, "signed-out"), ({"Authorization": f"Bearer {session}"}, "guest")):
        for actions, standing in ((find_own(LONG), "solved"), ([find_wrong(LONG)], "wrong")):
            body = json.dumps({"actions": list(actions)}).encode()
            path = f"/puzzles/{LONG.id}/attempts"
            answer = api.send("POST", path, None, body, "application/json", headers=headers)
            assert answer.json
            found = answer.json
            assert (found["standing"], found["attempt"]) == (standing, None)
            assert found["unrated"] == unrated
        shown = api.get(f"/puzzles/{LONG.id}/position", headers=headers)
        assert shown.json
        assert shown.json["unrated"] == unrated
    assert api.snapshot() == before


def test_the_next_puzzle_is_another_one_until_all_are_tried(api: Api, ada: NewPlayer) -> None:
    query = {"variant": "kerak", "theme": THEME}
    known = {one.id: one for one in list_with("kerak", THEME)}
    seen: list[str] = []
    after: dict[str, str] = {}
    for _ in known:
        found = read(api, "/puzzles/next", ada, **query, **after)
        after = {"after": found["id"]}
        seen.append(found["id"])
        attempt(api, known[found["id"]], find_wrong(known[found["id"]]), by=ada)
        api.project()
    assert set(seen) == known.keys()
    first, *_, last = sorted(known)
    assert read(api, "/puzzles/next", ada, **query, after=last)["id"] == first


def test_puzzles_just_tried_do_not_come_back_next(api: Api, ada: NewPlayer) -> None:
    tried: list[str] = []
    for _ in range(6):
        found = read(api, "/puzzles/next", ada, variant="katruji")["id"]
        assert found not in tried
        tried.append(found)
        puzzle = load_collection().find(found)
        # The lists will not have the attempt yet.
        attempt(api, puzzle, *find_own(puzzle), by=ada)


def test_ratings_are_the_same_when_everything_is_built_anew(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    for number, puzzle in enumerate(list_long()[:6]):
        own, wrong = find_own(puzzle), [find_wrong(puzzle)]
        attempt(api, puzzle, *(own if number % 2 else wrong), by=ada)
        attempt(api, puzzle, *(own if number % 3 else wrong), by=brahim)
        if number % 2:
            api.project()
    api.project()
    names = ("puzzle", "puzzle_theme", "solver", "attempt", "attempt_due")
    before = dump(api.service.database, *names)
    assert len(before["attempt"]) == 12
    rebuild(api.service)
    assert dump(api.service.database, *names) == before
    ratings = PuzzleRatings(api.service.database, api.service.puzzle_ratings.length)
    assert not ratings.rate()


def test_the_ratings_of_who_is_erased_stay_under_no_name(
    api: Api, ada: NewPlayer, admin: NewPlayer
) -> None:
    attempt(api, LONG, *find_own(LONG), by=ada)
    api.project()
    before, listed = read_ratings(api, ada), read(api, f"/puzzles/{LONG.id}")
    api.service.players.erase(ada.id, Principal(ada.id, None))
    api.project()
    assert read_ratings(api, ada) == before
    assert read(api, f"/puzzles/{LONG.id}") == listed
    assert read(api, f"/players/{ada.id}")["erased"]
    refused = api.post(f"/puzzles/{OTHER.id}/attempts", {"actions": ["a1b1"]}, ada)
    assert error(refused) == (401, "bad-token")
    rebuild(api.service)
    assert read_ratings(api, ada) == before


def test_who_was_known_from_records_and_merged_is_rated_for_what_they_try(
    api: Api, ada: NewPlayer, admin: NewPlayer
) -> None:
    id = api.service.players.unclaimed("A. Lovelace", "admin")
    attempt(api, LONG, *find_own(LONG), by=ada)
    assert api.post(f"/players/{id}/merge", {"into": ada.id}, admin).status_code == 200
    api.project()
    assert read_ratings(api, ada)["katruji"]["attempts"] == 1
    assert read(api, f"/players/{id}/puzzle-ratings")["ratings"] == {}


def test_attempts_are_their_players_own_affair(
    api: Api, ada: NewPlayer, eve: NewPlayer, admin: NewPlayer
) -> None:
    attempt(api, LONG, *find_own(LONG), by=ada)
    attempt(api, list_long("kerak")[0], find_wrong(list_long("kerak")[0]), by=ada)
    api.project()
    path = f"/players/{ada.id}/puzzle-attempts"
    assert error(api.get(path)) == (401, "missing-token")
    assert error(api.get(path, eve)) == (403, "missing-scope")
    whole = read(api, path, admin)["items"]
    assert len(whole) == 2
    assert read(api, path, ada, variant="katruji")["items"] == [whole[1]]
    page = read(api, path, ada, limit="1")
    assert page["items"] == [whole[0]]
    last = read(api, path, ada, limit="1", cursor=page["next_cursor"])
    assert (last["items"], last["next_cursor"]) == ([whole[1]], None)
    assert error(api.get(path, ada, query={"cursor": "x"})) == (422, "bad-cursor")


def test_what_cannot_be_is_refused(api: Api, ada: NewPlayer) -> None:
    path = f"/puzzles/{LONG.id}/attempts"
    ruling = api.player("Rue", "arbiter")
    for body, by, refused in (
        ({"actions": ["nonsense"]}, ada, (422, "illegal-move")),
        ({"actions": ["\x00"]}, None, (422, "illegal-move")),
        ({"actions": "a1b1"}, ada, (422, "invalid-request")),
        ({"actions": ["a" * 33]}, ada, (422, "invalid-request")),
        ({"actions": ["a1b1"] * 21}, ada, (422, "invalid-request")),
        ({"help": "everything"}, ada, (422, "invalid-request")),
        ({"solved": True}, ada, (422, "invalid-request")),
        ({"actions": []}, ruling, (403, "missing-scope")),
    ):
        assert error(api.post(path, body, by)) == refused, body
    assert error(api.post("/puzzles/0000000000/attempts", {}, ada)) == (404, "not-found")
    assert error(api.get(f"/players/{'x' * 16}/puzzle-ratings")) == (404, "not-found")
    assert api.service.solvers.find(ada.id) is None
