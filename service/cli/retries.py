"""When a request of a command is tried again, and for how long."""

from __future__ import annotations

from typing import Any, Final, Self

from urllib3 import BaseHTTPResponse
from urllib3.exceptions import MaxRetryError, ResponseError
from urllib3.util import Retry

LONGEST_WAIT: Final = 60.0
"""Seconds for which a request waits at most because its answers say when to try again."""


class BriefRetry(Retry):
    """Retries until the answers have asked for more waiting, in all, than LONGEST_WAIT."""

    waited = 0.0

    def increment(
        self,
        method: str | None = None,
        url: str | None = None,
        response: BaseHTTPResponse | None = None,
        *args: Any,
        **named: Any,
    ) -> Self:
        """Return what is left after another try; raises MaxRetryError if nothing is."""
        waited = self.waited + ((response and self.get_retry_after(response)) or 0)
        if waited > LONGEST_WAIT:
            raise MaxRetryError(named["_pool"], url or "", ResponseError("asked to wait too long"))
        left = super().increment(method, url, response, *args, **named)
        left.waited = waited
        return left


RETRIES = BriefRetry(
    total=12,
    backoff_factor=0.1,
    backoff_max=5,
    # A 429 is retried too, but only if it says when: otherwise waiting alone does not help.
    status_forcelist=(502, 503, 504),
    # Repeating a POST is safe: each of ours carries an idempotency key.
    allowed_methods=None,
    raise_on_status=False,
)
"""About 30 seconds of retries while the service is away or answers 429, 502, 503 or 504.

Where an answer says when to try again, a minute in all.
"""
