"""Errors as problem+json (RFC 9457).

`problem_statuses` has the status and title of each error.

`code` is stable and meant for programs; `detail` is a sentence for people. Errors add further
members (`field`, `nearest`, `actual`, …).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from flask import Flask, Response
from gunicorn.http.errors import ParseException
from marshmallow import ValidationError
from redis.exceptions import RedisError
from werkzeug.exceptions import BadRequest, HTTPException

from engine import errors as engine_errors
from engine.described_error import DescribedError
from engine.phrase import translate
from service.api.field_messages import recognise_messages
from service.api.problem_statuses import HTTP_CODES, HTTP_DETAILS, STATUSES
from service.api.responses import respond_json
from service.languages.texts import gettext, mark
from service.log.replication import TooFewReplicas
from service.projection import errors as projection_errors
from service.storage import errors as storage_errors
from service.storage.capacity import describe_full_storage
from service.storage.outage_log import OutageLog

logger = logging.getLogger(__name__)
outages = OutageLog(logger)

RETRY_AFTER = 1
"""Seconds after which an unavailable store may be back."""

SHOWN = (
    "field", "kind", "id", "scope", "side", "status", "offer", "expected", "actual", "nearest",
    "combat", "token", "name", "known", "limit", "retry_after", "parameter", "what", "tag", "asked",
    "played", "offered", "stored_name", "expires_at", "reserved",
    "word", "scripts", "variation", "column", "ply",
)  # fmt: skip
"""Attributes of errors that a problem shows; all others stay internal."""


def make_problem(
    status: int,
    title: str,
    code: str,
    detail: str,
    members: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """One problem document."""
    body = {"type": f"urn:movelog:problem:{code}", "title": gettext(title), "status": status}
    body |= {"code": code, "detail": detail} | dict(members or {})
    return respond_json(body, status, headers, mimetype="application/problem+json")


def find_code(error: type[Exception]) -> str:
    """The stable code of an error in the table."""
    if error is engine_errors.UnknownVariant:
        return "unknown-variant"
    return str(getattr(error, "code", "error"))


def describe_error(error: Exception) -> Response:
    """The problem for an error in the table."""
    status, title = STATUSES[type(error)]
    members = {
        ("state" if name == "status" else name): translate(getattr(error, name), gettext)
        for name in SHOWN
        if getattr(error, name, None) is not None
    }
    headers = {}
    if status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="movelog"'
    if status in (503, 507):
        members.setdefault("retry_after", RETRY_AFTER)
    if "retry_after" in members:
        headers["Retry-After"] = str(members["retry_after"])
    members |= getattr(error, "members", {})
    return make_problem(status, title, find_code(type(error)), describe(error), members, headers)


def describe(error: Exception) -> str:
    """The error's sentence for people.

    For the database and the object store, whose errors name files and hosts, it is a public one,
    and the error itself is logged.

    What it leaves out is logged.
    """
    if isinstance(error, projection_errors.DatabaseError | storage_errors.ObjectsAway):
        logger.warning("%s", error)
        return gettext(error.public)
    return error.describe(gettext) if isinstance(error, DescribedError) else str(error)


def describe_validation_error(error: ValidationError) -> Response:
    """The problem of a body that does not fit its schema, with the messages by field."""
    return make_problem(
        422,
        mark("The request does not fit its schema"),
        "invalid-request",
        gettext("see errors, by field"),
        {"errors": translate(recognise_messages(error.messages), gettext)},
    )


def describe_http_error(error: HTTPException) -> Response:
    """The problem for errors of Flask itself (no such path, wrong method, too large)."""
    status = error.code or 500
    code = HTTP_CODES.get(status, "http-error")
    kept = {k: v for k, v in error.get_headers() if k not in ("Content-Type", "Content-Length")}
    detail = gettext(HTTP_DETAILS.get(status, error.description or error.name))
    return make_problem(status, error.name, code, detail, headers=kept)


def describe_parse_error(error: ParseException) -> Response:
    """The problem of a body whose chunks gunicorn cannot read."""
    return describe_http_error(BadRequest())


def describe_outage(error: Exception) -> Response:
    """The problem for a store that has no room, or one that cannot be reached.

    In the latter case, it is unknown whether an unacknowledged request was carried out. A request
    whose events too few replicas have was carried out, but its events may yet be lost.
    """
    if (full := describe_full_storage(error)) is not None:
        return describe_error(full)
    if outages.is_due(error):
        logger.warning("the log fails: %s", error)
    if isinstance(error, TooFewReplicas):
        return make_problem(
            503,
            mark("Too few copies of the log keep up"),
            "too-few-replicas",
            gettext("try again with the same Idempotency-Key, so that nothing happens twice"),
            {"retry_after": RETRY_AFTER},
            {"Retry-After": str(RETRY_AFTER)},
        )
    return make_problem(
        503,
        mark("The log cannot be reached"),
        "log-unavailable",
        gettext("try again with the same Idempotency-Key, so that nothing happens twice"),
        {"retry_after": RETRY_AFTER},
        {"Retry-After": str(RETRY_AFTER)},
    )


def register_problems(app: Flask) -> None:
    """Let the app answer every error with a problem."""
    for cls in STATUSES:
        app.register_error_handler(cls, describe_error)
    app.register_error_handler(ValidationError, describe_validation_error)
    app.register_error_handler(HTTPException, describe_http_error)
    app.register_error_handler(ParseException, describe_parse_error)
    app.register_error_handler(RedisError, describe_outage)
