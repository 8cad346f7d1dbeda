"""A cache of answers as they were sent, each with what it was made from."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from threading import Lock
from typing import Final

from flask.globals import request_ctx

LARGEST: Final = 1 << 20
"""The most bytes of an answer that is cached."""
ROOM: Final = 32 << 20
"""The most bytes of all cached answers together."""
OVERHEAD: Final = 4096
"""Bytes counted for an answer beside its body: headers, key and what it depends on."""
ROUTE: Final = "movelog.cached-route"
"""The environment key of a request whose answer may be cached; no header can set it."""

Headers = tuple[tuple[str, str], ...]


def cache_answer() -> None:
    """Let this request's answer be cached: it depends only on the log and the read models."""
    own = request_ctx.request
    assert own.url_rule is not None
    own.environ[ROUTE] = own.url_rule.rule


@dataclass(frozen=True, slots=True)
class Basis:
    """What an answer was made from.

    `keys` are keys of the log's store, unchanged since the time `tracked`. `tables` is the state of
    all the read models, `names` the version of the players' names. `lag` is what the answer says
    about the lag of the lists. None stands for what does not matter.
    """

    keys: frozenset[str]
    tracked: int
    tables: tuple[int, int] | None
    names: int | None
    lag: int | None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, ready to be sent; its requests are counted under `route`."""

    route: str
    status: str
    headers: Headers
    body: bytes
    basis: Basis


class AnswerCache:
    """Answers by all that their requests say, within ROOM bytes, the least recently used dropped.

    Safe for threads.
    """

    def __init__(self, room: int = ROOM) -> None:
        self.room = room
        self._answers: OrderedDict[Hashable, Answer] = OrderedDict()
        self._taken = 0
        self._lock = Lock()

    def find(self, request: Hashable) -> Answer | None:
        """The answer last cached for this request, None if there is none; it may be out of date."""
        with self._lock:
            found = self._answers.get(request)
            if found is not None:
                self._answers.move_to_end(request)
            return found

    def put(self, request: Hashable, answer: Answer) -> None:
        """Cache an answer in place of an earlier one, unless it or its request is too large."""
        if len(answer.body) > LARGEST or measure_request(request) > OVERHEAD:
            return
        with self._lock:
            old = self._answers.pop(request, None)
            self._taken += measure(answer) - (0 if old is None else measure(old))
            self._answers[request] = answer
            while self._taken > self.room:
                _, dropped = self._answers.popitem(last=False)
                self._taken -= measure(dropped)


def measure_request(said: Hashable) -> int:
    """The characters of all that a request says."""
    if isinstance(said, str):
        return len(said)
    return sum(map(measure_request, said)) if isinstance(said, tuple) else 0


def measure(answer: Answer) -> int:
    """The bytes counted for an answer."""
    return OVERHEAD + len(answer.body) + 200 * len(answer.basis.keys)
