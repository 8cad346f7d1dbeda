"""What every operation can answer, whatever it does, is in the contract."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fakeredis
import pytest
from flask import Flask
from werkzeug.test import TestResponse

from service.composition.service import compose
from service.operations.web_app import create_app
from service.player.scopes import SCOPES
from service.settings import read_settings
from tests.contracts.document import codes_of, contract, operations

Place = tuple[str, str]
IDS = {"id": "a" * 16, "player": "b" * 16, "other": "c" * 16, "token": "0" * 16, "round": "1"}
IDS |= {"variant": "kerd", "puzzle": "0" * 10}
JSON = "application/json"
TOO_LARGE = b'{"a":"' + b"x" * (1 << 21) + b'"}'
UNDECLARED = {"405", "408", "414", "417", "431", "500", "501"}
"""Statuses that every path can answer, and that no operation lists."""


class Started:
    """The application on an empty store, which can be cut off, and a token with every scope."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, limit: str = "") -> None:
        self.store = fakeredis.FakeServer()

        def connect(*_: object) -> fakeredis.FakeRedis:
            return fakeredis.FakeRedis(server=self.store)

        patch.setattr("service.composition.service.connect", connect)
        environment = {"MOVELOG_DATA_DIR": str(folder), "MOVELOG_RATE_LIMIT": limit}
        service = compose(read_settings(environment))
        self.token = service.players.register("Ann", None, scopes=SCOPES).token.secret
        self.app: Flask = create_app(service)

    def ask(self, place: Place, **request: Any) -> TestResponse:
        """The answer of an operation to a request with the token, unless others are given."""
        path, method = place
        given = {"headers": {"Authorization": f"Bearer {self.token}"}} | request
        where = re.sub(r"{(\w+)}", lambda name: IDS[name[1]], path)
        if where.endswith("/stream"):
            given["query_string"] = {"until": "caught_up"}
        return self.app.test_client().open(where, method=method.upper(), **given)


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Started]]:
    with pytest.MonkeyPatch.context() as patch:
        yield lambda limit="": Started(tmp_path_factory.mktemp("data"), patch, limit)


@pytest.fixture(scope="module")
def running(start: Callable[..., Started]) -> Started:
    return start()


@pytest.fixture(scope="module")
def limited(start: Callable[..., Started]) -> Started:
    """An application whose client has used up the rate limit."""
    made = start(limit="1/day")
    assert made.ask(("/api/v1/me", "get")).status_code == 200
    return made


@pytest.fixture(scope="module")
def cut_off(start: Callable[..., Started]) -> Started:
    """An application that cannot reach its store."""
    made = start()
    made.store.connected = False
    return made


def check_declared(place: Place, answer: TestResponse) -> str | None:
    """Check that the contract lists an answer; returns its code if it is a problem."""
    operation, status = operations()[place], str(answer.status_code)
    assert status in operation["responses"], (place, status)
    if status < "400":
        return None
    code = str((answer.json or {})["code"])
    assert code in codes_of(operation, status), (place, status, code)
    return code


every_operation = pytest.mark.parametrize("place", operations(), ids=" ".join)


@every_operation
def test_a_bad_token(place: Place, running: Started) -> None:
    answer = running.ask(place, headers={"Authorization": "Bearer nonsense"})
    refused = check_declared(place, answer) == "bad-token"
    assert refused == ("401" in operations()[place]["responses"])


@every_operation
def test_a_used_up_rate_limit(place: Place, limited: Started) -> None:
    refused = check_declared(place, limited.ask(place)) == "too-many-requests"
    assert refused == ("too-many-requests" in codes_of(operations()[place], "429"))


@every_operation
def test_too_many_connections(place: Place) -> None:
    # The process refuses the connection before it reads which operation is requested.
    assert "too-many-connections" in codes_of(operations()[place], "429")


@every_operation
def test_a_store_that_cannot_be_reached(place: Place, cut_off: Started) -> None:
    refused = check_declared(place, cut_off.ask(place)) == "log-unavailable"
    assert refused == ("log-unavailable" in codes_of(operations()[place], "503"))


@every_operation
@pytest.mark.parametrize(
    "request_",
    [
        pytest.param({"data": TOO_LARGE, "content_type": JSON}, marks=pytest.mark.slow),
        {"data": b"{", "content_type": JSON},
        pytest.param({"data": b"[]", "content_type": JSON}, marks=pytest.mark.slow),
        pytest.param({"data": b"text", "content_type": "text/css"}, marks=pytest.mark.slow),
        pytest.param({"query_string": {"unknown": "1"}}, marks=pytest.mark.slow),
    ],
    ids=["too large", "malformed", "no object", "of another type", "unknown parameter"],
)
def test_a_body_or_query_that_nobody_reads(
    place: Place, request_: dict[str, Any], running: Started
) -> None:
    check_declared(place, running.ask(place, **request_))


@pytest.mark.parametrize("path", contract()["paths"])
def test_another_method_is_refused_and_the_right_ones_are_named(
    path: str, running: Started
) -> None:
    offered = {method for other, method in operations() if other == path}
    answer = running.ask((path, "trace"))
    assert (answer.status_code, (answer.json or {})["code"]) == (405, "wrong-method")
    assert {method.lower() for method in answer.headers["Allow"].split(", ")} >= offered


@every_operation
def test_what_every_path_can_answer_is_listed_by_no_operation(place: Place) -> None:
    assert UNDECLARED.isdisjoint(operations()[place]["responses"])
