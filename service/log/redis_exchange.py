"""Commands that are sent to Redis together, and their answers as the server gives them.

redis-py makes a dictionary of every entry of a stream, which takes longer than all the rest of
reading it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import redis
from redis.exceptions import ResponseError


def read_together(client: redis.Redis, commands: Sequence[Sequence[str | int]]) -> list[Any]:
    """The answers to commands that only read, in one round trip; raises an error among them.

    They are sent again as the client's retries say.
    """
    if not commands:
        return []
    pool = client.connection_pool
    connection: Any = pool.get_connection()

    def exchange() -> list[Any]:
        connection.send_packed_command([b"".join(connection.pack_commands(commands))])
        return [read_answer(connection) for _ in commands]

    def fail(error: Exception) -> None:
        connection.disconnect()

    try:
        answers = connection.retry.call_with_retry(exchange, fail)
    finally:
        pool.release(connection)
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    return list(answers)


def read_answer(connection: Any) -> Any:
    """The next answer on a connection; what the server refuses is one, too."""
    try:
        return connection.read_response()
    except ResponseError as refused:
        return refused
