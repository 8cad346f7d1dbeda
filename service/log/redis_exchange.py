"""Commands and calls that are sent to Redis together, and the answers as the server gives them.

redis-py makes a dictionary of every entry of a stream, which takes longer than all the rest of
reading it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import sha1
from typing import Any

import redis
from redis.exceptions import NoScriptError, ResponseError


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


def run_once(
    client: redis.Redis, script: str, calls: Sequence[Sequence[str | int | bytes]]
) -> list[Any]:
    """A script's answers to calls that are sent together, and only once; raises an error of them.

    A call is the number of keys, the keys and the arguments.
    """
    digest = _digest(script)
    pool = client.connection_pool
    connection: Any = pool.get_connection()
    try:
        commands = [("EVALSHA", digest, *call) for call in calls]
        # In one piece: the server syncs its disk for what it reads at once, not for each.
        connection.send_packed_command([b"".join(connection.pack_commands(commands))])
        answers = [read_answer(connection) for _ in calls]
        for index, call in enumerate(calls):
            # A server that was just started knows the script from then on.
            if isinstance(answers[index], NoScriptError):
                connection.send_command("EVAL", script, *call)
                answers[index] = read_answer(connection)
    finally:
        pool.release(connection)
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    return answers


def read_answer(connection: Any) -> Any:
    """The next answer on a connection; what the server refuses is one, too."""
    try:
        return connection.read_response()
    except ResponseError as refused:
        return refused


@cache
def _digest(script: str) -> str:
    return sha1(script.encode(), usedforsecurity=False).hexdigest()
