"""What can go wrong with a webhook.

ServiceError
├── TooManyWebhooks   a player has as many as may be                  too-many-webhooks
└── CannotDeliver     the receiver was not reached, or may not be     cannot-deliver
"""

from __future__ import annotations

from service.errors import ServiceError


class TooManyWebhooks(ServiceError):
    """A player has as many webhooks as one may have."""

    code = "too-many-webhooks"

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit

    def __str__(self) -> str:
        return f"{self.limit} webhooks are registered already; delete one"


class CannotDeliver(ServiceError):
    """No answer came from the receiver; `reason` is for its owner to read."""

    code = "cannot-deliver"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return self.reason
