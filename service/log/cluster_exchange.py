"""Commands that are sent together to the nodes of a Redis Cluster, and their answers.

A command that a node has not carried out is sent again, to another node if the answer names one.
The node may have been unreachable, may not or no longer keep the key, or may be waiting for others
to agree on which node keeps it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import redis
from redis.cluster import ClusterNode
from redis.exceptions import AskError, ClusterDownError, MovedError, ResponseError, TryAgainError

from service.log.cluster import LogCluster, open_pool
from service.log.replication import check_replicas, wait_for

Command: TypeAlias = Sequence[str | int | bytes]

PAUSES: Final = (0.0, 0.05, 0.2, 0.5, 1.0)
"""Seconds before each further attempt to send something; after the last, its error is raised."""

LONGEST: Final = 5.0
"""Seconds after which nothing is sent again, for example to a node that makes everybody wait."""

OUTAGES: Final = (redis.ConnectionError, redis.TimeoutError)
NOT_DONE: Final = (AskError, MovedError, ClusterDownError, TryAgainError)
"""Answers of a node that has not carried out a command, which another may do, or it may later."""


class NotSent(redis.ConnectionError):
    """No connection to a node could be made, so nothing was sent to it."""


@dataclass(slots=True)
class Question:
    """A command about a key; `asked` says that a node has redirected it to `node` with ASK."""

    key: str
    command: Command
    node: ClusterNode
    asked: bool = False


def ask_nodes(
    cluster: LogCluster,
    keyed: Sequence[tuple[str, Command]],
    *,
    once: bool = False,
    replicas: int = 0,
) -> list[Any]:
    """The answers to commands, each about a key; refusals are answers, too.

    With `once`, a command that may have been carried out is not sent again, and the error of its
    connection is raised. Raises the error of a command that could not be carried out in the end,
    and TooFewReplicas if what was carried out is on fewer than `replicas` replicas.
    """
    questions = dict(enumerate(Question(k, c, cluster.find_node(k)) for k, c in keyed))
    answers: dict[int, Any] = {}
    counts: list[Any] = []
    until = time.monotonic() + LONGEST
    for pause in (*PAUSES, None):
        errors: dict[int, Exception] = {}
        for index, answer in exchange(cluster, questions, replicas, counts).items():
            question = questions[index]
            if isinstance(answer, OUTAGES):
                if once and not isinstance(answer, NotSent):
                    raise answer
                errors[index] = answer
                question.asked = False
            elif isinstance(answer, NOT_DONE):
                errors[index] = answer
                redirect(cluster, question, answer)
            else:
                answers[index] = answer
                del questions[index]
        if not questions:
            break
        if pause is None or time.monotonic() > until:
            raise next(iter(errors.values()))
        time.sleep(pause)
        for question in questions.values():
            if not question.asked:
                question.node = cluster.find_node(question.key)
    check_replicas(replicas, counts)
    return [answers[index] for index in range(len(keyed))]


def redirect(cluster: LogCluster, question: Question, told: Exception) -> None:
    """Find the node for a question, given what another node has answered."""
    question.asked = False
    if isinstance(told, MovedError):
        cluster.follow(told)
    elif isinstance(told, AskError):
        if (node := cluster.find_named(*told.node_addr)) is None:
            cluster.look_again()
        else:
            question.node, question.asked = node, True
    else:
        cluster.look_again()


def exchange(
    cluster: LogCluster, questions: Mapping[int, Question], replicas: int, counts: list[Any]
) -> dict[int, Any]:
    """Ask each node its questions, all at the same time; returns the answers by question.

    How many replicas have what a node was asked, up to `replicas`, is added to `counts`.

    If a node fails, its error is the answer to each of its questions.
    """
    parts: dict[str, list[int]] = {}
    for index, question in questions.items():
        parts.setdefault(question.node.name, []).append(index)
    answers: dict[int, Any] = {}
    asked: list[tuple[Any, Any, list[int]]] = []
    read = 0
    failed: set[str] = set()
    try:
        # Always in the same order, so that no two callers wait for each other's connections.
        for name, indices in sorted(parts.items()):
            pool = open_pool(cluster, questions[indices[0]].node)
            try:
                connection = pool.get_connection()
            except OUTAGES as error:
                failed.add(name)
                answers |= dict.fromkeys(indices, NotSent(str(error)))
                continue
            asked.append((pool, connection, indices))
        for _, connection, indices in asked:
            try:
                send(connection, [questions[index] for index in indices], replicas)
            except OUTAGES as error:
                answers |= dict.fromkeys(indices, error)
        for _, connection, indices in asked:
            try:
                if indices[0] not in answers:
                    told = read_answers(connection, [questions[index] for index in indices])
                    answers |= zip(indices, told, strict=True)
                    count = read_answer(connection) if replicas else 0
                    if any(not isinstance(answer, NOT_DONE) for answer in told):
                        counts.append(count)
            except OUTAGES as error:
                answers |= dict.fromkeys(indices, error)
            if isinstance(answers[indices[0]], OUTAGES):
                failed.add(questions[indices[0]].node.name)
            read += 1
    finally:
        for number, (pool, connection, _) in enumerate(asked):
            if number >= read:
                # Answers left unread must not be taken for those to other questions.
                connection.disconnect()
            pool.release(connection)
    for name in failed:
        cluster.look_again(name)
    return answers


def send(connection: Any, questions: Sequence[Question], replicas: int) -> None:
    """Send a node its questions in one piece, for which it syncs its disk only once."""
    commands: list[Command] = []
    for question in questions:
        if question.asked:
            commands.append(("ASKING",))
        commands.append(question.command)
    if replicas:
        commands.append(wait_for(replicas))
    connection.send_packed_command([b"".join(connection.pack_commands(commands))])


def read_answers(connection: Any, questions: Sequence[Question]) -> list[Any]:
    """A node's answers to what it was sent, in order."""
    answers = []
    for question in questions:
        if question.asked:
            read_answer(connection)
        answers.append(read_answer(connection))
    return answers


def read_answer(connection: Any) -> Any:
    """The next answer on a connection; a refusal by the server is one, too."""
    try:
        return connection.read_response()
    except ResponseError as refused:
        return refused
