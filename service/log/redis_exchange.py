"""Commands and calls that are sent to Redis together, and the server's unparsed answers.

redis-py makes a dictionary of every entry of a stream, which takes longer than the rest of reading
it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha1
from typing import Any, Final, TypeAlias, cast

import redis
from hiredis import pack_command
from redis.exceptions import NoScriptError

from service.log.cluster import LogCluster
from service.log.cluster_exchange import Command, ask_nodes, read_answer
from service.log.replication import check_replicas, wait_for

LogClient: TypeAlias = redis.Redis | LogCluster
"""The client of what keeps a log: one server, or a cluster."""

# Its type declares that a command is a single word.
pack: Final = cast(Callable[[tuple[str | int | bytes, ...]], bytes], pack_command)


def read_together(client: LogClient, commands: Sequence[Command]) -> list[Any]:
    """The answers to commands that may be sent twice, in one round trip; raises the first error.

    They are sent again according to the client's retries. A command's key is its first argument.
    """
    if not commands:
        return []
    if isinstance(client, LogCluster):
        answers = ask_nodes(client, [(str(command[1]), command) for command in commands])
    else:
        answers = _read_from_one(client, commands)
    return raise_first(answers)


def run_once(
    client: LogClient, script: str, calls: Sequence[Command], replicas: int = 0
) -> list[Any]:
    """A script's answers to calls that are sent together and only once; raises the first error.

    A call is the number of keys, the keys and the arguments. Raises TooFewReplicas if what was
    written is on fewer than `replicas` replicas.
    """
    return raise_first(call_once(client, script, calls, replicas))


def call_once(
    client: LogClient, script: str, calls: Sequence[Command], replicas: int = 0
) -> list[Any]:
    """A script's answers as `run_once` returns them, but including errors of the script."""
    answers = _call_once(client, [("EVALSHA", _digest(script), *call) for call in calls], replicas)
    # A server that has just been started knows the script from then on.
    missing = [index for index, answer in enumerate(answers) if isinstance(answer, NoScriptError)]
    again = _call_once(client, [("EVAL", script, *calls[index]) for index in missing], replicas)
    for index, answer in zip(missing, again, strict=True):
        answers[index] = answer
    return answers


def raise_first(answers: list[Any]) -> list[Any]:
    """The answers; raises the first of them that is an error."""
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    return answers


def _call_once(client: LogClient, commands: Sequence[Command], replicas: int) -> list[Any]:
    if not commands:
        return []
    if isinstance(client, LogCluster):
        # The first key comes after the command, the script and the number of keys.
        keyed = [(str(command[3]), command) for command in commands]
        return ask_nodes(client, keyed, once=True, replicas=replicas)
    pool = client.connection_pool
    connection: Any = pool.get_connection()
    waiting = [wait_for(replicas)] if replicas else []
    try:
        # In one piece, so that the server syncs its disk once and not for each.
        sent = connection.pack_commands([*commands, *waiting])
        connection.send_packed_command([b"".join(sent)])
        answers = [read_answer(connection) for _ in commands]
        check_replicas(replicas, [read_answer(connection) for _ in waiting])
        return answers
    finally:
        pool.release(connection)


def _read_from_one(client: redis.Redis, commands: Sequence[Command]) -> list[Any]:
    pool = client.connection_pool
    connection: Any = pool.get_connection()

    def exchange() -> list[Any]:
        # The client's own way of packing takes four times as long.
        packed = b"".join([pack(tuple(command)) for command in commands])
        connection.send_packed_command([packed])
        return [read_answer(connection) for _ in commands]

    def fail(error: Exception) -> None:
        connection.disconnect()

    try:
        answers: list[Any] = connection.retry.call_with_retry(exchange, fail)
    finally:
        pool.release(connection)
    return answers


@cache
def _digest(script: str) -> str:
    return sha1(script.encode(), usedforsecurity=False).hexdigest()
