"""Waiting until what was appended is on replicas, too: a server answers before it is.

`WAIT` counts the replicas that have what its own connection has written, and so follows it there;
within a script it would return at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import redis

PATIENCE: Final = 1000
"""Milliseconds in which replicas have to have it."""

FIND_RECEIPT: Final = """
local value = redis.call('HGET', KEYS[1], ARGV[1]) or redis.call('HGET', KEYS[1], ARGV[2])
-- Written again, so that whoever waits for this connection's writes waits for it.
if value then redis.call('HSET', KEYS[1], ARGV[1], value) end
return value
"""


class TooFewReplicas(redis.RedisError):
    """What was appended is at fewer replicas than it has to be, and may be lost with its server.

    Asked again with its receipt, the log answers when it is there.
    """


def wait_for(replicas: int) -> tuple[str, int, int]:
    """The command that waits for so many replicas, and tells how many there were in the end."""
    return ("WAIT", replicas, PATIENCE)


def check_replicas(replicas: int, answers: Sequence[Any]) -> None:
    """Raise TooFewReplicas where an answer to `wait_for` tells of fewer, or is an error."""
    for answer in answers:
        if isinstance(answer, Exception) or answer < replicas:
            found = 0 if isinstance(answer, Exception) else answer
            raise TooFewReplicas(f"{found} of {replicas} replicas have what was appended")
