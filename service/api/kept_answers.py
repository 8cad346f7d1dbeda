"""Answers as they were sent, with what they were made from; those used longest ago go first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from threading import Lock
from typing import Final

from flask.globals import request_ctx

LARGEST: Final = 1 << 20
"""Bytes of an answer that is kept, at most."""
ROOM: Final = 32 << 20
"""Bytes of all answers that are kept, at most."""
OVERHEAD: Final = 4096
"""Bytes that are reckoned for an answer beside its body: headers, key and what it depends on."""
ROUTE: Final = "movelog.kept-route"
"""Is set in the environment of a request whose answer may be kept; no header can set it."""

Headers = tuple[tuple[str, str], ...]


def keep_answer() -> None:
    """Let the answer to this request be kept: it is made of the log and the read models alone."""
    own = request_ctx.request
    assert own.url_rule is not None
    own.environ[ROUTE] = own.url_rule.rule


@dataclass(frozen=True, slots=True)
class Basis:
    """What an answer was made from.

    `keys` of the log's store, as they were at the time `tracked`. The read models as they were in
    `state`: all of them for `tables`, else those of the players' names, whose version was `names`.
    None for what does not matter. `lag` is what the answer says of the lists.
    """

    keys: frozenset[str]
    tracked: int
    tables: tuple[int, int] | None
    names: int | None
    lag: int | None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, ready to be sent; `route` is what its requests are counted under."""

    route: str
    status: str
    headers: Headers
    body: bytes
    basis: Basis


class KeptAnswers:
    """Answers by all that their requests say, within ROOM bytes. Safe for threads."""

    def __init__(self, room: int = ROOM) -> None:
        self.room = room
        self._answers: OrderedDict[Hashable, Answer] = OrderedDict()
        self._taken = 0
        self._lock = Lock()

    def find(self, request: Hashable) -> Answer | None:
        """The answer that was last kept for such a request, which may be out of date."""
        with self._lock:
            found = self._answers.get(request)
            if found is not None:
                self._answers.move_to_end(request)
            return found

    def keep(self, request: Hashable, answer: Answer) -> None:
        """Keep an answer in the place of an earlier one; a large one is not kept."""
        if len(answer.body) > LARGEST:
            return
        with self._lock:
            old = self._answers.pop(request, None)
            self._taken += measure(answer) - (0 if old is None else measure(old))
            self._answers[request] = answer
            while self._taken > self.room:
                _, dropped = self._answers.popitem(last=False)
                self._taken -= measure(dropped)


def measure(answer: Answer) -> int:
    """The bytes that are reckoned for an answer."""
    return OVERHEAD + len(answer.body) + 200 * len(answer.basis.keys)
