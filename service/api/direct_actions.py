"""Actions as almost every program submits them, carried out without Flask.

Flask's context, routing, hooks and answer take a quarter of the cost of such a request (`make
bench`, submit). The functions that interpret the request are the same that the view calls: for the
token, the rate limit, the schema and the command. Any unusual request or outcome is left to the
application. It is told what was done already, so that nothing is done or counted twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any, Final

from flask import Flask

from service.api import request_data
from service.api.compression import LEAST
from service.api.context import BEARER, WebParts, make_receipt, parse_bearer, parse_key
from service.api.expected_version import parse_tag
from service.api.outcomes import OUTCOME, Outcome
from service.api.rate_limits import COUNTED, WITHIN
from service.api.responses import write_json
from service.api.schemas.actions import ActionSchema, make_play
from service.api.views import render_done
from service.game.commands import Command
from service.game.redaction import viewer
from service.game.state import GameState
from service.ids import ID
from service.log.batch import Order
from service.log.repository import Done
from service.log.values import Receipt
from service.player.actor import Actor
from service.player.errors import BadToken
from service.tracing.tracing import is_tracing

BEGUN: Final = "movelog.begun"
"""The environment key for the time at which work on a request began."""
VIEW: Final = "games.act"
"""The view that answers requests that are not answered here."""
BEFORE, BEHIND = "/api/v1/games/", "/actions"
"""The path before and after the game's id."""
BODIES: Final = frozenset({"application/json", "application/json; charset=utf-8"})
BARRED: Final = ("HTTP_COOKIE", "HTTP_ORIGIN", "HTTP_TRANSFER_ENCODING", WITHIN)
"""What programs that submit actions do not send; answers to it may have further headers."""
LENGTH: Final = "Content-Length"
ACTION: Final = ActionSchema()

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]
Headers = list[tuple[str, str]]


def register_direct_actions(app: Flask, parts: WebParts) -> None:
    """Carry actions out directly unless requests are traced."""
    if not is_tracing():
        app.wsgi_app = DirectActions(app.wsgi_app, app, parts)  # type: ignore[method-assign]


class DirectActions:
    """A WSGI application in front of the service's, which carries out most actions itself.

    Its answers have the headers of the application's last answer, except the length.
    """

    def __init__(self, application: Application, app: Flask, parts: WebParts) -> None:
        self.application = application
        self.parts = parts
        self._app = app
        self._head: tuple[str, Headers] | None = None
        self._route = ""

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        id = find_game(environ, self.parts.service.settings.max_body)
        if id is None:
            return self.application(environ, start_response)
        if self._head is None:
            return self.application(environ, self._note_head(start_response))
        environ[BEGUN] = begun = time.perf_counter()
        body = self._answer(id, environ)
        if body is None:
            return self.application(environ, start_response)
        status, headers = self._head
        self.parts.metrics.count("POST", self._route, 200, time.perf_counter() - begun)
        start_response(status, [*headers, (LENGTH, str(len(body)))])
        return [body]

    def _note_head(self, start_response: StartResponse) -> StartResponse:
        """Have the headers of an answer noted, if others could have them as well."""

        def start(status: str, headers: Headers, *given: object) -> Any:
            names = {name for name, _ in headers}
            if status.startswith("200") and names.isdisjoint(("Content-Encoding", "Set-Cookie")):
                rules = self._app.url_map.iter_rules(VIEW)
                self._route = next(rules).rule
                self._head = status, [one for one in headers if one[0] != LENGTH]
            return start_response(status, headers, *given)

        return start

    def _answer(self, id: str, environ: Environ) -> bytes | None:
        """The body of the answer, or None if the application has to answer.

        In that case, the request's environment records what it must not do again.
        """
        received = self.parts.service.games.clock()
        actor = self._count(environ)
        if actor is None:
            return None
        order = self._read(id, environ, actor, received)
        if order is None:
            return None
        environ[OUTCOME] = outcome = self._execute(order, actor)
        if isinstance(outcome, Exception):
            return None
        try:
            body = write_done(outcome, actor)
        except Exception:
            # The view runs into it as well, and reports the error as any other.
            return None
        # A longer answer may be compressed.
        return body if len(body) < LEAST or "HTTP_ACCEPT_ENCODING" not in environ else None

    def _count(self, environ: Environ) -> Actor | None:
        """The actor who submits the action; counts the request for them. None for a refusal.

        A request with a bad token is left to the application, which counts it for the address.
        """
        try:
            header = environ["HTTP_AUTHORIZATION"]
            bearer = self.parts.service.bearers.authenticate(parse_bearer(header))
        except BadToken:
            return None
        except Exception as refusal:
            environ[COUNTED] = refusal
            return None
        environ[BEARER], environ[COUNTED] = bearer, None
        try:
            if self.parts.rate_limit is not None:
                self.parts.rate_limit.count_for(bearer.actor.player)
            return bearer.actor
        except Exception as refusal:
            environ[COUNTED] = refusal
            return None

    def _read(
        self, id: str, environ: Environ, actor: Actor, received: int
    ) -> Order[Command] | None:
        """The order in a request, or None if something is wrong with it."""
        content = environ["wsgi.input"].getvalue()
        try:
            wish = request_data.load_fields(ACTION, request_data.parse_json(content))
            match = parse_tag(environ.get("HTTP_IF_MATCH"))
            receipt = self._make_receipt(environ, actor, content)
        except Exception:
            # The application runs into it as well, and reports it.
            return None
        expected = wish["expected_version"] if match is None else match
        return Order(id, make_play(wish, received), expected, receipt)

    def _make_receipt(self, environ: Environ, actor: Actor, content: bytes) -> Receipt | None:
        key = parse_key(environ.get("HTTP_IDEMPOTENCY_KEY"))
        if key is None:
            return None
        secret, path = self.parts.service.secret, environ["PATH_INFO"]
        return make_receipt(secret, actor.player, "POST", path, key, content)

    def _execute(self, order: Order[Command], actor: Actor) -> Outcome:
        try:
            return self.parts.service.games.execute(
                order.id, order.command, actor, order.expected, order.receipt
            )
        except Exception as error:
            return error


def write_done(done: Done[GameState], actor: Actor) -> bytes:
    """The body of the answer to a command that was carried out."""
    return write_json(render_done(done.state, done.recorded, viewer(done.state, actor))).encode()


def find_game(environ: Environ, most: int) -> str | None:
    """The id of the game in which a request submits an action; None for an unusual request.

    A usual request has arrived completely with at most `most` bytes, and only its token says who
    sends it.
    """
    path = environ["PATH_INFO"]
    if environ["REQUEST_METHOD"] != "POST" or not path.endswith(BEHIND):
        return None
    id = path.removeprefix(BEFORE).removesuffix(BEHIND)
    usual = (
        path.startswith(BEFORE)
        and ID.match(id) is not None
        and environ.get("CONTENT_TYPE") in BODIES
        and "HTTP_AUTHORIZATION" in environ
        and not environ.get("QUERY_STRING")
        and environ.keys().isdisjoint(BARRED)
        and has_come(environ, most)
    )
    return id if usual else None


def has_come(environ: Environ, most: int) -> bool:
    """Whether a request's body is in memory, with the length that it states, at most `most`."""
    body = environ["wsgi.input"]
    if not isinstance(body, BytesIO):
        return False
    size = body.getbuffer().nbytes
    return size <= most and environ.get("CONTENT_LENGTH") == str(size)
