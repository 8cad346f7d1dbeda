"""Whether a stream's follower still may follow it: tokens and sessions can end meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable

from redis.exceptions import RedisError

from service.api.context import find_bearer, get_service, read_bearer
from service.api.player_stream import RETRY
from service.player.errors import BadToken

Lasts = Callable[[], bool]
"""Whether the token or the session with which a stream was requested is still valid."""


def everlasting() -> bool:
    """Return that a stream of what everybody may know goes on, whoever requested it."""
    return True


def watch_rights() -> Lasts:
    """A function that says later whether this request's token or session is still valid.

    It returns true for a request without either. While the store is away, its caller waits.
    """
    if find_bearer() is None:
        return everlasting
    bearer, bearers = read_bearer(), get_service().bearers

    def lasts() -> bool:
        while True:
            try:
                bearers.authenticate(bearer)
            except BadToken:
                return False
            except RedisError:
                time.sleep(RETRY)
            else:
                return True

    return lasts
