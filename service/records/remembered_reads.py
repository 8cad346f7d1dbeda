"""What was read of the log, remembered as long as the store says that nothing has changed it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Final, Generic, NamedTuple, TypeVar

from redis import RedisError

from service.log.tracked_keys import TrackedKeys

V = TypeVar("V")

MOST: Final = 30_000
"""What is remembered of each kind at most; beyond that, what has changed since is forgotten."""
PAUSE: Final = 60.0
"""Seconds until it is looked once more for what has changed, which takes 30 ms."""


class Remembered(NamedTuple, Generic[V]):
    """A value, the key that it was read from, and `since` when the store tells of its changes."""

    value: V
    key: tuple[str]
    since: int


class RememberedReads(Generic[V]):
    """Values by id, which are read where none is remembered. Safe for threads and greenlets.

    Whoever asks is told what holds when he asks, and never what held before.
    """

    def __init__(
        self,
        read: Callable[[list[str]], Mapping[str, V]],
        key_of: Callable[[str], str],
        tracked: TrackedKeys | None,
        is_lasting: Callable[[str, V], bool] = lambda id, value: True,
    ) -> None:
        """`read` reads the values of ids. An id's value is remembered where it depends on nothing
        but the key of `key_of`, as `is_lasting` says; nothing is without `tracked` keys.
        """
        self.read = read
        self.key_of = key_of
        self.tracked = tracked
        self.is_lasting = is_lasting
        self._known: dict[str, Remembered[V]] = {}
        self._swept = -PAUSE

    def find(self, ids: Iterable[str]) -> dict[str, V]:
        """The values of these ids, of those that have one."""
        wanted = dict.fromkeys(ids)
        found = self._recall(wanted)
        missing = [id for id in wanted if id not in found]
        if missing:
            found |= self._read(missing)
        return found

    def _recall(self, ids: Iterable[str]) -> dict[str, V]:
        """What is remembered of these ids and was not changed."""
        if self.tracked is None or not self._known:
            return {}
        try:
            self.tracked.catch_up()
        except RedisError:
            # Whoever reads is told what is wrong with the store.
            return {}
        known, hold = self._known, self.tracked.hold
        found = {}
        for id in ids:
            one = known.get(id)
            if one is not None and hold(one.key, one.since):
                found[id] = one.value
        return found

    def _read(self, ids: list[str]) -> Mapping[str, V]:
        """Read values, and remember those whose changes the store tells from now on."""
        tracked = self.tracked
        if tracked is None or not self._make_room(len(ids), tracked):
            return self.read(ids)
        keys = {id: self.key_of(id) for id in ids}
        # Before they are read: what changes in between is told.
        with suppress(RedisError):
            tracked.track(keys.values())
        since = tracked.now
        values = self.read(ids)
        for id, value in values.items():
            if self.is_lasting(id, value):
                self._known[id] = Remembered(value, (keys[id],), since)
        return values

    def _make_room(self, count: int, tracked: TrackedKeys) -> bool:
        """Whether so many more can be remembered; what has changed is forgotten for them."""
        now = time.monotonic()
        if len(self._known) + count > MOST and now >= self._swept + PAUSE:
            self._swept = now
            held = [one for one in self._known.items() if tracked.hold(one[1].key, one[1].since)]
            self._known = dict(held)
        return len(self._known) + count <= MOST
