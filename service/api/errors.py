"""What HTTP itself adds to what can be refused.

ServiceError
└── Refusal
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

from collections.abc import Mapping, Sequence
from typing import Any

from service.errors import ServiceError


class Refusal(ServiceError):
    """Base of the HTTP layer's own errors."""


class MissingToken(Refusal):
    """The request needs a bearer token and has none."""

    code = "missing-token"

    def __str__(self) -> str:
        return "send Authorization: Bearer <token>; POST /api/v1/players gives one"


class MalformedJson(Refusal):
    """The body is no JSON object."""

    code = "malformed-json"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


class MalformedHeader(Refusal):
    """A header whose value cannot be."""

    code = "malformed-header"

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name, reason)
        self.name = name
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


class BadParameter(Refusal):
    """A query parameter that is unknown or whose value cannot be."""

    code = "bad-parameter"

    def __init__(self, parameter: str, reason: str) -> None:
        super().__init__(parameter, reason)
        self.parameter = parameter
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.parameter}: {self.reason}"


class WrongMediaType(Refusal):
    """The body is of a type this path does not read."""

    code = "wrong-media-type"

    def __init__(self, expected: Sequence[str]) -> None:
        super().__init__(expected)
        self.expected = tuple(expected)

    def __str__(self) -> str:
        return f"send Content-Type: {' or '.join(self.expected)}"


class NotAcceptable(Refusal):
    """The client accepts none of the types there are."""

    code = "not-acceptable"

    def __init__(self, offered: Sequence[str]) -> None:
        super().__init__(offered)
        self.offered = tuple(offered)

    def __str__(self) -> str:
        return f"there is only {', '.join(self.offered)}"


class StaleMatch(Refusal):
    """`If-Match` names another version than the newest; `members` tell what was missed."""

    code = "stale-match"

    def __init__(self, members: Mapping[str, Any]) -> None:
        super().__init__(members)
        self.members = members

    def __str__(self) -> str:
        return "the game has moved on; see missed"


class BadCsrfToken(Refusal):
    """A change with a session's cookie that does not show the session's CSRF token."""

    code = "bad-csrf-token"

    def __str__(self) -> str:
        return "the page is out of date, or another site's: load it again"


class TooManyRequests(Refusal):
    """The rate limit is reached; `retry_after` is in seconds."""

    code = "too-many-requests"

    def __init__(self, limit: str, retry_after: int) -> None:
        super().__init__(limit, retry_after)
        self.limit = limit
        self.retry_after = retry_after

    def __str__(self) -> str:
        return f"more than {self.limit}; wait {self.retry_after} s"


class TooManyConnections(Refusal):
    """An address holds as many connections as one may; `retry_after` is in seconds."""

    code = "too-many-connections"
    retry_after = 5

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit

    def __str__(self) -> str:
        return f"{self.limit} connections of your address are open; close some, or use each again"


class TooManyStreams(Refusal):
    """This process holds as many event streams as it may; `retry_after` is in seconds."""

    code = "too-many-streams"
    retry_after = 5

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit

    def __str__(self) -> str:
        return f"{self.limit} streams are open; try again later"
