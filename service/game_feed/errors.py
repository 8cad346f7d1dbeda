"""What the feed of all games refuses.

ServiceError
└── GameFeedError
    ├── UnknownFilter      a filter, or its value, does not exist        unknown-filter
    ├── BadPosition        not a position that this service issued      bad-position
    └── UnknownPosition    the event at this position is gone           unknown-position
"""

from __future__ import annotations

from service.errors import ServiceError


class GameFeedError(ServiceError):
    """Base of what the feed of all games refuses."""


class UnknownFilter(GameFeedError):
    """A filter that does not exist, or whose value means nothing here; `parameter` names it."""

    code = "unknown-filter"
    message = "{parameter}: {reason}"
    parameter: str
    reason: str


class BadPosition(GameFeedError):
    """A text that is not a position issued by this service."""

    code = "bad-position"
    message = (
        "this position is not from this service: send one as you received it, or `start` or `now`"
    )


class UnknownPosition(GameFeedError):
    """The event before a position is not, or no longer, in the log."""

    code = "unknown-position"
    message = (
        "the log no longer has the events read up to this position, perhaps because a backup was"
        " restored: compare what you have with the games, or read again from `start`"
    )
