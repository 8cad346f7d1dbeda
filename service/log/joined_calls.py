"""Calls of a script that many threads or greenlets make at once, sent to the server together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, TypeAlias

import redis

from service.log.cluster_exchange import Command

Send: TypeAlias = Callable[[Sequence[Command]], list[Any]]
"""Sends calls once, in one piece; returns the answers, errors of the server among them."""


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
        """End the wait, which may begin later."""
        self._woken.release()


class JoinedCalls:
    """Sends calls through `send`, those that wait at the same time as one batch. Safe for threads.

    Each is sent once. While a batch is under way, calls wait; the first of them then sends what all
    have waiting, and wakes the others when they have their answers. So a busy server takes fewer
    and larger requests, and syncs its disk once for each. Callers with `most` calls and more send
    them at once, by themselves.

    Nobody overtakes: who comes later neither sends before those who wait, nor keeps from its caller
    an answer that has come.
    """

    def __init__(self, send: Send, most: int) -> None:
        self._send = send
        self._most = most
        # Is held for moments only, never while anything is sent.
        self._guard = Lock()
        self._is_sending = False
        self._waiting: deque[Waiting] = deque()

    def call(self, calls: Sequence[Command]) -> list[Any]:
        """The answers to these calls, errors of the server among them.

        Raises what `send` raises; where it was another caller's turn, for all of the batch.
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
        """Wait for one's answers or one's turn; a caller who is ended meanwhile takes neither."""
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
        """Leave the next batch to the first who waits, if there is one."""
        with self._guard:
            following = self._waiting[0] if self._waiting else None
            self._is_sending = following is not None
            if following is not None:
                following.is_next = True
        if following is not None:
            following.wake()

    def _send_batch(self, own: Waiting) -> None:
        """Send what waits, one's own among it, in the order in which it came."""
        with self._guard:
            batch = list(self._waiting)
            self._waiting.clear()
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
            # The next batch goes first: it is on its way while these are told.
            self._hand_on()
            for each in batch:
                each.error, each.is_over = error, True
                if each is not own:
                    each.wake()
