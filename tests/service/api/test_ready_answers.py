"""Reads answered from ready bytes: never another reader's, never stale, and really ready."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from werkzeug.test import TestResponse

from service.api.ready_answers import ReadyAnswers
from service.player.commands import Principal
from service.projection.puzzles.puzzles import write_collection
from tests.service.api.client import PGN, Api
from tests.service.api.conftest import Clock, Configured

NONCE = "ab" * 16
OFTEN = 4
"""Equal requests: the first two may be computed, the others must be ready."""
GAMES = "/games?limit=20"
FOUND = "/search?limit=20"


class Counted:
    """An application that counts its calls."""

    def __init__(self, application: Callable[..., Iterable[bytes]]) -> None:
        self.application = application
        self.calls = 0

    def __call__(self, environ: Any, start_response: Any) -> Iterable[bytes]:
        self.calls += 1
        return self.application(environ, start_response)


@pytest.fixture
def ready(configured: Configured) -> tuple[Api, Counted]:
    """An application, and the part of it that answers what is not ready."""
    api = configured(MOVELOG_LOG_URL="")
    front = api.app.wsgi_app
    assert isinstance(front, ReadyAnswers)
    counted = Counted(front.application)
    front.application = counted
    return api, counted


@pytest.fixture
def other(ready: object, configured: Configured) -> Api:
    """Another process on the same store."""
    return configured(MOVELOG_LOG_URL="")


def ask_often(ask: Callable[[], TestResponse]) -> TestResponse:
    """Ask several times; returns the last of the answers, which must be equal."""
    answers = [ask() for _ in range(OFTEN)]
    assert {one.status_code for one in answers} == {200}
    assert len({one.data for one in answers}) == 1
    # Only the Date header differs.
    heads = {tuple(sorted(one for one in each.headers if one[0] != "Date")) for each in answers}
    assert len(heads) == 1
    return answers[-1]


@pytest.mark.parametrize("path", ["{}", "{}/legal", "{}?ply=0", GAMES, FOUND])
def test_what_has_not_changed_is_ready(ready: tuple[Api, Counted], path: str) -> None:
    api, counted = ready
    ada, brahim = api.player("Ada"), api.player("Brahim")
    game = path.format(api.running(ada, brahim))
    api.project()
    first = ask_often(lambda: api.get(game, ada))
    counted.calls = 0
    again = api.get(game, ada)
    assert (again.data, "Date" in again.headers) == (first.data, False)
    assert counted.calls == 0
    etag = first.headers["ETag"]
    polled = [api.get(game, ada, if_none_match=etag) for _ in range(OFTEN)]
    assert [(one.status_code, one.data) for one in polled] == [(304, b"")] * OFTEN
    assert {one.headers["ETag"] for one in polled} == {etag}
    assert counted.calls < OFTEN


@pytest.mark.parametrize("path", ["/puzzles?variant=kerak", "/puzzles/themes"])
def test_lists_of_puzzles_are_ready(ready: tuple[Api, Counted], path: str) -> None:
    api, counted = ready
    api.player("Ada")
    api.project()
    empty = ask_often(lambda: api.get(path))
    write_collection(api.service.database)
    first = ask_often(lambda: api.get(path))
    assert first.data != empty.data
    counted.calls = 0
    assert api.get(path).data == first.data
    assert counted.calls == 0


def test_a_secret_choice_is_ready_for_its_owner_alone(ready: tuple[Api, Counted]) -> None:
    """Readers who take turns, with all else alike, are each told only what they may know."""
    api, _ = ready
    ada, brahim, eve = (api.player(name) for name in ("Ada", "Brahim", "Eve"))
    path = api.running(ada, brahim, variant="kerd", infiltrators="sealed")
    chosen = api.command(path, ada, "choose", side=None, square="c11", nonce=NONCE)
    assert chosen.status_code == 200, chosen.text
    assert api.command(path, brahim, "choose", side=None, square="d2").status_code == 200
    etags = set()
    for _ in range(OFTEN):
        own = api.get(path, ada)
        etags.add(own.headers["ETag"])
        assert own.json is not None
        assert own.json["choices"]["first"] | {"commitment": ""} == {
            "choice": "c11",
            "nonce": NONCE,
            "commitment": "",
        }
        assert own.json["choices"]["second"]["choice"] is None
        for asking in (brahim, eve, None):
            shown = api.get(path, asking)
            assert NONCE not in shown.text
            assert '"c11"' not in shown.text
            # Knowing the ETag of the owner's bytes does not help others.
            told = api.get(path, asking, if_none_match=own.headers["ETag"])
            assert told.status_code == 200
            assert NONCE not in told.text
    assert len(etags) == 1


def test_legal_actions_tell_no_secret_from_ready_bytes(ready: tuple[Api, Counted]) -> None:
    api, _ = ready
    ada, brahim, eve = (api.player(name) for name in ("Ada", "Brahim", "Eve"))
    path = api.running(ada, brahim, variant="kerd", infiltrators="sealed")
    api.command(path, ada, "choose", side=None, square="f11")
    api.command(path, brahim, "choose", side=None, square="f2")
    shown = [
        {asking.id if asking else "": api.get(f"{path}/legal", asking).data}
        for _ in range(OFTEN)
        for asking in (ada, brahim, eve, None)
    ]
    assert len({str(one) for one in shown}) == 4
    assert api.get(f"{path}/legal", eve).data == api.get(f"{path}/legal").data


@pytest.mark.parametrize(
    "headers",
    [
        {"Accept": PGN},
        {"Accept-Language": "de"},
        {"Accept-Encoding": "gzip"},
        {"If-None-Match": '"another"'},
        {"Sec-Fetch-Site": "cross-site", "Accept-Encoding": "gzip"},
        {"X-Anything": "else"},
    ],
)
def test_every_header_is_heard(ready: tuple[Api, Counted], headers: dict[str, str]) -> None:
    """Bytes that are ready for one request are not sent to a request with other headers."""
    api, counted = ready
    game = api.running(api.player("Ada"), api.player("Brahim"))
    plain = ask_often(lambda: api.get(game))
    counted.calls = 0
    other = api.get(game, headers=headers)
    assert counted.calls == 1
    assert api.get(game).data == plain.data
    assert ask_often(lambda: api.get(game, headers=headers)).data == other.data


def test_another_process_changes_a_game(ready: tuple[Api, Counted], other: Api) -> None:
    """An action that any process has answered is in every later answer."""
    api, counted = ready
    ada, brahim = api.player("Ada"), api.player("Brahim")
    path = api.running(ada, brahim)
    for version in range(3, 13):
        sides = (ada, brahim)
        legal = api.get(f"{path}/legal").json
        assert legal is not None
        side = sides[0] if legal["to_act"] == "first" else sides[1]
        other.play(path, side, legal["actions"][0]["action"])
        seen = [api.get(path).json for _ in range(OFTEN)]
        assert {one and one["ply"] for one in seen} == {version - 2}
        legal = api.get(f"{path}/legal").json
        assert legal is not None
        assert legal["version"] == seen[0]["version"]  # type: ignore[index]
    counted.calls = 0
    assert api.get(path).status_code == 200
    assert counted.calls == 0


def test_names_and_marks_are_those_of_now(ready: tuple[Api, Counted], other: Api) -> None:
    api, _ = ready
    ada, brahim = api.player("Ada"), api.player("Brahim")
    path = api.running(ada, brahim)
    api.project()

    def first(asked: Api = api) -> dict[str, Any]:
        answer = ask_often(lambda: asked.get(path)).json
        assert answer is not None
        return dict(answer["players"]["first"])

    assert first()["name"] == "Ada"
    other.service.players.rename(ada.id, "Ada Two", ada.id)
    assert first()["name"] == "Ada Two"
    assert first()["mark"] is None
    other.player("Ada Two")
    other.project()
    assert first() == first(other)
    assert first()["mark"] is not None


@pytest.mark.parametrize("path", [GAMES, FOUND])
def test_lists_are_those_of_now(ready: tuple[Api, Counted], other: Api, path: str) -> None:
    """A list shows that its games have gone on, both before and after that is projected."""
    api, _ = ready
    ada, brahim = api.player("Ada"), api.player("Brahim")
    game = api.running(ada, brahim)
    api.project()

    def listed() -> list[dict[str, Any]]:
        answer = ask_often(lambda: api.get(path)).json
        assert answer is not None
        return list(answer["items"])

    (shown,) = listed()
    assert shown["waits_for"] == ["first"]
    legal = api.get(f"{game}/legal").json
    assert legal is not None
    other.play(game, ada, legal["actions"][0]["action"])
    fresh = other.get(path).json
    assert fresh is not None
    assert api.get(path).json["items"] == fresh["items"]  # type: ignore[index]
    other.running(brahim, ada)
    other.project()
    answer = api.get(path).json
    assert answer is not None
    assert len(answer["items"]) == 2


def test_a_token_that_was_revoked_is_refused(ready: tuple[Api, Counted]) -> None:
    api, _ = ready
    ada, brahim = api.player("Ada"), api.player("Brahim")
    path = api.running(ada, brahim)
    ask_often(lambda: api.get(path, ada))
    api.service.players.revoke(ada.id, ada.token.token.id, Principal(ada.id, None))
    assert api.get(path, ada).status_code == 401


@pytest.mark.slow
def test_ready_answers_are_counted(configured: Configured, clock: Clock) -> None:
    api = configured(MOVELOG_LOG_URL="", MOVELOG_RATE_LIMIT="10/hour")
    ada, brahim = api.player("Ada"), api.player("Brahim")
    made = api.post("/games", {"variant": "katruji", "opponent": brahim.id, "side": "first"}, ada)
    assert made.json is not None
    path = f"/games/{made.json['id']}"
    answers = [api.get(path, ada).status_code for _ in range(12)]
    assert answers == [200] * 9 + [429] * 3
    told = api.get("//metrics").text
    counted = 'movelog_requests_total{method="GET",route="/api/v1/games/<id:id>",status="200"} 9.0'
    assert counted in told


def test_a_store_that_was_emptied_leaves_nothing(ready: tuple[Api, Counted]) -> None:
    api, _ = ready
    path = api.running(api.player("Ada"), api.player("Brahim"))
    ask_often(lambda: api.get(path))
    api.service.store.flushall()
    assert api.get(path).status_code == 404


def test_a_connection_that_was_cut_is_made_anew(ready: tuple[Api, Counted], other: Api) -> None:
    """What changed while the connection was cut is not overlooked."""
    api, counted = ready
    ada, brahim = api.player("Ada"), api.player("Brahim")
    path = api.running(ada, brahim)
    before = ask_often(lambda: api.get(path))
    store: Any = other.service.store
    store.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    legal = other.get(f"{path}/legal").json
    assert legal is not None
    other.play(path, ada, legal["actions"][0]["action"])
    after = api.get(path)
    assert after.status_code == 200
    assert after.data != before.data
    front = api.app.wsgi_app
    assert isinstance(front, ReadyAnswers)
    front.resume()
    ask_often(lambda: api.get(path))
    counted.calls = 0
    assert api.get(path).json == other.get(path).json
    assert counted.calls == 0


def test_answers_to_requests_that_say_much_are_not_kept(ready: tuple[Api, Counted]) -> None:
    """Otherwise strangers would fill the memory with headers."""
    api, counted = ready
    path = api.running(api.player("Ada"), api.player("Brahim"))
    counted.calls = 0
    long = {f"X-Note-{number}": "x" * 1000 for number in range(5)}
    for _ in range(OFTEN):
        assert api.get(path, headers=long).status_code == 200
    assert counted.calls == OFTEN
    counted.calls = 0
    for _ in range(OFTEN):
        assert api.get(path, headers={"X-Note": "x" * 1000}).status_code == 200
    assert counted.calls < OFTEN
