"""A cache of answers as they were sent, each with what it was made from."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final

from flask.globals import request_ctx

from service.bounded_cache import BoundedCache

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
    """Answers by all that their requests say, within `room` bytes. Safe for threads."""

    def __init__(self, room: int = ROOM) -> None:
        self._answers = BoundedCache[Hashable, Answer](room, measure)

    def find(self, request: Hashable) -> Answer | None:
        """The answer last cached for this request, None if there is none; it may be out of date."""
        return self._answers.get(request)

    def put(self, request: Hashable, answer: Answer) -> None:
        """Cache an answer in place of an earlier one, unless it or its request is too large."""
        if len(answer.body) <= LARGEST and measure_request(request) <= OVERHEAD:
            self._answers.put(request, answer)


def measure_request(said: Hashable) -> int:
    """The characters of all that a request says."""
    if isinstance(said, str):
        return len(said)
    return sum(map(measure_request, said)) if isinstance(said, tuple) else 0


def measure(answer: Answer) -> int:
    """The bytes counted for an answer."""
    return OVERHEAD + len(answer.body) + 200 * len(answer.basis.keys)
