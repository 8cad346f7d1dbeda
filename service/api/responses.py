"""Builds answers: JSON, NDJSON, cached ones, and chooses the media type."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from typing import Any, Final

from flask import Response, request

from service.api.conditional_answers import make_conditional
from service.api.context import get_web
from service.api.errors import NotAcceptable
from service.languages.catalogue import SOURCE
from service.languages.texts import get_language

JSON = "application/json"
NDJSON = "application/x-ndjson"
PGN = "application/x-chess-pgn"
PARQUET = "application/vnd.apache.parquet"
TEXT = "text/plain"
PROBLEM = "application/problem+json"

CONFINED: Final = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
"""Headers that let an answer do nothing in a browser."""

write_json: Final[Callable[[object], str]] = json.JSONEncoder(separators=(",", ":")).encode
"""A value as JSON. It is only ASCII, so that no text from a client can fail to encode."""


def respond_json(
    body: object,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    mimetype: str = JSON,
) -> Response:
    """A JSON answer."""
    response = Response(write_json(body), status, mimetype=mimetype)
    if headers:
        response.headers.update(headers)
    return response


def write_ndjson_line(body: object) -> str:
    """One line of NDJSON."""
    return write_json(body) + "\n"


def choose_media_type(*offered: str) -> str:
    """Choose the best of the offered media types for this request; raises NotAcceptable."""
    best = request.accept_mimetypes.best_match(offered)
    if best is None and request.headers.get("Accept"):
        raise NotAcceptable(offered)
    return best or offered[0]


def answer_cached(response: Response, etag: str) -> Response:
    """Add an ETag to the answer, or answer 304 if the client already has it.

    Raises what `make_conditional` raises, as `answer_by_content` does.

    `etag` names what the answer is made from; another release may make a different answer.
    """
    return _answer_tagged(response, etag, f"-{get_web().release}")


def answer_by_content(response: Response, digest: str | None = None) -> Response:
    """The same with an ETag of the content: `digest`, or a digest of its bytes."""
    return _answer_tagged(response, digest or digest_content(response.get_data()))


def digest_content(content: bytes) -> str:
    """The ETag of an answer that only its whole content identifies."""
    return sha256(content).hexdigest()[:24]


def _answer_tagged(response: Response, etag: str, release: str = "") -> Response:
    language = get_language()
    response.set_etag(f"{etag}{'' if language == SOURCE else f'-{language}'}{release}")
    response.headers["Vary"] = "Accept, Accept-Language, Authorization, Cookie"
    private = "Authorization" in request.headers
    response.headers["Cache-Control"] = f"{'private' if private else 'public'}, no-cache"
    return make_conditional(response)


def answer_unchanged(etag: str) -> Response | None:
    """A 304 if the client already has the answer with this ETag, before that is made.

    None if an `If-Match` has to be compared first, with the ETag of the whole answer.
    """
    if "HTTP_IF_MATCH" in request.environ:
        return None
    response = answer_cached(Response(mimetype=JSON), etag)
    return response if response.status_code == HTTPStatus.NOT_MODIFIED else None


@cache
def make_picture_policy(style: str) -> str:
    """Return the content security policy of a picture: it may use its own style sheet only."""
    return f"default-src 'none'; style-src {hash_source(style)}"


def hash_source(text: str) -> str:
    """The source of an inline style sheet or script in a content security policy."""
    digest = base64.b64encode(sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def make_page(items: Sequence[Any], next_cursor: str | None) -> dict[str, Any]:
    """One page of a list."""
    return {"items": list(items), "next_cursor": next_cursor}
