"""A store into which a backup is being restored, or was restored in part."""

from __future__ import annotations

from typing import Final

import redis

from service.operations.errors import RestoreUnfinished

RESTORING_KEY: Final = "movelog:restoring"
"""Set in a store while a backup is being restored into it, and deleted with its last lines.

It says which backup, and into which places (`service.operations.restore_target`).
"""


def refuse_unfinished_restore(client: redis.Redis) -> None:
    """Raise RestoreUnfinished for a store that holds part of a backup."""
    if client.exists(RESTORING_KEY):
        raise RestoreUnfinished
