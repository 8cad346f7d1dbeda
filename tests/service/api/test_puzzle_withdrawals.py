"""Puzzles withdrawn and restored by admins over HTTP."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest
from werkzeug.test import TestResponse

from service.composition.projector import rebuild
from service.log.chain import when
from service.player.repository import NewPlayer
from service.projection.puzzles.puzzles import write_collection
from service.puzzles.collection import load_collection
from service.puzzles.found.commands import RecordPuzzles
from tests.service.api.client import Api, error
from tests.service.projection.support import dump
from tests.service.puzzles.planted import PLANTED, find_planted
from tests.service.puzzles.solvers import find_own, list_long

PUZZLE, OTHER = list_long()[:2]
PATH = f"/puzzles/{PUZZLE.id}/withdrawal"
LIST = "/puzzles/withdrawals"
WITHDRAWN = (404, "puzzle-withdrawn")
TABLES = ("puzzle", "puzzle_theme", "puzzle_withdrawal", "attempt", "solver")


@pytest.fixture
def api(api: Api) -> Api:
    """An application with the puzzles that come with the service."""
    write_collection(api.service.database)
    return api


def read(api: Api, path: str, by: NewPlayer | None = None, **query: str) -> Any:
    answer = api.get(path, by, query=query)
    assert answer.status_code == 200, answer.text
    return answer.json


def put(api: Api, admin: NewPlayer | None, path: str, body: object) -> TestResponse:
    return api.send("PUT", path, admin, json.dumps(body).encode(), "application/json")


def withdraw(api: Api, admin: NewPlayer, path: str = PATH, reason: str = "") -> Any:
    answer = put(api, admin, path, {"reason": reason})
    assert answer.status_code == 200, answer.text
    api.project()
    return answer.json


def restore(api: Api, admin: NewPlayer, path: str = PATH) -> Any:
    answer = api.send("DELETE", path, admin)
    assert answer.status_code == 200, answer.text
    api.project()
    return answer.json


def test_a_puzzle_is_withdrawn_and_restored(api: Api, admin: NewPlayer, ada: NewPlayer) -> None:
    before = read(api, f"/puzzles/{PUZZLE.id}")
    told = withdraw(api, admin, reason="Sa8 wins too")
    at = api.service.withdrawals.load(PUZZLE.id).updated_at
    expected = {"puzzle": PUZZLE.id, "variant": PUZZLE.variant, "reason": "Sa8 wins too"}
    assert told == {**expected, "withdrawn": True, "at": when(at)}
    assert read(api, LIST, admin) == {"items": [told], "next_cursor": None}
    for path in ("", "/position", "/solution"):
        assert error(api.get(f"/puzzles/{PUZZLE.id}{path}", ada)) == WITHDRAWN
    attempts = f"/puzzles/{PUZZLE.id}/attempts"
    tried = {"actions": list(find_own(PUZZLE))}
    assert error(api.post(attempts, tried, ada)) == WITHDRAWN
    assert not api.service.solvers.has_tried(ada.id, PUZZLE.id)
    restored = restore(api, admin)
    assert (restored["withdrawn"], restored["reason"]) == (False, "Sa8 wins too")
    assert read(api, f"/puzzles/{PUZZLE.id}") == before
    assert read(api, LIST, admin)["items"] == []
    answer = api.post(attempts, tried, ada)
    assert answer.json is not None
    assert answer.json["standing"] == "solved"


def test_answers_that_were_kept_are_not_given_again(api: Api, admin: NewPlayer) -> None:
    def list_ids() -> list[str]:
        found = read(api, "/puzzles", variant=PUZZLE.variant, limit="200")["items"]
        return [one["id"] for one in found]

    before = list_ids()
    assert list_ids() == before
    withdraw(api, admin)
    assert list_ids() == [id for id in before if id != PUZZLE.id]


def test_a_withdrawn_puzzle_is_never_the_next(api: Api, admin: NewPlayer, ada: NewPlayer) -> None:
    theme = "quiet"
    chosen = read(api, "/puzzles/next", ada, variant="kerak", theme=theme)["id"]
    withdraw(api, admin, f"/puzzles/{chosen}/withdrawal")
    assert read(api, "/puzzles/next", ada, variant="kerak", theme=theme)["id"] != chosen
    for by in (ada, None):
        seen = read(api, "/puzzles/next", by, variant="kerak", theme=theme, after=chosen)
        assert seen["id"] != chosen


def test_the_next_puzzle_is_that_of_the_day_instead(api: Api, admin: NewPlayer) -> None:
    today = read(api, "/puzzles/daily", variant="kerd")
    order = load_collection().list_daily(date.fromisoformat(today["day"]), "kerd")
    assert order[0].id == today["id"]
    for withdrawn in order[:2]:
        withdraw(api, admin, f"/puzzles/{withdrawn.id}/withdrawal")
    assert read(api, "/puzzles/daily", variant="kerd")["id"] == order[2].id


def test_where_all_are_withdrawn_that_of_the_day_is_one_that_was_found(
    api: Api, admin: NewPlayer
) -> None:
    for puzzle in load_collection().list_puzzles("katruji"):
        put(api, admin, f"/puzzles/{puzzle.id}/withdrawal", {})
    api.project()
    daily = api.get("/puzzles/daily", query={"variant": "katruji"})
    assert error(daily) == (404, "no-puzzle")
    command = RecordPuzzles(analysis="a", variant="katruji", puzzles=(find_planted(),), most=3)
    api.service.found_puzzles.record("g" * 16, command)
    api.project()
    assert read(api, "/puzzles/daily", variant="katruji")["id"] == PLANTED.id


def test_attempts_and_ratings_stay_and_a_rebuild_gives_the_same(
    api: Api, admin: NewPlayer, ada: NewPlayer
) -> None:
    for puzzle in (PUZZLE, OTHER):
        api.post(f"/puzzles/{puzzle.id}/attempts", {"actions": list(find_own(puzzle))}, ada)
    api.project()
    ratings = read(api, f"/players/{ada.id}/puzzle-ratings")
    attempts = read(api, f"/players/{ada.id}/puzzle-attempts", ada)
    withdraw(api, admin)
    withdraw(api, admin, f"/puzzles/{OTHER.id}/withdrawal")
    restore(api, admin, f"/puzzles/{OTHER.id}/withdrawal")
    assert read(api, f"/players/{ada.id}/puzzle-ratings") == ratings
    assert read(api, f"/players/{ada.id}/puzzle-attempts", ada) == attempts
    before = dump(api.service.database, *TABLES)
    assert len(before["puzzle_withdrawal"]) == 2
    rebuild(api.service)
    assert dump(api.service.database, *TABLES) == before
    assert error(api.get(f"/puzzles/{PUZZLE.id}")) == WITHDRAWN


def test_only_admins_may(api: Api, ada: NewPlayer) -> None:
    for by, refused in ((ada, (403, "missing-scope")), (None, (401, "missing-token"))):
        assert error(put(api, by, PATH, {})) == refused
        assert error(api.send("DELETE", PATH, by)) == refused
        assert error(api.get(LIST, by)) == refused
    assert api.service.withdrawals.find(PUZZLE.id) is None


def test_what_is_wrong_is_refused(api: Api, admin: NewPlayer) -> None:
    for body, refused in (
        ({"reason": "x" * 501}, (422, "invalid-request")),
        ({"reason": 5}, (422, "invalid-request")),
        ({"why": ""}, (422, "invalid-request")),
    ):
        assert error(put(api, admin, PATH, body)) == refused
    for id in ("0" * 10, "x", "a:b"):
        path = f"/puzzles/{id}/withdrawal"
        assert error(put(api, admin, path, {})) == (404, "not-found")
        assert error(api.send("DELETE", path, admin)) == (404, "not-found")
    assert error(api.send("DELETE", PATH, admin)) == (404, "not-found")
    assert error(api.get(LIST, admin, query={"cursor": "x"})) == (422, "bad-cursor")
    assert error(api.get(LIST, admin, query={"limit": "0"})) == (400, "bad-parameter")
    assert api.service.withdrawals.find(PUZZLE.id) is None


def test_what_is_withdrawn_can_be_withdrawn_again(api: Api, admin: NewPlayer) -> None:
    withdraw(api, admin, reason="one")
    assert withdraw(api, admin, reason="one")["reason"] == "one"
    assert api.service.withdrawals.load(PUZZLE.id).version == 1
    # Without the body that gives a reason, it has none.
    answer = api.send("PUT", PATH, admin)
    assert answer.status_code == 200
    assert api.service.withdrawals.load(PUZZLE.id).reason == ""
    # Restored in the log, but still withdrawn in the lists.
    api.send("DELETE", PATH, admin)
    assert withdraw(api, admin, reason="two")["withdrawn"]
    assert error(api.get(f"/puzzles/{PUZZLE.id}")) == WITHDRAWN
