"""Actions carried out without Flask: answered as the application would, done and counted once."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest
from redis import ConnectionError
from werkzeug.test import TestResponse

from service.api.direct_actions import DirectActions
from service.log.repository import Done
from tests.service.api.client import Api, error
from tests.service.api.conftest import Clock, Configured

ROUTE = "/api/v1/games/<id:id>/actions"
KEY = "0b7cf6bd-5bb3-4c5c-9f0a-3f4e1d1c9f31"
UNUSUAL = {"Origin": "https://elsewhere.example"}
"""A header that leaves a request to the application and changes nothing else."""


class Application:
    """The application behind direct actions, which counts its calls."""

    def __init__(self, application: Callable[..., Iterable[bytes]]) -> None:
        self.application = application
        self.calls = 0

    def __call__(self, environ: Any, start_response: Any) -> Iterable[bytes]:
        self.calls += 1
        return self.application(environ, start_response)


class Direct:
    """A service that has answered one action, and so carries out the next ones directly."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.scribe = api.player("Dana")
        self.behind = watch_application(api)
        self.act(self.create_game(), "c2d1")
        self.behind.calls = 0

    def create_game(self) -> str:
        """Create a game, without counting that call of the application; returns its path."""
        calls = self.behind.calls
        path = self.api.scribed(self.scribe)
        self.behind.calls = calls
        return path

    def act(self, path: str, action: str, **members: Any) -> TestResponse:
        """Submit an action."""
        return self.api.post(f"{path}/actions", {"action": action} | members, self.scribe)

    def version(self, path: str) -> int:
        """The current version of a game."""
        return self.api.service.games.load(path.removeprefix("/games/")).version


def watch_application(api: Api) -> Application:
    """Count the calls of the application behind direct actions."""
    front: Any = api.app.wsgi_app
    while not isinstance(front, DirectActions):
        front = front.application
    front.application = behind = Application(front.application)
    return behind


@pytest.fixture
def direct(api: Api) -> Direct:
    return Direct(api)


def describe(answer: TestResponse) -> tuple[int, list[tuple[str, str]], Any]:
    """The parts of an answer that two games played alike have in common."""
    body = json.loads(answer.data)
    body.pop("id", None)
    for event in body.get("events", []):
        for own in ("at", "stream", "previous"):
            del event[own]
    return answer.status_code, sorted(answer.headers), body


def test_an_action_is_answered_as_the_application_answers_it(direct: Direct) -> None:
    one, other = direct.create_game(), direct.create_game()
    found = direct.act(one, "c2d1")
    assert direct.behind.calls == 0
    wish = {"action": "c2d1"}
    usual = direct.api.post(f"{other}/actions", wish, direct.scribe, **UNUSUAL)
    assert direct.behind.calls == 1
    assert describe(found) == describe(usual)
    assert found.status_code == 200
    assert direct.version(one) == direct.version(other)


@pytest.mark.parametrize(
    ("headers", "query", "content_type"),
    [
        (UNUSUAL, None, "application/json"),
        ({}, {"x": "1"}, "application/json"),
        ({}, None, "application/json; charset=latin-1"),
        ({}, None, "text/plain"),
    ],
)
def test_an_unusual_request_is_the_applications(
    direct: Direct, headers: Mapping[str, str], query: Mapping[str, str], content_type: str
) -> None:
    path = direct.create_game() + "/actions"
    raw = b'{"action":"c2d1"}'
    direct.api.send("POST", path, direct.scribe, raw, content_type, query=query, headers=headers)
    assert direct.behind.calls == 1


def test_a_request_with_a_cookie_is_the_applications(direct: Direct) -> None:
    path = direct.create_game()
    direct.api.http.set_cookie("language", "de")
    assert direct.act(path, "c2d1").status_code == 200
    assert direct.behind.calls == 1


def test_a_request_without_a_token_is_the_applications(direct: Direct) -> None:
    answer = direct.api.post(f"{direct.create_game()}/actions", {"action": "c2d1"})
    assert error(answer) == (401, "missing-token")
    assert direct.behind.calls == 1


