"""An index of the webhooks in Redis by whom they are called for.

movelog:{webhooks}:owners       hash: id → owner, of the webhooks that are indexed
movelog:{webhooks}:of:<owner>   hash: id → the events that a webhook of this owner is notified of
movelog:{webhooks}:everybody    hash: the same for the webhooks that listen to everybody

Without it, each notice would have to read the webhooks of all players. Only admins can register
webhooks that listen to everybody, so these are few. Events are joined by commas.
What earlier versions have registered is added when it is found missing, and what they have removed
is dropped. Each of these shows in the number of webhooks. As an earlier version may have done both,
each process also compares the ids, when it begins and once an hour.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

import redis

PREFIX: Final = "movelog:{webhooks}:"
HOOKS: Final = f"{PREFIX}hooks"
OWNERS: Final = f"{PREFIX}owners"
OF: Final = f"{PREFIX}of:"
EVERYBODY: Final = f"{PREFIX}everybody"
BATCH: Final = 200
"""The most webhooks that are read at a time, so that others do not wait for the store."""
COMPARED_EVERY: Final = 3_600_000
"""Milliseconds after which a process compares all ids again."""
IS_COMPLETE: Final = "return redis.call('HLEN', KEYS[1]) == redis.call('HLEN', KEYS[2])"

Entries = Mapping[str, frozenset[str]]
"""Webhooks' events by their ids."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """Entries of the index: by owner, without owners who have none, and those for everybody."""

    by_owner: Mapping[str, Entries]
    everybody: Entries

    def list_ids(self, event: str | None = None) -> list[str]:
        """The ids of these webhooks, each once; with an `event`, of those notified of it."""
        entries = [*self.by_owner.values(), self.everybody]
        ids = [
            id
            for each in entries
            for id, events in each.items()
            if event is None or event in events
        ]
        return list(dict.fromkeys(ids))


class WebhookIndex:
    """Finds webhooks by owner, and those that listen to everybody.

    `clock` gives milliseconds since 1970 UTC.
    """

    def __init__(self, store: redis.Redis, clock: Callable[[], int]) -> None:
        self.store = store
        self.clock = clock
        self._compare_at = 0

    def read(self, owners: Collection[str], *, everybody: bool = False) -> Indexed:
        """The entries of these owners and, if wanted, those for everybody."""
        if self.clock() >= self._compare_at:
            self.update()
        count, found = self._read(owners, everybody=everybody)
        # The two numbers are not from the same moment, unless they are asked for again.
        if count[0] != count[1] and not self.store.eval(IS_COMPLETE, 2, HOOKS, OWNERS):
            self.update()
            _, found = self._read(owners, everybody=everybody)
        return found

    def update(self) -> None:
        """Add what earlier versions have registered, and drop what they have removed."""
        # In this order: what is indexed but not registered was removed.
        owners: Any = self.store.hgetall(OWNERS)
        registered: Any = self.store.hkeys(HOOKS)
        missing = [id for id in registered if id not in owners]
        for start in range(0, len(missing), BATCH):
            self._add(missing[start : start + BATCH])
        removed = [id.decode() for id in owners.keys() - set(registered)]
        if removed:
            pipeline = self.store.pipeline()
            for id in removed:
                drop_entry(pipeline, id, owners[id.encode()].decode())
            pipeline.execute()
        self._compare_at = self.clock() + COMPARED_EVERY

    def list_keys(self) -> list[str]:
        """The keys of the index."""
        owners: Any = self.store.hvals(OWNERS)
        return [OWNERS, EVERYBODY, *(f"{OF}{owner.decode()}" for owner in dict.fromkeys(owners))]

    def _read(self, owners: Collection[str], *, everybody: bool) -> tuple[tuple[int, int], Indexed]:
        """As `read`, after the numbers of webhooks that are registered and that are indexed."""
        players = list(dict.fromkeys(owners))
        pipeline = self.store.pipeline(transaction=False)
        pipeline.hlen(HOOKS)
        pipeline.hlen(OWNERS)
        for key in [*(f"{OF}{player}" for player in players), *[EVERYBODY] * everybody]:
            pipeline.hgetall(key)
        registered, indexed, *found = pipeline.execute()
        entries = [_read_entries(each) for each in found]
        by_owner = {player: each for player, each in zip(players, entries, strict=False) if each}
        return (registered, indexed), Indexed(by_owner, entries[-1] if everybody else {})

    def _add(self, ids: Collection[bytes]) -> None:
        texts: Any = self.store.hmget(HOOKS, list(ids))
        pipeline = self.store.pipeline()
        for id, text in zip(ids, texts, strict=True):
            if text is not None:
                values = json.loads(text)
                events = join_events(values["events"])
                pipeline.hset(OWNERS, id, values["owner"])
                pipeline.hset(f"{OF}{values['owner']}", id, events)
                if values["everybody"]:
                    pipeline.hset(EVERYBODY, id, events)
        pipeline.execute()


def join_events(events: Collection[str]) -> str:
    """Events as an entry has them."""
    return ",".join(events)


def drop_entry(pipeline: Any, id: str, owner: str) -> None:
    """Add to a pipeline that a webhook of this owner leaves the index."""
    pipeline.hdel(OWNERS, id)
    pipeline.hdel(f"{OF}{owner}", id)
    pipeline.hdel(EVERYBODY, id)


def _read_entries(stored: Mapping[bytes, bytes]) -> Entries:
    return {id.decode(): frozenset(text.decode().split(",")) for id, text in stored.items()}
