"""The webhooks in Redis, beside the log.

movelog:{webhooks}:hooks       hash: id → the constant part of a webhook, as JSON
movelog:{webhooks}:rotations   hash: id → how many secrets it has had
movelog:{webhooks}:failing     hash: id → since when deliveries fail
movelog:{webhooks}:disabled    hash: id → why nothing is sent any more
movelog:{webhooks}:log:<id>    list: the newest attempts as JSON, newest first
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from importlib.resources import files
from typing import Any, Final

import redis

from service.errors import NotFound
from service.ids import new_id
from service.webhooks.errors import TooManyWebhooks
from service.webhooks.webhook import Attempt, Listeners, Webhook, attempt_from_json

PREFIX: Final = "movelog:{webhooks}:"
HOOKS: Final = f"{PREFIX}hooks"
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
        if not self._register(keys=[HOOKS], args=[hook.id, text, owner, MOST]):
            raise TooManyWebhooks(MOST)
        return hook

    def all(self) -> list[Webhook]:
        """Every webhook, oldest first."""
        pipeline = self.store.pipeline(transaction=False)
        for key in TABLES:
            pipeline.hgetall(key)
        hooks, rotations, failing, disabled = pipeline.execute()
        found = [
            _webhook(id, text, rotations.get(id), failing.get(id), disabled.get(id))
            for id, text in hooks.items()
        ]
        return sorted(found, key=lambda hook: (hook.created_at, hook.id))

    def get(self, id: str) -> Webhook:
        """The webhook of this id; raises NotFound."""
        pipeline = self.store.pipeline(transaction=False)
        for key in TABLES:
            pipeline.hget(key, id)
        text, *rest = pipeline.execute()
        if text is None:
            raise NotFound("webhook", id)
        return _webhook(id.encode(), text, *rest)

    def export(self) -> dict[str, Any]:
        """Export all webhooks with their logs, as JSON values."""
        hooks = self.all()
        pipeline = self.store.pipeline(transaction=False)
        for key in TABLES:
            pipeline.hgetall(key)
        for hook in hooks:
            pipeline.lrange(f"{LOG}{hook.id}", 0, -1)
        found = pipeline.execute()
        tables = [{id.decode(): text.decode() for id, text in table.items()} for table in found[:4]]
        logs = [[text.decode() for text in log] for log in found[4:]]
        return {
            "tables": dict(zip(TABLES, tables, strict=True)),
            "logs": dict(zip((hook.id for hook in hooks), logs, strict=True)),
        }

    def restore(self, copy: Mapping[str, Any]) -> None:
        """Replace all webhooks by the exported ones."""
        pipeline = self.store.pipeline()
        for key in TABLES:
            pipeline.delete(key)
            if table := copy["tables"].get(key):
                pipeline.hset(key, mapping=table)
        for id, log in copy["logs"].items():
            pipeline.delete(f"{LOG}{id}")
            if log:
                pipeline.rpush(f"{LOG}{id}", *log)
        pipeline.execute()

    def any(self) -> bool:
        """Whether there is any webhook at all."""
        return bool(self.store.exists(HOOKS))

    def find_listeners(self, events: Collection[str]) -> Listeners:
        """The players who are notified of any of these events."""
        hooks = [
            hook
            for hook in self.all()
            if hook.disabled is None and not set(events).isdisjoint(hook.events)
        ]
        owners = frozenset(hook.owner for hook in hooks)
        return Listeners(owners, any(hook.everybody for hook in hooks))

    def remove_of(self, owner: str) -> None:
        """Remove all webhooks of a player."""
        for hook in self.all():
            if hook.owner == owner:
                self.remove(hook.id)

    def remove(self, id: str) -> None:
        """Remove a webhook and its log."""
        pipeline = self.store.pipeline()
        for key in TABLES:
            pipeline.hdel(key, id)
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


def _webhook(
    id: bytes,
    text: bytes,
    rotation: bytes | None,
    failing: bytes | None,
    disabled: bytes | None,
) -> Webhook:
    values = json.loads(text)
    return Webhook(
        id=id.decode(),
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