def test_a_body_that_is_too_long_is_refused(configured: Configured) -> None:
    direct = Direct(configured(MOVELOG_MAX_BODY="1024"))
    path = direct.create_game()
    answer = direct.act(path, "c2d1", annotation={"comments": ["x" * 1024]})
    assert error(answer) == (413, "too-large")
    assert direct.version(path) == 1


@pytest.mark.parametrize(
    ("wish", "headers", "expected"),
    [
        ({"action": "c2c8"}, {}, (422, "illegal-action")),
        ({"action": "?!"}, {}, (422, "unreadable-token")),
        ({"action": "c2d1", "expected_version": 7}, {}, (409, "wrong-version")),
        ({"action": "c2d1"}, {"If-Match": '"7"'}, (412, "stale-match")),
        ({"action": "c2d1"}, {"If-Match": "x"}, (400, "malformed-header")),
        ({"action": "c2d1"}, {"Idempotency-Key": ""}, (400, "malformed-header")),
        ({"action": 1}, {}, (422, "invalid-request")),
        ({"action": "c2d1", "colour": "red"}, {}, (422, "invalid-request")),
        ([], {}, (400, "malformed-json")),
    ],
)
def test_a_refusal_is_the_one_that_the_application_gives(
    direct: Direct, wish: object, headers: dict[str, str], expected: tuple[int, str]
) -> None:
    path = direct.create_game()
    found = direct.api.post(f"{path}/actions", wish, direct.scribe, **headers)
    usual = direct.api.post(f"{path}/actions", wish, direct.scribe, **headers, **UNUSUAL)
    assert found.status_code == expected[0], found.text
    assert (found.status_code, found.data) == (usual.status_code, usual.data)
    assert list(found.headers) == list(usual.headers)
    assert direct.version(path) == 1


def test_other_refusals(direct: Direct) -> None:
    path = direct.create_game()
    stranger = direct.api.player("Eve")
    assert error(direct.act("/games/" + 16 * "a", "c2d1")) == (404, "not-found")
    wish = {"action": "c2d1"}
    assert direct.api.post(f"{path}/actions", wish, stranger).status_code == 403
    answer = direct.api.post(f"{path}/actions", wish, Authorization="Bearer mlg_x_y")
    assert error(answer) == (401, "bad-token")
    assert direct.version(path) == 1


def test_a_refused_action_is_decided_once(direct: Direct, monkeypatch: pytest.MonkeyPatch) -> None:
    games, decided = direct.api.service.games, []
    execute = games.execute

    def count(*given: Any) -> Done[Any]:
        decided.append(given)
        return execute(*given)

    monkeypatch.setattr(games, "execute", count)
    path = direct.create_game()
    assert direct.act(path, "c2c8").status_code == 422
    assert len(decided) == 1


