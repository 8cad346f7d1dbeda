"""Acting on a version that is not the newest: 409 or 412, with the events that were missed."""

from __future__ import annotations

import pytest
from werkzeug.test import TestResponse

from service.player.repository import NewPlayer
from tests.service.api.client import Api, error


@pytest.fixture
def game(api: Api, ada: NewPlayer, brahim: NewPlayer) -> str:
    return api.running(ada, brahim)


def missed(answer: TestResponse) -> list[str]:
    assert answer.json is not None
    assert [event["version"] for event in answer.json["missed"]] == list(
        range(answer.json["expected"] + 1, answer.json["actual"] + 1)
    )
    return [event["type"] for event in answer.json["missed"]]


def test_a_stale_expected_version(api: Api, ada: NewPlayer, brahim: NewPlayer, game: str) -> None:
    api.play(game, ada, "Pd1")
    api.command(game, ada, "offer-draw")
    before = api.snapshot()
    body = {"action": "Pa7", "expected_version": 2}
    answer = api.post(f"{game}/actions", body, brahim)
    assert error(answer) == (409, "wrong-version")
    assert missed(answer) == ["action-played/1", "draw-offered/1"]
    log = api.get(f"{game}/events", query={"after": 2}).json
    assert answer.json is not None
    assert log is not None
    assert answer.json["missed"] == log["items"]
    assert api.snapshot() == before
    body = {"action": "Pa7", "expected_version": answer.json["actual"]}
    assert api.post(f"{game}/actions", body, brahim).status_code == 200


def test_of_very_many_missed_events_the_first_are_sent(
    api: Api, ada: NewPlayer, brahim: NewPlayer, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.api.expected_version.MISSED", 2)
    api.play(game, ada, "Pd1")
    api.command(game, ada, "offer-draw")
    body = {"action": "Pa7", "expected_version": 1}
    answer = api.post(f"{game}/actions", body, brahim)
    assert error(answer) == (409, "wrong-version")
    assert answer.json is not None
    assert [event["version"] for event in answer.json["missed"]] == [2, 3]
    assert answer.json["actual"] == 4


@pytest.mark.parametrize("path", ["actions", "commands"])
def test_a_stale_if_match_has_the_same_body(
    api: Api, ada: NewPlayer, brahim: NewPlayer, game: str, path: str
) -> None:
    etag = api.get(game).headers["ETag"]
    api.play(game, ada, "Pd1")
    before = api.snapshot()
    body = {"action": "Pa7"} if path == "actions" else {"type": "resign"}
    by_match = api.post(f"{game}/{path}", body, brahim, If_Match=etag)
    assert error(by_match) == (412, "stale-match")
    by_version = api.post(f"{game}/{path}", body | {"expected_version": 2}, brahim)
    assert error(by_version) == (409, "wrong-version")
    assert missed(by_match) == missed(by_version) == ["action-played/1"]
    assert api.snapshot() == before


def test_an_expected_version_that_is_yet_to_come(api: Api, ada: NewPlayer, game: str) -> None:
    answer = api.post(f"{game}/actions", {"action": "Pd1", "expected_version": 9}, ada)
    assert error(answer) == (409, "wrong-version")
    assert answer.json is not None
    assert (answer.json["expected"], answer.json["actual"], answer.json["missed"]) == (9, 2, [])


@pytest.mark.parametrize("view", ["", "/legal", "?ply=0"])
def test_the_etag_of_any_view_will_do(api: Api, ada: NewPlayer, game: str, view: str) -> None:
    etag = api.get(game + view).headers["ETag"]
    for sent in (etag, f"W/{etag}"):
        answer = api.post(f"{game}/actions", {"action": "Pd9"}, ada, If_Match=sent)
        assert error(answer) == (422, "illegal-move")
    assert api.post(f"{game}/actions", {"action": "Pd1"}, ada, If_Match=etag).status_code == 200


def test_any_version_and_none(api: Api, ada: NewPlayer, brahim: NewPlayer, game: str) -> None:
    assert api.post(f"{game}/actions", {"action": "Pd1"}, ada, If_Match="*").status_code == 200
    body = {"action": "Pa7", "expected_version": None}
    assert api.post(f"{game}/actions", body, brahim).status_code == 200


@pytest.mark.parametrize(
    "tag", ["", "2", '"x"', '"-1"', '"2-a", "3-b"', '"2', '"9999999999"', "W/2"]
)
def test_a_bad_etag(api: Api, ada: NewPlayer, game: str, tag: str) -> None:
    before = api.snapshot()
    answer = api.post(f"{game}/actions", {"action": "Pd1"}, ada, If_Match=tag)
    assert error(answer) == (400, "malformed-header")
    assert api.snapshot() == before


def test_another_process_sees_what_this_one_did(
    api: Api, configured: object, ada: NewPlayer, brahim: NewPlayer, game: str
) -> None:
    other = Api(api.service)
    api.play(game, ada, "Pd1")
    answer = other.post(f"{game}/actions", {"action": "Pa7", "expected_version": 3}, brahim)
    assert answer.status_code == 200
    shown = api.get(game).json
    assert shown is not None
    assert shown["ply"] == 2
