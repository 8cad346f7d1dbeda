"""The Flask application."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from flask import Flask, Request, Response, g, request
from flask.globals import request_ctx
from flask_cors import CORS
from werkzeug.routing import BaseConverter, MapAdapter, Rule

from service.api.action_lines import action_lines
from service.api.analyses import analyses
from service.api.boards import boards
from service.api.compression import register_compression
from service.api.context import EXTENSION, WebParts
from service.api.direct_actions import BEGUN, register_direct_actions
from service.api.draining import Drain
from service.api.event_hub import Hub
from service.api.exports import exports
from service.api.game_boards import game_boards
from service.api.game_feed import game_feed
from service.api.games import games
from service.api.imports import imports
from service.api.lobby import lobby
from service.api.mail import mail
from service.api.merging import merging
from service.api.metrics import Metrics
from service.api.player_reports import player_reports
from service.api.players import players
from service.api.problems import register_problems
from service.api.process_part import Part, refuse_others
from service.api.puzzle_attempts import puzzle_attempts
from service.api.puzzle_withdrawals import puzzle_withdrawals
from service.api.puzzles import puzzles
from service.api.rate_limits import RateLimit, check_token
from service.api.ratings import ratings
from service.api.ready_answers import register_ready_answers
from service.api.request_spans import register_request_spans
from service.api.responses import CONFINED
from service.api.search import search
from service.api.service_info import docs, meta
from service.api.shared_boards import SharedBoards
from service.api.standings import results
from service.api.streams import streams
from service.api.tournament_reports import reports
from service.api.tournaments import tournaments
from service.api.trusted_proxies import TrustedProxies
from service.api.variant_boards import variant_boards
from service.api.watched_boards import watched_boards
from service.api.webhooks import webhooks
from service.composition.service import Service
from service.game_feed.position import PositionCipher
from service.game_feed.reader import GameFeed
from service.ids import ID
from service.pages.site import register_pages
from service.storage.release import digest_release


class IdConverter(BaseConverter):
    """An id in a path; a path with anything else does not match."""

    regex = ID.pattern.removesuffix(r"\Z")


class Route(Rule):
    """A rule that compiles its URL builder on first use: few routes ever build a URL."""

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        compiled = cache(super()._compile_builder)

        def build(rule: Rule, **values: Any) -> tuple[str, str]:
            return compiled(append_unknown)(rule, **values)

        return build


HOST_VARIABLES: Final = (
    *("wsgi.url_scheme", "HTTP_HOST", "SERVER_NAME", "SERVER_PORT", "SCRIPT_NAME"),
)
"""The variables of a request that say where it was sent."""
MOST_HOSTS: Final = 100


class Application(Flask):
    """A Flask application that has only plain functions, and that remembers hosts."""

    url_rule_class = Route

    def __init__(self, name: str) -> None:
        super().__init__(name, static_folder=None)
        self._hosts: dict[tuple[str | None, ...], tuple[str, str, str, str | None]] = {}

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """Flask's finder of the request's view, which does not check a known host again."""
        if request is None or self.config["TRUSTED_HOSTS"] or "HTTP_UPGRADE" in request.environ:
            return super().create_url_adapter(request)
        environ = request.environ
        key = tuple(map(environ.get, HOST_VARIABLES))
        known = self._hosts.get(key)
        if known is None:
            made = super().create_url_adapter(request)
            assert made is not None
            # Clients can invent hosts.
            if len(self._hosts) >= MOST_HOSTS:
                self._hosts.clear()
            self._hosts[key] = request.host, made.server_name, made.script_name, made.subdomain
            return made
        request.host, server, script, subdomain = known
        return MapAdapter(
            self.url_map,
            server,
            script,
            subdomain,
            environ["wsgi.url_scheme"],
            environ.get("PATH_INFO", "/").encode("latin-1").decode(errors="replace"),
            environ["REQUEST_METHOD"],
            request.query_string.decode(errors="replace"),
        )

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """The function itself; Flask would check each one at every request for being async."""
        return func


def create_app(service: Service, part: Part = Part.WHOLE) -> Flask:
    """The application over these parts, for a process that answers all requests or some."""
    app = Application("movelog")
    register_compression(app)
    feed = GameFeed(service.log)
    hub = Hub(service.log, feed, most_for_one=service.settings.streams_per_address)
    metrics = Metrics(hub, service)
    positions = PositionCipher(service.secret, service.log.partitions)
    limit = service.settings.rate_limit
    rate_limit = RateLimit(limit, service.store) if limit else None
    shared = SharedBoards(service.games)
    drain, release = Drain(), digest_release()
    parts = WebParts(service, hub, shared, metrics, feed, positions, rate_limit, drain, release)
    app.extensions[EXTENSION] = parts
    if part is not Part.STREAMS:
        register_direct_actions(app, parts)
    register_ready_answers(app, parts)
    app.url_map.converters["id"] = IdConverter
    app.config["MAX_CONTENT_LENGTH"] = service.settings.max_body
    app.url_map.strict_slashes = False
    for blueprint in (games, boards, search, exports, players, imports, webhooks, streams, meta):
        app.register_blueprint(blueprint)
    for blueprint in (analyses, tournaments, results, reports, ratings, player_reports, merging):
        app.register_blueprint(blueprint)
    for blueprint in (game_boards, variant_boards, watched_boards):
        app.register_blueprint(blueprint)
    for blueprint in (puzzles, puzzle_attempts, puzzle_withdrawals):
        app.register_blueprint(blueprint)
    app.register_blueprint(game_feed)
    app.register_blueprint(lobby)
    app.register_blueprint(mail)
    app.register_blueprint(action_lines)
    app.register_blueprint(docs)
    register_pages(app)
    register_problems(app)
    if service.settings.cors_origins:
        CORS(
            app,
            origins=list(service.settings.cors_origins),
            expose_headers=["ETag", "Location", "Retry-After", "X-Next-Cursor", "X-Projection-Lag"],
        )
    if service.settings.trusted_proxies:
        app.wsgi_app = TrustedProxies(  # type: ignore[method-assign]
            app.wsgi_app, service.settings.trusted_proxies
        )
    register_request_spans(app)
    count_requests(app, metrics)
    if part is not Part.WHOLE:
        app.before_request(refuse_others(part))
    app.before_request(rate_limit.check if rate_limit else check_token)
    return app


def count_requests(app: Flask, metrics: Metrics) -> None:
    """Count every request, and measure how long its answer took to begin."""

    @app.before_request
    def begin() -> None:
        g.begun = request_ctx.request.environ.get(BEGUN) or time.perf_counter()

    @app.after_request
    def end(response: Response) -> Response:
        own = request_ctx.request
        route = own.url_rule.rule if own.url_rule else "none"
        # Clients can invent methods; a label must not grow with what they invent.
        method = own.method if own.url_rule else "any"
        begun = g.get("begun")
        seconds = None if begun is None else time.perf_counter() - begun
        metrics.count(method, route, response.status_code, seconds)
        confine(response)
        return response


def confine(response: Response) -> None:
    """Let no answer do anything in a browser or be shared, unless it says otherwise."""
    headers = response.headers
    said = {name.lower() for name, _ in headers}
    for name, value in CONFINED.items():
        if name.lower() not in said:
            headers.add(name, value)
    if "cache-control" not in said and "HTTP_AUTHORIZATION" in request.environ:
        headers.add("Cache-Control", "private, no-cache")
