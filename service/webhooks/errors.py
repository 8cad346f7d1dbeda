"""Errors of webhooks.

ServiceError
├── TooManyWebhooks   a player has the maximum number                too-many-webhooks
└── CannotDeliver     the receiver was not reached, or must not be   cannot-deliver
"""

from __future__ import annotations

from service.errors import ServiceError


class TooManyWebhooks(ServiceError):
    """A player already has the maximum number of webhooks."""

    code = "too-many-webhooks"
    message = "{limit} webhooks are registered already; delete one"
    limit: int


class CannotDeliver(ServiceError):
    """No answer came from the receiver; `reason` is for its owner to read."""

    code = "cannot-deliver"
    message = "{reason}"
    reason: str