def test_an_action_whose_answer_was_lost_is_not_played_again(
    direct: Direct, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = direct.api.service.games
    path = direct.create_game()
    execute = games.execute

    def lose(*given: Any) -> Done[Any]:
        execute(*given)
        raise ConnectionError("lost")

    monkeypatch.setattr(games, "execute", lose)
    assert error(direct.act(path, "c2d1")) == (503, "log-unavailable")
    assert direct.version(path) == 2


def test_a_key_stands_for_one_action(direct: Direct) -> None:
    path = f"{direct.create_game()}/actions"
    wish = {"action": "c2d1"}
    first = direct.api.post(path, wish, direct.scribe, KEY)
    assert direct.behind.calls == 0
    again = direct.api.post(path, wish, direct.scribe, KEY)
    assert (again.status_code, again.data) == (200, first.data)
    usual = direct.api.post(path, wish, direct.scribe, KEY, **UNUSUAL)
    assert (usual.status_code, usual.data) == (200, first.data)
    other = direct.api.post(path, {"action": "b2c2"}, direct.scribe, KEY)
    assert error(other) == (422, "idempotency-key-reused")
    assert direct.version(path.removesuffix("/actions")) == 2


def test_a_long_answer_is_coded_for_who_wants_that(direct: Direct) -> None:
    one, other = direct.create_game(), direct.create_game()
    wish = {"action": "c2d1", "annotation": {"comments": ["A long comment." * 80]}}
    plain = direct.api.post(f"{one}/actions", wish, direct.scribe)
    assert direct.behind.calls == 0
    coded = direct.api.post(f"{other}/actions", wish, direct.scribe, Accept_Encoding="gzip")
    assert coded.headers["Content-Encoding"] == "gzip"
    body = json.loads(gzip.decompress(coded.data))
    assert body["game"] == plain.get_json()["game"]
    assert direct.version(other) == 2


def test_each_request_is_counted_once(configured: Configured, clock: Clock) -> None:
    direct = Direct(configured(MOVELOG_RATE_LIMIT="6/hour"))
    path = direct.create_game()
    # Two games were created and one action was played before.
    assert direct.act(path, "c2c8").status_code == 422
    assert direct.act(path, "c2d1").status_code == 200
    assert direct.act(path, "?!").status_code == 422
    assert error(direct.act(path, "b6a5")) == (429, "too-many-requests")
    assert direct.version(path) == 2


def test_metrics_have_what_was_answered(direct: Direct) -> None:
    registry = direct.api.app.extensions["movelog"].metrics.registry

    def count(status: str) -> float:
        labels = {"method": "POST", "route": ROUTE, "status": status}
        return registry.get_sample_value("movelog_requests_total", labels) or 0

    def timed() -> float:
        return registry.get_sample_value("movelog_request_seconds_count", {"route": ROUTE}) or 0

    path, before = direct.create_game(), timed()
    assert count("200") == 1
    direct.act(path, "c2d1")
    direct.act(path, "c2c8")
    assert (count("200"), count("422"), timed() - before) == (2, 1, 2)
    assert direct.behind.calls == 1


def test_an_action_that_was_carried_out_is_never_refused(
    direct: Direct, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The application gives this long answer, but does not authenticate the token again."""
    path = direct.create_game()
    bearers = direct.api.service.bearers
    authenticate, asked = bearers.authenticate, []

    def once(secret: str) -> Any:
        asked.append(secret)
        if len(asked) > 1:
            raise ConnectionError
        return authenticate(secret)

    monkeypatch.setattr(bearers, "authenticate", once)
    monkeypatch.setattr("service.api.direct_actions.LEAST", 1)
    headers = {"Accept-Encoding": "gzip"}
    answer = direct.api.post(f"{path}/actions", {"action": "c2d1"}, direct.scribe, **headers)
    assert (answer.status_code, len(asked)) == (200, 1)


def test_an_answer_that_cannot_be_written_is_an_error_of_the_service(
    direct: Direct, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: object) -> None:
        raise LookupError

    path = direct.create_game()
    monkeypatch.setattr("service.api.direct_actions.write_done", fail)
    calls = direct.behind.calls
    assert direct.act(path, "c2d1").status_code == 200
    assert direct.behind.calls == calls + 1


def test_a_refusal_is_timed_from_its_beginning(
    direct: Direct, monkeypatch: pytest.MonkeyPatch
) -> None:
    metrics = direct.api.app.extensions["movelog"].metrics
    seconds: list[float] = []
    count = metrics.count

    def noted(method: str, route: str, status: int, took: float) -> None:
        seconds.append(took)
        count(method, route, status, took)

    execute = direct.api.service.games.execute

    def slow(*given: Any) -> Any:
        time.sleep(0.05)
        return execute(*given)

    monkeypatch.setattr(metrics, "count", noted)
    monkeypatch.setattr(direct.api.service.games, "execute", slow)
    assert direct.act(direct.create_game(), "a1a8").status_code == 422
    assert seconds[-1] >= 0.05
