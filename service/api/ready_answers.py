"""Answers reads from a cache for as long as nothing that they depend on has changed.

An answer is cached under everything in its request that matters and the client it was for, together
with what it was made from (`service.log.noted_reads`). Before it is sent again, the token is
checked and the request counted as ever, and the store and the read models are asked whether any of
that has changed. So a cached answer equals what a new one would be.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from flask import Flask
from redis import RedisError

from service.api.answer_cache import ROUTE, Answer, AnswerCache, Basis
from service.api.context import WebParts, name_address, parse_bearer
from service.api.errors import TooManyRequests
from service.api.rate_limits import COUNTED, WITHIN
from service.log.noted_reads import note_reads
from service.log.tracked_keys import TrackedKeys
from service.player.authentication import Bearer
from service.player.errors import BadToken
from service.projection.errors import DatabaseError
from service.tracing.tracing import is_tracing

PATHS: Final = ("/api/v1/games", "/api/v1/puzzles", "/api/v1/search")
"""The beginnings of the paths whose answers may be cached."""
STATUSES: Final = ("200", "304")
UNHEARD: Final = frozenset(
    {"HTTP_AUTHORIZATION", "HTTP_CONNECTION", "HTTP_KEEP_ALIVE", "HTTP_USER_AGENT"}
)
"""Headers that no answer depends on, or that are examined otherwise."""
BARRED: Final = ("HTTP_COOKIE", "HTTP_TRANSFER_ENCODING", WITHIN)
"""What a request whose answer is cached must not have: cookies are for the pages to interpret."""
PAUSE: Final = 2.0
"""Seconds for which nothing is cached after the store could not report changes."""

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]


def register_ready_answers(app: Flask, parts: WebParts) -> None:
    """Answer from ready bytes if the store can report changes and requests are not traced."""
    tracked = parts.service.tracked
    if tracked is not None and not is_tracing():
        app.wsgi_app = ReadyAnswers(app.wsgi_app, parts, tracked)  # type: ignore[method-assign]


@dataclass(slots=True)
class Head:
    """What an application has sent before the body."""

    status: str = ""
    headers: tuple[tuple[str, str], ...] = ()


class ReadyAnswers:
    """A WSGI application in front of the service's, which keeps some of its answers."""

    def __init__(self, application: Application, parts: WebParts, tracked: TrackedKeys) -> None:
        self.application = application
        self.parts = parts
        self.tracked = tracked
        self.cache = AnswerCache()
        self._names: tuple[tuple[int, int], int] | None = None
        self._paused_until = float("-inf")

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        if not is_candidate(environ):
            return self.application(environ, start_response)
        begun = time.perf_counter()
        if begun < self._paused_until:
            return self.application(environ, start_response)
        try:
            header = environ.get("HTTP_AUTHORIZATION")
            bearers = self.parts.service.bearers
            bearer = None if header is None else bearers.authenticate(parse_bearer(header))
            request = describe(environ, bearer)
            answer = self.cache.find(request)
            if answer is None:
                return self._answer_anew(request, None, environ, start_response)
            self.tracked.catch_up()
            if not self._holds(answer.basis):
                return self._answer_anew(request, answer, environ, start_response)
            if self.parts.rate_limit is not None:
                self.parts.rate_limit.count_for(name_client(bearer, environ))
        except (BadToken, TooManyRequests, RedisError, DatabaseError) as error:
            if isinstance(error, RedisError):
                self._pause()
            elif isinstance(error, TooManyRequests):
                environ[COUNTED] = error
            # The application reports what is wrong, or does without.
            return self.application(environ, start_response)
        seconds = time.perf_counter() - begun
        self.parts.metrics.count("GET", answer.route, int(answer.status[:3]), seconds)
        start_response(answer.status, list(answer.headers))
        return [answer.body]

    def _answer_anew(
        self,
        request: Hashable,
        old: Answer | None,
        environ: Environ,
        start_response: StartResponse,
    ) -> Iterable[bytes]:
        """Have the application answer, and keep that if nothing it is based on changes meanwhile.

        If there was an `old` answer, its basis is tracked from before the request.
        """
        if old is not None:
            self.tracked.track(old.basis.keys)
        since = self.tracked.now
        state = self.parts.service.database.state()
        names = self._read_names(state)
        head = Head()

        def start(status: str, headers: list[tuple[str, str]], *given: object) -> Any:
            # The server notes of each answer when it is sent.
            head.headers = tuple(one for one in headers if one[0] != "Date")
            head.status = status
            return start_response(status, headers, *given)

        with note_reads() as reads:
            answered = self.application(environ, start)
        route = environ.get(ROUTE)
        if route is None or head.status[:3] not in STATUSES or not reads.is_sure:
            return answered
        body = read_whole(answered)
        rests_on_lists = reads.tables or reads.names
        if rests_on_lists and (state is None or names is None):
            return [body]
        basis = Basis(
            keys=frozenset(reads.keys),
            tracked=since,
            tables=state if reads.tables else None,
            names=names if reads.names else None,
            lag=reads.lag,
        )
        # What the store cannot report now is requested the next time.
        with suppress(RedisError):
            self._keep(request, Answer(route, head.status, head.headers, body, basis))
        return [body]

    def _keep(self, request: Hashable, answer: Answer) -> None:
        """Keep an answer; it can be sent again once all of its keys are tracked."""
        self.cache.put(request, answer)
        self.tracked.track(answer.basis.keys)

    def _holds(self, basis: Basis) -> bool:
        """Whether an answer made from this would be the same now, as far as this process knows."""
        if not self.tracked.hold(basis.keys, basis.tracked):
            return False
        if basis.tables is not None or basis.names is not None:
            state = self.parts.service.database.state()
            if state is None or basis.tables not in (None, state):
                return False
            if basis.names is not None and self._read_names(state) != basis.names:
                return False
        return basis.lag is None or basis.lag == self.parts.service.lag.events()

    def _read_names(self, state: tuple[int, int] | None) -> int | None:
        """The version of the players' names, which is read once in each state of the tables.

        None if the database has no answer: games are read without it.
        """
        if state is None:
            return None
        known = self._names
        if known is None or known[0] != state:
            version = self.parts.service.namesakes.read_version()
            if version is None:
                return None
            self._names = known = state, version
        return known[1]

    def resume(self) -> None:
        """Keep answers again from now on."""
        self._paused_until = float("-inf")

    def _pause(self) -> None:
        """Keep nothing for a while: the store is away, or cannot be asked for changes."""
        self._paused_until = time.perf_counter() + PAUSE


