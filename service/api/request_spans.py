"""A span for each request, if this process traces (`service.tracing.tracing`)."""

from __future__ import annotations

from http import HTTPMethod
from typing import TYPE_CHECKING, Final

from flask import Flask, Response, g, request

from service.tracing.tracing import CARRIED, is_tracing, start_request

if TYPE_CHECKING:
    from opentelemetry.trace import Span

METHODS: Final = frozenset(HTTPMethod)
OTHER: Final = "_OTHER"
"""Stands for a method that clients may have invented."""


def register_request_spans(app: Flask) -> None:
    """Trace requests from now on; a span ends when its answer begins, even if that is a stream."""
    if not is_tracing():
        return
    from opentelemetry import context, trace

    @app.before_request
    def begin() -> None:
        method = request.method if request.method in METHODS else OTHER
        route = request.url_rule.rule if request.url_rule else None
        headers = {name: request.headers[name] for name in CARRIED if name in request.headers}
        g.span = start_request(method, route, headers)
        g.span_token = context.attach(trace.set_span_in_context(g.span))

    @app.after_request
    def end(response: Response) -> Response:
        if "span" in g:
            describe_answer(g.span, response.status_code)
        return response

    @app.teardown_request
    def leave(error: BaseException | None) -> None:
        if "span" in g:
            context.detach(g.pop("span_token"))
            g.pop("span").end()


def describe_answer(span: Span, status: int) -> None:
    """Note the status of an answer; a fault of the service makes the span an error."""
    from opentelemetry.trace import StatusCode

    span.set_attribute("http.response.status_code", status)
    if status >= 500:
        span.set_attribute("error.type", str(status))
        span.set_status(StatusCode.ERROR)
