"""What HTTP itself adds to what can be refused.

ServiceError
└── RequestError
    ├── MissingToken      401  missing-token
    ├── MalformedJson     400  malformed-json
    ├── MalformedHeader   400  malformed-header
    ├── BadParameter      400  bad-parameter
    ├── WrongMediaType    415  wrong-media-type
    ├── NotAcceptable     406  not-acceptable
    ├── StaleMatch        412  stale-match
    ├── TooManyRequests   429  too-many-requests
    ├── BadCsrfToken      403  bad-csrf-token
    ├── TooManyConnections 429 too-many-connections
    └── TooManyStreams    503  too-many-streams
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.errors import ServiceError


class RequestError(ServiceError):
    """Base of the HTTP layer's own errors."""


class MissingToken(RequestError):
    """The request needs a bearer token and has none."""

    code = "missing-token"
    message = "send Authorization: Bearer <token>; POST /api/v1/players gives one"


class MalformedJson(RequestError):
    """The body is no JSON object."""

    code = "malformed-json"
    message = "{reason}"
    reason: str


class MalformedHeader(RequestError):
    """A header whose value cannot be."""

    code = "malformed-header"
    message = "{name}: {reason}"
    name: str
    reason: str


class BadParameter(RequestError):
    """A query parameter that is unknown or whose value cannot be."""

    code = "bad-parameter"
    message = "{parameter}: {reason}"
    parameter: str
    reason: str


class WrongMediaType(RequestError):
    """The body is of a type this path does not read."""

    code = "wrong-media-type"

    expected: tuple[str, ...]

    def __str__(self) -> str:
        return f"send Content-Type: {' or '.join(self.expected)}"


class NotAcceptable(RequestError):
    """The client accepts none of the types there are."""

    code = "not-acceptable"

    offered: tuple[str, ...]

    def __str__(self) -> str:
        return f"there is only {', '.join(self.offered)}"


class StaleMatch(RequestError):
    """`If-Match` names another version than the newest; `members` tell what was missed."""

    code = "stale-match"
    message = "the game has moved on; see missed"
    members: Mapping[str, Any]


class BadCsrfToken(RequestError):
    """A change with a session's cookie that does not show the session's CSRF token."""

    code = "bad-csrf-token"
    message = "the page is out of date, or another site's: load it again"


class TooManyRequests(RequestError):
    """The rate limit is reached; `retry_after` is in seconds."""

    code = "too-many-requests"
    message = "more than {limit}; wait {retry_after} s"
    limit: str
    retry_after: int


class TooManyConnections(RequestError):
    """An address holds as many connections as one may; `retry_after` is in seconds."""

    code = "too-many-connections"
    message = "{limit} connections of your address are open; close some, or use each again"
    retry_after = 5
    limit: int


class TooManyStreams(RequestError):
    """This process holds as many event streams as it may; `retry_after` is in seconds."""

    code = "too-many-streams"
    retry_after = 5
    message = "{limit} streams are open; try again later"
    limit: int
