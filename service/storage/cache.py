"""What is kept in Redis to save work, and can be lost at any time."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from redis.exceptions import ResponseError


def keep(pipeline: Any) -> None:
    """Carry out writes of what can be made again.

    A store that is full, or only a replica, refuses them: whoever reads must not be refused then.
    """
    with suppress(ResponseError):
        pipeline.execute()
