"""Players' addresses and choices in Redis beside the log: they can be forgotten, events cannot.

movelog:{mail}:subscriptions     hash: player → address and choices as JSON
movelog:{mail}:active            set: the players to whom mail is sent
movelog:{mail}:asked:<whose>     how many confirmations were sent for a player, or to an address,
                                 from one network address or from all, within a day
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, Final

import redis

from service.ids import keyed_digest
from service.languages.catalogue import SOURCE
from service.mail.errors import BadLink, MailUnavailable, TooManyConfirmations
from service.mail.subscription import (
    EVENTS,
    Pace,
    Subscription,
    digest_address,
    subscription_from_json,
)

PREFIX: Final = "movelog:{mail}:"
SUBSCRIPTIONS: Final = f"{PREFIX}subscriptions"
ACTIVE: Final = f"{PREFIX}active"
ASKED: Final = f"{PREFIX}asked:"
MOST_OF_PLAYER: Final = 5
"""The most confirmations for one player within a day."""
MOST_OF_NETWORK: Final = 3
"""The most confirmations to one address that one network address may request within a day."""
MOST_TO_ADDRESS: Final = 12
"""The most confirmations to one address that all of them together may request within a day."""
DAY_S: Final = 24 * 3600


class Subscriptions:
    """Who is notified of what by e-mail; `clock` gives milliseconds since 1970 UTC.

    If mail is not `enabled`, nobody is notified and nobody can subscribe.
    """

    def __init__(
        self, store: redis.Redis, clock: Callable[[], int], secret: bytes, *, enabled: bool
    ) -> None:
        self.store = store
        self.clock = clock
        self.secret = secret
        self.enabled = enabled

    def find(self, player: str) -> Subscription | None:
        """A player's subscription, None without one."""
        text: Any = self.store.hget(SUBSCRIPTIONS, player)
        return None if text is None else subscription_from_json(text)

    def find_active(self, events: Collection[str], players: Collection[str]) -> frozenset[str]:
        """Those of these players to whom mail is sent, if it is ever sent about these events."""
        asked = list(dict.fromkeys(players))
        if not asked or not self.enabled or set(events).isdisjoint(EVENTS):
            return frozenset()
        found: Any = self.store.smismember(ACTIVE, asked)
        return frozenset(player for player, active in zip(asked, found, strict=True) if active)

    def subscribe(
        self,
        player: str,
        address: str,
        events: Collection[str],
        pace: Pace,
        network: str,
        language: str = SOURCE,
    ) -> Subscription:
        """Store a player's address and choices, and the language of the mails.

        A subscription that was stopped is resumed. `network` is the network address from which
        it is requested.

        A new address has to be confirmed, and nothing is sent until then. Raises MailUnavailable,
        and TooManyConfirmations if one too many would have to be sent. Strangers who ask for an
        address that is not theirs do not keep its owner from using it.
        """
        if not self.enabled:
            raise MailUnavailable
        known = self.find(player)
        confirmed = known.confirmed_at if known and known.address == address else None
        asked_at = known.asked_at if known and confirmed is not None else self.clock()
        if confirmed is None:
            key = digest_address(self.secret, address)
            self._count_confirmation(player, MOST_OF_PLAYER)
            # Checked first: what one network address may not request does not count for others.
            here = keyed_digest(self.secret, "confirmations of network", key, network)[:32]
            self._count_confirmation(here, MOST_OF_NETWORK)
            self._count_confirmation(key, MOST_TO_ADDRESS)
        wishes = tuple(event for event in EVENTS if event in events)
        return self._keep(
            Subscription(player, address, wishes, pace, asked_at, confirmed, language=language)
        )

    def confirm(self, player: str, digest: str) -> Subscription:
        """Send mail to a player from now on; raises BadLink if the address has changed since."""
        known = self._find_with(player, digest)
        if known is None:
            raise BadLink
        if known.confirmed_at is not None:
            return known
        return self._keep(replace(known, confirmed_at=self.clock()))

    def stop(self, player: str, digest: str, reason: str) -> None:
        """Stop sending mail to a player, if they still have this address."""
        known = self._find_with(player, digest)
        if known is not None and known.stopped is None:
            self._keep(replace(known, stopped=reason))

    def remove(self, player: str) -> None:
        """Forget a player's address and choices."""
        pipeline = self.store.pipeline()
        pipeline.hdel(SUBSCRIPTIONS, player)
        pipeline.srem(ACTIVE, player)
        pipeline.execute()

    def _find_with(self, player: str, digest: str) -> Subscription | None:
        known = self.find(player)
        if known is None or digest_address(self.secret, known.address) != digest:
            return None
        return known

    def _keep(self, subscription: Subscription) -> Subscription:
        keep(self.store, subscription)
        return subscription

    def _count_confirmation(self, whose: str, most: int) -> None:
        key = f"{ASKED}{whose}"
        pipeline = self.store.pipeline()
        pipeline.set(key, 0, ex=DAY_S, nx=True)
        pipeline.incr(key)
        pipeline.ttl(key)
        _, count, seconds = pipeline.execute()
        if count > most:
            raise TooManyConfirmations(most, max(1, seconds))


def keep(store: redis.Redis, subscription: Subscription) -> None:
    """Store a subscription."""
    pipeline = store.pipeline()
    pipeline.hset(SUBSCRIPTIONS, subscription.player, subscription.to_json())
    change = pipeline.sadd if subscription.is_active else pipeline.srem
    change(ACTIVE, subscription.player)
    pipeline.execute()


def export_subscriptions(store: redis.Redis) -> dict[str, str]:
    """Export all subscriptions, as JSON by player."""
    found: Any = store.hgetall(SUBSCRIPTIONS)
    return {player.decode(): text.decode() for player, text in found.items()}


def restore_subscriptions(store: redis.Redis, copy: Mapping[str, str]) -> None:
    """Replace all subscriptions with the exported ones."""
    store.delete(SUBSCRIPTIONS, ACTIVE)
    for text in copy.values():
        keep(store, subscription_from_json(text))
