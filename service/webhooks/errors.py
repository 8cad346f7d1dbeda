"""Errors of webhooks.

ServiceError
├── TooManyWebhooks   a player has as many as may be                  too-many-webhooks
└── CannotDeliver     the receiver was not reached, or may not be     cannot-deliver
"""

from __future__ import annotations

from service.errors import ServiceError


class TooManyWebhooks(ServiceError):
    """A player has as many webhooks as one may have."""

    code = "too-many-webhooks"
    message = "{limit} webhooks are registered already; delete one"
    limit: int


class CannotDeliver(ServiceError):
    """No answer came from the receiver; `reason` is for its owner to read."""

    code = "cannot-deliver"
    message = "{reason}"
    reason: str