def is_candidate(environ: Environ) -> bool:
    """Whether the answer to a request may be cached, as far as its headers show."""
    return (
        environ["REQUEST_METHOD"] == "GET"
        and environ["PATH_INFO"].startswith(PATHS)
        and environ.keys().isdisjoint(BARRED)
        and not environ.get("CONTENT_LENGTH")
    )


def describe(environ: Environ, bearer: Bearer | None) -> Hashable:
    """Everything in a request that its answer could depend on: the client, and all it says."""
    said = [
        item for item in environ.items() if item[0].startswith("HTTP_") and item[0] not in UNHEARD
    ]
    said.sort()
    return (
        environ["PATH_INFO"],
        environ.get("QUERY_STRING", ""),
        environ.get("SCRIPT_NAME", ""),
        environ.get("wsgi.url_scheme"),
        bearer,
        tuple(said),
    )


def name_client(bearer: Bearer | None, environ: Environ) -> str:
    """The client whose rate limit counts the request, as in `service.api.context.name_client`."""
    return name_address(environ.get("REMOTE_ADDR")) if bearer is None else bearer.actor.player


def read_whole(body: Iterable[bytes]) -> bytes:
    """The whole of an answer that was not sent yet; it is closed as a server would close it."""
    try:
        return b"".join(body)
    finally:
        close = getattr(body, "close", None)
        if close is not None:
            close()
