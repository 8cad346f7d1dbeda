"""A client of the application that needs no socket and builds its requests."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from unittest.mock import patch

from flask import Flask
from flask.testing import FlaskClient
from jinja2.bccache import Bucket, BytecodeCache
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map, MapAdapter, Rule, RuleFactory
from werkzeug.test import TestResponse

from service.composition.service import Service
from service.operations.web_app import Application, create_app
from service.player.repository import NewPlayer
from tests.contracts.document import codes_of, operations
from tests.service.budgets import lift_budgets
from tests.service.contents import contents
from tests.service.projection.support import project_service

V1 = "/api/v1"
PGN = "application/x-chess-pgn"
NDJSON = "application/x-ndjson"
PARQUET = "application/vnd.apache.parquet"
PROBLEM = "application/problem+json"
Snapshot = dict[bytes, bytes]


def code(answer: TestResponse) -> str:
    """Return a problem's code, after checking the rest of the problem."""
    assert answer.mimetype == PROBLEM, answer.get_data(as_text=True)
    problem = json.loads(answer.data)
    assert problem["type"] == f"urn:movelog:problem:{problem['code']}"
    assert problem["status"] == answer.status_code
    assert problem["title"]
    assert problem["detail"]
    return str(problem["code"])


def error(answer: TestResponse) -> tuple[int, str]:
    """The status and code of a problem."""
    return answer.status_code, code(answer)


def _all(headers: Mapping[str, str] | None, named: Mapping[str, str]) -> dict[str, str]:
    return {**(headers or {}), **{name.replace("_", "-"): v for name, v in named.items()}}


class CheckedClient(FlaskClient):
    """A client that fails if the contract does not list the code of a problem.

    `bad-csrf-token` is exempt: it takes a page's cookie, which the contract does not describe.
    """

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        answer = super().open(*args, **kwargs)
        if answer.mimetype == PROBLEM and answer.status_code != 500 and answer.data:
            adapter = self.application.url_map.bind_to_environ(answer.request.environ)
            assert_listed(adapter, answer.status_code, json.loads(answer.data)["code"])
        return answer


def assert_listed(adapter: MapAdapter, status: int, code: str) -> None:
    """Fail if the request is for an operation and the contract does not list the code for it."""
    try:
        rule, _ = adapter.match(return_rule=True)
    except HTTPException:
        return
    path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
    method = {"HEAD": "get"}.get(adapter.default_method, adapter.default_method.lower())
    operation = operations().get((path, method))
    if operation is not None and code != "bad-csrf-token":
        assert code in codes_of(operation, str(status)), f"{method} {path}: {status} {code}"


class KnownRoutes(Map):
    """The routes of all applications of a process, compiled only for the first one."""

    def __init__(self) -> None:
        super().__init__()
        self._known: set[tuple[str, str, frozenset[str]]] = set()

    def add(self, rulefactory: RuleFactory) -> None:
        """Add a route, unless an earlier application has added it."""
        assert isinstance(rulefactory, Rule)
        key = (rulefactory.rule, rulefactory.endpoint, frozenset(rulefactory.methods or ()))
        if key not in self._known:
            self._known.add(key)
            super().add(rulefactory)


class KnownTemplates(BytecodeCache):
    """The templates of all applications of a process, compiled only for the first one."""

    def __init__(self) -> None:
        self._known: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a template's code, if it is known."""
        if (code := self._known.get(bucket.key)) is not None:
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template's code."""
        self._known[bucket.key] = bucket.bytecode_to_string()


ROUTES = KnownRoutes()
TEMPLATES = KnownTemplates()


def make_app(service: Service) -> Flask:
    """Create the application of a service, with the routes and templates of earlier ones."""
    with patch.object(Application, "url_map_class", staticmethod(lambda **_: ROUTES)):
        app = create_app(service)
    app.jinja_env.bytecode_cache = TEMPLATES
    return app


class Api:
    """A client of one application; it registers players in the service directly, to be quick."""

    def __init__(self, service: Service) -> None:
        self.service = service
        lift_budgets(service)
        self.app = make_app(service)
        self.http = CheckedClient(self.app, self.app.response_class)

    def player(self, name: str, *scopes: str) -> NewPlayer:
        """Register a player with a token of these scopes."""
        return self.service.players.register(name, None, scopes=scopes or ("play",))

    def get(
        self,
        path: str,
        by: NewPlayer | None = None,
        accept: str | None = None,
        query: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        **named: str,
    ) -> TestResponse:
        """GET a path below /api/v1, or below the root if it begins with //."""
        return self.send("GET", path, by, accept=accept, query=query, headers=_all(headers, named))

    def post(
        self,
        path: str,
        body: object,
        by: NewPlayer | None = None,
        key: str | None = None,
        **named: str,
    ) -> TestResponse:
        """POST a JSON body; the names of headers have `_` for `-`."""
        raw = json.dumps(body).encode()
        return self.send(
            "POST", path, by, raw, "application/json", key=key, headers=_all(None, named)
        )

    def send(
        self,
        method: str,
        path: str,
        by: NewPlayer | None = None,
        raw: bytes | None = None,
        content_type: str | None = None,
        *,
        key: str | None = None,
        accept: str | None = None,
        query: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        **named: str,
    ) -> TestResponse:
        """Send any request."""
        sent = _all(headers, named)
        if by is not None:
            sent["Authorization"] = f"Bearer {by.token.secret}"
        if key is not None:
            sent["Idempotency-Key"] = key
        if accept is not None:
            sent["Accept"] = accept
        return self.http.open(
            path[1:] if path.startswith("//") else V1 + path,
            method=method,
            data=raw,
            content_type=content_type,
            headers=sent,
            query_string=query,
            # A stream that ends by itself is read and closed here; the test closes any other.
            buffered="until" in (query or {}),
        )

    def created(self, wish: Mapping[str, Any], by: NewPlayer, key: str | None = None) -> str:
        """Create a game; returns its path."""
        answer = self.post("/games", wish, by, key)
        assert answer.status_code == 201, answer.get_data(as_text=True)
        return f"/games/{answer.json['id']}" if answer.json else ""

    def running(self, first: NewPlayer, second: NewPlayer, **wish: Any) -> str:
        """Create a game of Katruji that the second player accepts; returns its path."""
        asked = {"variant": "katruji", "side": "first", "opponent": second.id, **wish}
        path = self.created(asked, first)
        assert self.command(path, second, "accept").status_code == 200
        return path

    def scribed(self, scribe: NewPlayer, **wish: Any) -> str:
        """Create a game that a scribe keeps; returns its path."""
        seats = {"first": {"name": "Ada"}, "second": {"name": "Brahim"}}
        return self.created(
            {"variant": "katruji", "mode": "scribe", "players": seats} | wish, scribe
        )

    def play(self, path: str, by: NewPlayer, *actions: str) -> TestResponse:
        """Play one player's actions; returns the last answer."""
        for action in actions:
            answer = self.post(f"{path}/actions", {"action": action}, by)
            assert answer.status_code == 200, answer.get_data(as_text=True)
        return answer

    def command(self, path: str, by: NewPlayer, type: str, **members: Any) -> TestResponse:
        """Send one command."""
        return self.post(f"{path}/commands", {"type": type} | members, by)

    def project(self) -> None:
        """Bring the lists of games and players up to date."""
        project_service(self.service)

    def snapshot(self) -> Snapshot:
        """Everything that is stored, to check that nothing has changed."""
        return contents(self.service.log.redis.client, "movelog:{*") | contents(
            self.service.store, "movelog:{*"
        )
