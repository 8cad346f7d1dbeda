"""An entity's state as the fold of its events."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from service.log.values import Recorded

S = TypeVar("S")


class Fold(Protocol[S]):
    """Folds the events of one kind of entity."""

    def __call__(self, id: str, recorded: Iterable[Recorded], state: S | None = None) -> S | None:
        """The state after these events, from `state` or from nothing; None without any event."""


def make_fold(evolve: Callable[[S | None, str, Recorded], S]) -> Fold[S]:
    """The fold of events by `evolve(state, id, entry)`: the state after one more event."""

    def fold(id: str, recorded: Iterable[Recorded], state: S | None = None) -> S | None:
        for entry in recorded:
            state = evolve(state, id, entry)
        return state

    return fold
