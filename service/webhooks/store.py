"""The webhooks in Redis, beside the log.

movelog:{webhooks}:hooks       hash: id → the constant part of a webhook, as JSON
movelog:{webhooks}:rotations   hash: id → how many secrets it has had
movelog:{webhooks}:failing     hash: id → since when deliveries fail
movelog:{webhooks}:disabled    hash: id → why nothing is sent any more
movelog:{webhooks}:log:<id>    list: the newest attempts as JSON, newest first

`service.webhooks.index` finds those that matter: only an admin's list and a backup read all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from typing import Any, Final

import redis

from service.errors import NotFound
from service.ids import new_id
from service.webhooks.errors import TooManyWebhooks
from service.webhooks.index import (
    BATCH,
    EVERYBODY,
    HOOKS,
    OF,
    OWNERS,
    PREFIX,
    Entries,
    WebhookIndex,
    drop_entry,
    join_events,
)
from service.webhooks.webhook import Attempt, Listeners, Webhook, attempt_from_json

ROTATIONS: Final = f"{PREFIX}rotations"
FAILING: Final = f"{PREFIX}failing"
DISABLED: Final = f"{PREFIX}disabled"
TABLES: Final = (HOOKS, ROTATIONS, FAILING, DISABLED)
LOG: Final = f"{PREFIX}log:"
KEPT: Final = 200
"""Attempts that are kept for each webhook."""
MOST: Final = 20
"""The most webhooks of one player."""
PATIENCE: Final = 3 * 24 * 3600 * 1000
"""Milliseconds of failed deliveries after which a webhook is disabled."""

_SCRIPTS: Final = files("service.webhooks")
REGISTER: Final = _SCRIPTS.joinpath("register.lua").read_text()
NOTE: Final = _SCRIPTS.joinpath("note_attempt.lua").read_text()
ROTATE: Final = """
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('HSETNX', KEYS[2], ARGV[1], 1) -- without an entry it has had its first
return redis.call('HINCRBY', KEYS[2], ARGV[1], 1)
"""


class Webhooks:
    """Webhooks and the log of their deliveries; `clock` gives milliseconds since 1970 UTC."""

    def __init__(self, store: redis.Redis, clock: Callable[[], int]) -> None:
        self.store = store
        self.clock = clock
        self.index = WebhookIndex(store, clock)
        self._register = store.register_script(REGISTER)
        self._note = store.register_script(NOTE)
        self._rotate = store.register_script(ROTATE)

    def register(
        self,
        owner: str,
        url: str,
        events: tuple[str, ...],
        everybody: bool,
        filter: str | None = None,
    ) -> Webhook:
        """A new webhook; raises TooManyWebhooks."""
        hook = Webhook(new_id(), owner, url, events, everybody, self.clock(), filter=filter)
        kept: dict[str, Any] = {
            "owner": owner,
            "url": url,
            "events": list(events),
            "everybody": everybody,
            "created_at": hook.created_at,
        }
        if filter is not None:
            kept["filter"] = filter
        text = json.dumps(kept, separators=(",", ":"))
        keys = [HOOKS, OWNERS, f"{OF}{owner}", EVERYBODY]
        args: list[Any] = [hook.id, text, owner, MOST, join_events(events), int(everybody)]
        registered = self._register(keys=keys, args=args)
        while registered < 0:
            self.index.update()
            registered = self._register(keys=keys, args=args)
        if not registered:
            raise TooManyWebhooks(MOST)
        return hook

    def all(self) -> list[Webhook]:
        """Every webhook, oldest first."""
        return self._load(self._list_ids())

    def list_of(self, owner: str) -> list[Webhook]:
        """The webhooks of a player, oldest first."""
        return self._load(self.index.read([owner]).list_ids())

    def find_notified(
        self, event: str, concerned: Collection[str], *, private: bool
    ) -> list[Webhook]:
        """The webhooks that want to be notified of an event, oldest first (`Webhook.wants`)."""
        indexed = self.index.read(concerned, everybody=not private)
        hooks = self._load(indexed.list_ids(event))
        return [hook for hook in hooks if hook.wants(event, concerned, private=private)]

    def get(self, id: str) -> Webhook:
        """The webhook of this id; raises NotFound."""
        pipeline = self.store.pipeline(transaction=False)
        for key in TABLES:
            pipeline.hget(key, id)
        text, *rest = pipeline.execute()
        if text is None:
            raise NotFound("webhook", id)
        return _webhook(id, text, *rest)

    def export(self) -> dict[str, Any]:
        """Export all webhooks with their logs, as JSON values."""
        tables: dict[str, dict[str, str]] = {key: {} for key in TABLES}
        logs: dict[str, list[str]] = {}
        ids = self._list_ids()
        for start in range(0, len(ids), BATCH):
            part = ids[start : start + BATCH]
            pipeline = self.store.pipeline(transaction=False)
            for key in TABLES:
                pipeline.hmget(key, part)
            for id in part:
                pipeline.lrange(f"{LOG}{id}", 0, -1)
            found = pipeline.execute()
            for table, texts in zip(tables.values(), found, strict=False):
                known = zip(part, texts, strict=True)
                table |= {id: text.decode() for id, text in known if text is not None}
            for id, log in zip(part, found[len(TABLES) :], strict=True):
                if id in tables[HOOKS]:
                    logs[id] = [text.decode() for text in log]
        return {"tables": tables, "logs": logs}

    def restore(self, copy: Mapping[str, Any]) -> None:
        """Replace all webhooks by the exported ones."""
        pipeline = self.store.pipeline()
        pipeline.delete(*self.index.list_keys())
        for key in TABLES:
            pipeline.delete(key)
            if table := copy["tables"].get(key):
                pipeline.hset(key, mapping=table)
        for id, log in copy["logs"].items():
            pipeline.delete(f"{LOG}{id}")
            if log:
                pipeline.rpush(f"{LOG}{id}", *log)
        pipeline.execute()
        self.index.update()

    def any(self) -> bool:
        """Whether there is any webhook at all."""
        return bool(self.store.exists(HOOKS))

    def find_listeners(self, events: Collection[str], players: Collection[str]) -> Listeners:
        """Which of these players, and whether anybody else, is notified of any of these events."""
        wanted = frozenset(events)
        indexed = self.index.read(players, everybody=True)
        disabled = self._find_disabled(indexed.list_ids())

        def listens(entries: Entries) -> bool:
            return any(
                id not in disabled and not wanted.isdisjoint(kinds) for id, kinds in entries.items()
            )

        owners = (owner for owner, entries in indexed.by_owner.items() if listens(entries))
        return Listeners(frozenset(owners), listens(indexed.everybody))

    def remove_of(self, owner: str) -> None:
        """Remove all webhooks of a player."""
        for id in self.index.read([owner]).list_ids():
            self._remove(id, owner)

    def remove(self, id: str) -> None:
        """Remove a webhook and its log."""
        with suppress(NotFound):
            self._remove(id, self.get(id).owner)

    def _remove(self, id: str, owner: str) -> None:
        pipeline = self.store.pipeline()
        for key in TABLES:
            pipeline.hdel(key, id)
        drop_entry(pipeline, id, owner)
        pipeline.delete(f"{LOG}{id}")
        pipeline.execute()

    def rotate(self, id: str) -> Webhook:
        """Give a webhook a new secret; the old one is no longer used to sign."""
        self._rotate(keys=[HOOKS, ROTATIONS], args=[id])
        return self.get(id)

    def enable(self, id: str) -> Webhook:
        """Send to a disabled webhook again."""
        self.get(id)
        self.store.hdel(DISABLED, id)
        self.store.hdel(FAILING, id)
        return self.get(id)

    def note(self, id: str, attempt: Attempt) -> None:
        """Record an attempt; a webhook that has failed for PATIENCE is disabled.

        A webhook that was removed in the meantime stays removed.
        """
        days = PATIENCE // (24 * 3600 * 1000)
        reason = f"no delivery has arrived for {days} days"
        arrived = int(attempt.delivered)
        self._note(
            keys=[HOOKS, FAILING, DISABLED, f"{LOG}{id}"],
            args=[id, attempt.to_json(), KEPT, arrived, attempt.at, PATIENCE, reason],
        )

    def attempts(self, id: str, limit: int) -> list[Attempt]:
        """The newest attempts to deliver to a webhook; raises NotFound."""
        self.get(id)
        kept: Any = self.store.lrange(f"{LOG}{id}", 0, limit - 1)
        return [attempt_from_json(text) for text in kept]

    def _list_ids(self) -> list[str]:
        ids: Any = self.store.hkeys(HOOKS)
        return [id.decode() for id in ids]

    def _load(self, ids: Sequence[str]) -> list[Webhook]:
        """Those of these webhooks that there are, oldest first."""
        hooks = []
        for start in range(0, len(ids), BATCH):
            part = ids[start : start + BATCH]
            pipeline = self.store.pipeline(transaction=False)
            for key in TABLES:
                pipeline.hmget(key, part)
            for id, text, *rest in zip(part, *pipeline.execute(), strict=True):
                if text is not None:
                    hooks.append(_webhook(id, text, *rest))
        return sorted(hooks, key=lambda hook: (hook.created_at, hook.id))

    def _find_disabled(self, ids: Sequence[str]) -> set[str]:
        if not ids:
            return set()
        reasons: Any = self.store.hmget(DISABLED, list(ids))
        return {id for id, reason in zip(ids, reasons, strict=True) if reason is not None}


def _webhook(
    id: str,
    text: bytes,
    rotation: bytes | None,
    failing: bytes | None,
    disabled: bytes | None,
) -> Webhook:
    values = json.loads(text)
    return Webhook(
        id=id,
        owner=values["owner"],
        url=values["url"],
        events=tuple(values["events"]),
        everybody=values["everybody"],
        created_at=values["created_at"],
        rotation=int(rotation or 1),
        failing_since=None if failing is None else int(failing),
        disabled=None if disabled is None else disabled.decode(),
        filter=values.get("filter"),
    )
