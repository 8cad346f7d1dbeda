"""What waits for a digest, and how far each message has come, in Redis.

movelog:{mail}:digest:<player>          hash: notice → what it says, as JSON, until the next digest
movelog:{mail}:digest:<player>:<day>    hash: the same, for the digest that is being sent
movelog:{mail}:message:<id>             `handed-over` or `sent`; `listed` for the items of a digest
movelog:{mail}:resting                  exists while the mail server is left alone
movelog:{mail}:away-since               when the mail server first accepted no mail, until it does

A message is marked before the last step of handing it over, and again when the server has accepted
it. A message that was handed over and not answered is not sent again: nobody gets a mail twice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import redis

from service.mail.store import PREFIX

DIGEST: Final = f"{PREFIX}digest:"
MESSAGE: Final = f"{PREFIX}message:"
RESTING: Final = f"{PREFIX}resting"
AWAY_SINCE: Final = f"{PREFIX}away-since"
LISTED: Final = "listed"
HANDED_OVER: Final = "handed-over"
SENT: Final = "sent"
REMEMBERED: Final = 30 * 24 * 3600
"""Seconds for which a message is known to have been sent."""
OLDEST: Final = 60
"""Days after which nothing of a digest is left: it is remembered from when it is first written,
which the mailer does within a month."""
REST: Final = 60_000
"""Milliseconds for which a mail server that accepts no mail is left alone."""

Item = Mapping[str, Any]
"""Something that has happened in a game, as JSON values."""


class Outbox:
    """The messages under way."""

    def __init__(self, store: redis.Redis) -> None:
        self.store = store

    def add_to_digest(self, player: str, notice: str, item: Item) -> None:
        """Add something to a player's next digest; adding it again changes nothing."""
        key = f"{DIGEST}{player}"
        self.store.hset(key, notice, json.dumps(item))
        # Nothing is left of a digest that is never written, as its player wants no more mail.
        self.store.expire(key, REMEMBERED)

    def take_digest(self, player: str, day: str) -> list[Item]:
        """The items of a day's digest: all that waits when it is first requested."""
        key = f"{DIGEST}{player}:{day}"
        if not self.store.exists(key) and self.store.exists(f"{DIGEST}{player}"):
            self.store.renamenx(f"{DIGEST}{player}", key)
            self.store.expire(key, REMEMBERED)
        found: Any = self.store.hvals(key)
        return [json.loads(text) for text in found]

    def forget_digest(self, player: str, day: str) -> None:
        """Forget the items of a day's digest."""
        self.store.delete(f"{DIGEST}{player}:{day}")

    def forget(self, player: str, now: int) -> None:
        """Forget everything that waits for a player."""
        today = datetime.fromtimestamp(now / 1000, UTC)
        days = (write_day(today - timedelta(days=n)) for n in range(-1, OLDEST))
        self.store.delete(f"{DIGEST}{player}", *(f"{DIGEST}{player}:{day}" for day in days))

    def find_mark(self, id: str) -> str | None:
        """The delivery state of a message; None if it was not handed over."""
        found: Any = self.store.get(f"{MESSAGE}{id}")
        return None if found is None else str(found.decode())

    def mark(self, id: str, mark: str) -> None:
        """Note how far a message has come."""
        self.store.set(f"{MESSAGE}{id}", mark, ex=REMEMBERED)

    def unmark(self, id: str) -> None:
        """Note that the server has refused a message, which may be tried again."""
        self.store.delete(f"{MESSAGE}{id}")

    def rest(self, now: int) -> None:
        """Leave the mail server, which accepts no mail, alone for a while."""
        self.store.set(RESTING, 1, px=REST)
        self.store.set(AWAY_SINCE, now, nx=True)

    def end_absence(self) -> None:
        """Note that the mail server accepts mail."""
        self.store.delete(AWAY_SINCE)

    def measure_absence(self, now: int) -> int:
        """For how many milliseconds the mail server has accepted no mail; 0 if it did last."""
        since: Any = self.store.get(AWAY_SINCE)
        return 0 if since is None else max(0, now - int(since))

    def find_rest(self) -> int:
        """For how many more milliseconds the mail server is left alone."""
        left: Any = self.store.pttl(RESTING)
        return max(0, int(left))


def write_day(moment: datetime) -> str:
    """The day of a digest that is due at this moment.

    >>> write_day(datetime(2027, 1, 16, 6, tzinfo=UTC))
    '2027-01-16'
    """
    return f"{moment:%Y-%m-%d}"
