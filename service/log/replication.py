"""Waits until what was appended is on replicas too: a server answers before it is.

`WAIT` counts the replicas that have what its own connection has written, so it is sent on the same
connection; within a script it would return at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import redis

PATIENCE: Final = 1000
"""Milliseconds within which replicas must have it."""

FIND_RECEIPT: Final = """
local value = redis.call('HGET', KEYS[1], ARGV[1]) or redis.call('HGET', KEYS[1], ARGV[2])
-- Written again, so that whoever waits for this connection's writes waits for it.
if value then redis.call('HSET', KEYS[1], ARGV[1], value) end
return value
"""


class TooFewReplicas(redis.RedisError):
    """What was appended is on fewer replicas than required, and may be lost with its server.

    If the request is repeated with its receipt, the log answers once enough replicas have it.
    """


def wait_for(replicas: int) -> tuple[str, int, int]:
    """The command that waits for `replicas` replicas and returns how many there finally were."""
    return ("WAIT", replicas, PATIENCE)


def check_replicas(replicas: int, answers: Sequence[Any]) -> None:
    """Raise TooFewReplicas if an answer to `wait_for` reports fewer, or is an error."""
    for answer in answers:
        if isinstance(answer, Exception) or answer < replicas:
            found = 0 if isinstance(answer, Exception) else answer
            raise TooFewReplicas(f"{found} of {replicas} replicas have what was appended")
