"""Calls of a script that many threads or greenlets make at once, sent to the server together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeAlias

import redis

from service.log.cluster_exchange import Command

Send: TypeAlias = Callable[[Sequence[Command]], list[Any]]
"""Sends calls once, in one piece; returns the answers, errors of the server among them."""


@dataclass(slots=True, eq=False)
class Waiting:
    """One caller's calls, until they are answered or failed."""

    calls: Sequence[Command]
    answers: list[Any] = field(default_factory=list)
    error: Exception | None = None
    is_over: bool = False


class JoinedCalls:
    """Sends calls through `send`, those that wait at the same time as one batch. Safe for threads.

    Each is sent once. While a batch is under way, calls wait; the first whose turn it is then
    sends what all have waiting, and the others find their answers. So a busy server takes fewer
    and larger requests, and syncs its disk once for each. Callers with `most` calls and more send
    them at once, by themselves.
    """

    def __init__(self, send: Send, most: int) -> None:
        self._send = send
        self._most = most
        self._turn = Lock()
        self._waiting: deque[Waiting] = deque()

    def call(self, calls: Sequence[Command]) -> list[Any]:
        """The answers to these calls, errors of the server among them.

        Raises what `send` raises; where it was another caller's turn, for all of the batch.
        """
        if len(calls) >= self._most:
            return self._send(calls)
        own = Waiting(calls)
        self._waiting.append(own)
        with self._turn:
            if not own.is_over:
                self._send_batch()
        if own.error is not None:
            raise own.error
        return own.answers

    def _send_batch(self) -> None:
        """Send what waits, in the order in which it came."""
        batch: list[Waiting] = []
        # Others may add theirs meanwhile.
        while self._waiting:
            batch.append(self._waiting.popleft())
        # What a caller who is ended here leaves to the others.
        error: Exception | None = redis.ConnectionError("the answer was lost")
        try:
            answers = iter(self._send([call for each in batch for call in each.calls]))
            for each in batch:
                each.answers = [next(answers) for _ in each.calls]
            error = None
        except Exception as failure:
            error = failure
        finally:
            for each in batch:
                each.error, each.is_over = error, True
