"""Whether who follows a stream still may: tokens are revoked and sessions end while it goes on."""

from __future__ import annotations

import time
from collections.abc import Callable

from redis.exceptions import RedisError

from service.api.context import find_bearer, get_service, read_bearer
from service.api.player_stream import RETRY
from service.player.errors import BadToken

Lasts = Callable[[], bool]
"""Whether the token or the session that a stream was asked for with is still good."""


def watch_rights() -> Lasts:
    """What tells later whether this request's token or session is still good; for nobody it is.

    While the store is away, whoever asks waits for it.
    """
    if find_bearer() is None:
        return lambda: True
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
