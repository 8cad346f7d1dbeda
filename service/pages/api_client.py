"""The API as the pages call it: within the process, with the reader's token."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextvars import Context
from typing import Any
from urllib.parse import quote

from flask import current_app, g, request
from werkzeug.datastructures import Headers
from werkzeug.test import EnvironBuilder, run_wsgi_app

from engine.described_error import DescribedError
from service.api.rate_limits import WITHIN
from service.languages.texts import get_language
from service.pages import session
from service.player.actor import Actor
from service.tracing.tracing import TRACEPARENT, write_parent

ROOT = "/api/v1"


class ApiRefused(DescribedError):
    """The API refused: `problem` is its document, with at least `status`, `code`, `detail`."""

    problem: Mapping[str, Any]

    def __str__(self) -> str:
        return str(self.problem["detail"])


def get(path: str, **query: str | int | None) -> Any:
    """The JSON at a path below `/api/v1`; None parameters are left out. Raises ApiRefused."""
    return ask("GET", path, query)


def post(path: str, body: Mapping[str, Any], key: str | None = None) -> Any:
    """The JSON in the answer to a POST; raises ApiRefused.

    A `key` that no header could hold is left out.
    """
    headers = {"Idempotency-Key": key} if key and key.isprintable() else {}
    return ask("POST", path, {}, body, headers)


def get_text(path: str, accept: str, **query: str | int | None) -> str:
    """The content at a path in another format; raises ApiRefused."""
    return _answer("GET", path, query, None, {"Accept": accept})[1].decode()


def ask(
    method: str,
    path: str,
    query: Mapping[str, str | int | None],
    body: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Any:
    """The JSON in an answer; raises ApiRefused."""
    _, data = _answer(method, path, query, body, headers or {})
    return json.loads(data) if data else None


def _answer(
    method: str,
    path: str,
    query: Mapping[str, str | int | None],
    body: Mapping[str, Any] | None,
    headers: Mapping[str, str],
) -> tuple[int, bytes]:
    """The status and body of the answer to a request in the reader's name."""
    # A stale cookie is not sent on: the API would refuse everything.
    own = None if g.get("stale") or g.get("stranger") else session.read_token()
    own_headers = {"Accept-Language": get_language()}
    if own:
        own_headers["Authorization"] = f"Bearer {own}"
    if parent := write_parent():
        own_headers[TRACEPARENT] = parent
    asked = EnvironBuilder(
        # Ids come from readers: they may contain a question mark, or anything else.
        path=quote(ROOT + path),
        method=method,
        query_string={name: str(value) for name, value in query.items() if value is not None},
        json=body,
        headers=Headers(own_headers | dict(headers)),
        environ_base={"REMOTE_ADDR": request.remote_addr or "", WITHIN: True},
    )
    # In a separate context: the inner request must not find what this one keeps in `g`.
    answered, status, _ = Context().run(
        run_wsgi_app, current_app.wsgi_app, asked.get_environ(), buffered=True
    )
    data = b"".join(answered)
    number = int(status.split()[0])
    if number >= 400:
        raise ApiRefused(json.loads(data))
    return number, data


def get_reader() -> Mapping[str, Any] | None:
    """The reader's player, None for a stranger or if the cookie's token is no longer valid."""
    if "reader" not in g:
        g.reader = _ask_for_reader()
    found: Mapping[str, Any] | None = g.reader
    return found


def get_actor() -> Actor | None:
    """The reader's player with the scopes of their token, None for a stranger."""
    who = get_reader()
    return None if who is None else Actor(who["id"], frozenset(who["scopes"]))


def _ask_for_reader() -> Mapping[str, Any] | None:
    if session.read_token() is None:
        return None
    try:
        found: Mapping[str, Any] = get("/me")
    except ApiRefused as refused:
        if refused.problem["code"] != "bad-token":
            raise
        g.stale = True
        return None
    return found
