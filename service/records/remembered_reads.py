"""Values read from the log, cached for as long as the store says that they have not changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Final, Generic, NamedTuple, TypeVar

from redis import RedisError

from service.log.tracked_keys import TrackedKeys

V = TypeVar("V")

MOST: Final = 30_000
"""The most values of each kind that are cached; beyond that, changed ones are dropped."""
PAUSE: Final = 60.0
"""Seconds between two searches for changed values, each of which takes 30 ms."""


class Remembered(NamedTuple, Generic[V]):
    """A value, the key that it was read from, and `since` when the store reports its changes."""

    value: V
    key: tuple[str]
    since: int


class RememberedReads(Generic[V]):
    """Values by id, which are read if they are not cached. Safe for threads and greenlets.

    A caller gets the values as of the time of the call, never older ones.
    """

    def __init__(
        self,
        read: Callable[[list[str]], Mapping[str, V]],
        key_of: Callable[[str], str],
        tracked: TrackedKeys | None,
        is_lasting: Callable[[str, V], bool] = lambda id, value: True,
    ) -> None:
        """`read` reads the values of ids, and `key_of` gives the key that an id's value comes from.

        A value is cached if `is_lasting` says that it depends on nothing but that key; without
        `tracked` keys nothing is cached.
        """
        self.read = read
        self.key_of = key_of
        self.tracked = tracked
        self.is_lasting = is_lasting
        self._known: dict[str, Remembered[V]] = {}
        self._swept = -PAUSE

    def find(self, ids: Iterable[str]) -> dict[str, V]:
        """The values of those of these ids that have one."""
        wanted = dict.fromkeys(ids)
        found = self._recall(wanted)
        missing = [id for id in wanted if id not in found]
        if missing:
            found |= self._read(missing)
        return found

    def _recall(self, ids: Iterable[str]) -> dict[str, V]:
        """The cached values of these ids that have not changed."""
        if self.tracked is None or not self._known:
            return {}
        try:
            self.tracked.catch_up()
        except RedisError:
            # The read itself reports what is wrong with the store.
            return {}
        known, hold = self._known, self.tracked.hold
        found = {}
        for id in ids:
            one = known.get(id)
            if one is not None and hold(one.key, one.since):
                found[id] = one.value
        return found

    def _read(self, ids: list[str]) -> Mapping[str, V]:
        """Read values, and cache those whose changes the store reports from now on."""
        tracked = self.tracked
        if tracked is None or not self._make_room(len(ids), tracked):
            return self.read(ids)
        keys = {id: self.key_of(id) for id in ids}
        # Before they are read, so that changes in between are reported.
        with suppress(RedisError):
            tracked.track(keys.values())
        since = tracked.now
        values = self.read(ids)
        for id, value in values.items():
            if self.is_lasting(id, value):
                self._known[id] = Remembered(value, (keys[id],), since)
        return values

    def _make_room(self, count: int, tracked: TrackedKeys) -> bool:
        """Whether `count` more values can be cached; if need be, changed ones are dropped."""
        now = time.monotonic()
        if len(self._known) + count > MOST and now >= self._swept + PAUSE:
            self._swept = now
            held = [one for one in self._known.items() if tracked.hold(one[1].key, one[1].since)]
            self._known = dict(held)
        return len(self._known) + count <= MOST
