"""What the feed of all games refuses.

ServiceError
└── GameFeedError
    ├── UnknownFilter      a filter that there is not, or its value      unknown-filter
    ├── BadPosition        no position that this service has given      bad-position
    └── UnknownPosition    what was read up to there is gone            unknown-position
"""

from __future__ import annotations

from service.errors import ServiceError


class GameFeedError(ServiceError):
    """Base of what the feed of all games refuses."""


class UnknownFilter(GameFeedError):
    """A filter that there is not, or whose value means nothing here; `parameter` names it."""

    code = "unknown-filter"
    message = "{parameter}: {reason}"
    parameter: str
    reason: str


class BadPosition(GameFeedError):
    """A text that is no position that this service has given."""

    code = "bad-position"
    message = (
        "this is no position that this service has given: send one unchanged, or `start` or `now`"
    )


class UnknownPosition(GameFeedError):
    """The event that a position stands behind is not in the log (any more)."""

    code = "unknown-position"
    message = (
        "the log does not have what was read up to this position, perhaps since a backup was"
        " restored: compare what you have with the games, or read again from `start`"
    )
