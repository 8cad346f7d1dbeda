"""Joins script calls that many threads or greenlets make at once, and sends them together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, TypeAlias

import redis

from service.log.cluster_exchange import Command

Send: TypeAlias = Callable[[Sequence[Command]], list[Any]]
"""Sends calls once, in one piece; returns the answers, including errors of the server."""


class Waiting:
    """One caller's calls, until they are answered or failed."""

    __slots__ = ("_woken", "answers", "calls", "error", "is_next", "is_over")

    def __init__(self, calls: Sequence[Command]) -> None:
        self.calls = calls
        self.answers: list[Any] = []
        self.error: Exception | None = None
        self.is_over = False
        self.is_next = False
        self._woken = Lock()
        self._woken.acquire()

    def wait(self) -> None:
        """Wait until the calls are over, or it is this caller's turn to send a batch."""
        self._woken.acquire()

    def wake(self) -> None:
        """End the wait, even one that has not begun yet."""
        self._woken.release()


class JoinedCalls:
    """Sends calls through `send`, those that wait at the same time as one batch. Thread-safe.

    Each is sent once. While a batch is under way, callers wait. The first of them then sends what
    all of them have waiting, and wakes the others when they have their answers. So a busy server
    gets fewer and larger requests, and syncs its disk once for each. Callers with at least `most`
    calls send them at once, by themselves.

    Nobody overtakes: a later caller neither sends before those who wait, nor delays an answer that
    has arrived for another.
    """

    def __init__(self, send: Send, most: int) -> None:
        self._send = send
        self._most = most
        # Held only for moments, never while anything is sent.
        self._guard = Lock()
        self._is_sending = False
        self._waiting: deque[Waiting] = deque()

    def call(self, calls: Sequence[Command]) -> list[Any]:
        """The answers to these calls, including errors of the server.

        Raises what `send` raises; if another caller sent the batch, this applies to all of it.
        """
        if len(calls) >= self._most:
            return self._send(calls)
        own = Waiting(calls)
        with self._guard:
            self._waiting.append(own)
            waits, self._is_sending = self._is_sending, True
        if waits:
            self._await_turn(own)
        if not own.is_over:
            self._send_batch(own)
        if own.error is not None:
            raise own.error
        return own.answers

    def _await_turn(self, own: Waiting) -> None:
        """Wait for answers or a turn; a caller that is killed meanwhile takes neither."""
        try:
            own.wait()
        except BaseException:
            with self._guard:
                if own in self._waiting:
                    self._waiting.remove(own)
            if own.is_next:
                self._hand_on()
            raise

    def _hand_on(self) -> None:
        """Leave the next batch to the first caller that waits, if there is one."""
        with self._guard:
            following = self._waiting[0] if self._waiting else None
            self._is_sending = following is not None
            if following is not None:
                following.is_next = True
        if following is not None:
            following.wake()

    def _send_batch(self, own: Waiting) -> None:
        """Send everything that waits, including `own`, in the order in which it arrived."""
        with self._guard:
            batch = list(self._waiting)
            self._waiting.clear()
        # The error that the others get if this caller is killed here.
        error: Exception | None = redis.ConnectionError("the answer was lost")
        try:
            answers = iter(self._send([call for each in batch for call in each.calls]))
            for each in batch:
                each.answers = [next(answers) for _ in each.calls]
            error = None
        except Exception as failure:
            error = failure
        finally:
            # The next batch is started first: it is under way while these callers are woken.
            self._hand_on()
            for each in batch:
                each.error, each.is_over = error, True
                if each is not own:
                    each.wake()
