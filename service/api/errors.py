"""Errors of HTTP requests themselves.

ServiceError
└── RequestError
    ├── MissingToken      401  missing-token
    ├── MalformedJson     400  malformed-json
    ├── MalformedHeader   400  malformed-header
    ├── BadParameter      400  bad-parameter
    ├── WrongMediaType    415  wrong-media-type
    ├── NotAcceptable     406  not-acceptable
    ├── ParquetUnavailable 406 parquet-unavailable
    ├── StaleMatch        412  stale-match
    ├── OtherTag          412  other-etag
    ├── TooManyRequests   429  too-many-requests
    ├── BadLine           400  bad-line
    ├── LineTooLong       400  line-too-long
    ├── TooManyLines      422  too-many-lines
    ├── BadCsrfToken      403  bad-csrf-token
    ├── TooManyConnections 429 too-many-connections
    ├── TooManyPictures   503  too-many-pictures
    ├── TooManyStreams    503  too-many-streams
    ├── StreamsElsewhere  421  streams-elsewhere
    └── Draining          503  shutting-down
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.phrase import Say
from service.errors import ServiceError


class RequestError(ServiceError):
    """Base of the HTTP layer's own errors."""


class MissingToken(RequestError):
    """The request needs a bearer token and has none."""

    code = "missing-token"
    message = (
        "this request needs a token: send Authorization: Bearer <token>;"
        " POST /api/v1/players creates a player with one"
    )


class MalformedJson(RequestError):
    """The body is not a JSON object."""

    code = "malformed-json"
    message = "{reason}"
    reason: str


class MalformedHeader(RequestError):
    """A header has an invalid value."""

    code = "malformed-header"
    message = "{name}: {reason}"
    name: str
    reason: str


class BadParameter(RequestError):
    """A query parameter is unknown or has an invalid value."""

    code = "bad-parameter"
    message = "{parameter}: {reason}"
    parameter: str
    reason: str


class WrongMediaType(RequestError):
    """The body has a content type that this path does not read."""

    code = "wrong-media-type"

    expected: tuple[str, ...]

    def describe(self, say: Say) -> str:
        types = " | ".join(self.expected)
        return say("unsupported Content-Type: send {types}").format(types=types)


class NotAcceptable(RequestError):
    """The client accepts none of the types that this path offers."""

    code = "not-acceptable"

    offered: tuple[str, ...]

    def describe(self, say: Say) -> str:
        types = " | ".join(self.offered)
        return say("no type in Accept is offered: accept {types}").format(types=types)


class ParquetUnavailable(RequestError):
    """A Parquet file is requested of a service without the extra that writes it."""

    code = "parquet-unavailable"
    message = (
        "this service cannot write Parquet files; its operator can install what is needed with"
        " pip install 'movelog[parquet]', and other types are application/x-chess-pgn and"
        " application/x-ndjson"
    )


class StaleMatch(RequestError):
    """`If-Match` names an old version; `members` has the events missed since then."""

    code = "stale-match"
    message = "the game has changed since that version: read missed, then decide again"
    members: Mapping[str, Any]


class OtherTag(RequestError):
    """An answer has the ETag `current`, in quotes, which the `If-Match` of its request lacks."""

    code = "other-etag"
    message = "the ETag is now {current}, which If-Match does not name: read it without If-Match"
    current: str


class BadCsrfToken(RequestError):
    """A change with a session's cookie lacks the session's CSRF token."""

    code = "bad-csrf-token"
    message = "the form is out of date or from another site: reload the page and try again"


class BadLine(RequestError):
    """A line of the body is not a JSON object."""

    code = "bad-line"
    message = "the line is {reason}"
    reason: str


class LineTooLong(RequestError):
    """A line of the body has more bytes than allowed."""

    code = "line-too-long"
    message = "the line has more than {limit} bytes"
    limit: int


class TooManyLines(RequestError):
    """The body has more lines than allowed; nothing was done."""

    code = "too-many-lines"
    message = "the body has more than {limit} lines, and nothing was done: send them in parts"
    limit: int


class TooManyRequests(RequestError):
    """The rate limit is reached; `retry_after` is in seconds."""

    code = "too-many-requests"
    message = "too many requests, more than {limit}: try again in {retry_after} s"
    limit: str
    retry_after: int


class TooManyConnections(RequestError):
    """An address has as many connections as allowed; `retry_after` is in seconds."""

    code = "too-many-connections"
    message = "your address has {limit} connections open: close some, or reuse them"
    retry_after = 5
    limit: int


class TooManyPictures(RequestError):
    """As many pictures are being drawn as possible; `retry_after` is in seconds."""

    code = "too-many-pictures"
    message = "too many pictures are being drawn: try again later, or take the SVG and draw it"
    retry_after = 3


class TooManyStreams(RequestError):
    """This process has as many event streams as allowed; `retry_after` is in seconds."""

    code = "too-many-streams"
    retry_after = 5
    message = "this server has {limit} event streams open: try again later"
    limit: int


class StreamsElsewhere(RequestError):
    """An event stream was requested from a process that leaves them to others."""

    code = "streams-elsewhere"
    message = (
        "event streams are not answered here: the proxy in front of this service has to pass their"
        " paths to `movelog streams`"
    )


class Draining(RequestError):
    """The process is about to end; `retry_after` is in seconds."""

    code = "shutting-down"
    message = "this process is shutting down and accepts no new requests: send them to another one"
    retry_after = 1
