"""Who listens to events: by a webhook, or by e-mail."""

from __future__ import annotations

from collections.abc import Collection

from service.mail.store import Subscriptions
from service.webhooks.store import Webhooks
from service.webhooks.webhook import Listeners


def find_listeners(
    webhooks: Webhooks,
    subscriptions: Subscriptions,
    events: Collection[str],
    players: Collection[str],
) -> Listeners:
    """Which of these players are notified of any of these events in one way or the other.

    Also says whether anybody is notified of what concerns others.
    """
    hooked = webhooks.find_listeners(events, players)
    mailed = subscriptions.find_active(events, players)
    return Listeners(hooked.players | mailed, hooked.everybody)
