"""What a player wants to be notified of by e-mail, as a value."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final

from service.ids import keyed_digest
from service.languages.catalogue import SOURCE
from service.webhooks.webhook import CLOCK_LOW, DRAW_OFFERED, YOUR_TURN

EVENTS: Final = (YOUR_TURN, DRAW_OFFERED, CLOCK_LOW)
"""What players can be notified of by e-mail, in games with days a move."""


class Pace(StrEnum):
    """How often mails are sent."""

    IMMEDIATELY = "immediately"
    DAILY = "daily"
    """At most one mail a day."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """A player's address and choices; times are milliseconds since 1970 UTC.

    `confirmed_at` is None until somebody follows the link that was sent to the address at
    `asked_at`. `stopped` says why no mail is sent, None while it is. `language` is that of the
    mails.
    """

    player: str
    address: str
    events: tuple[str, ...]
    pace: Pace
    asked_at: int
    confirmed_at: int | None = None
    stopped: str | None = None
    language: str = SOURCE

    @property
    def is_active(self) -> bool:
        """Whether any mail other than a confirmation is sent."""
        return self.confirmed_at is not None and self.stopped is None and bool(self.events)

    def to_json(self) -> str:
        """The subscription as JSON."""
        return json.dumps(asdict(self), separators=(",", ":"))


def subscription_from_json(text: str | bytes) -> Subscription:
    """The subscription that `Subscription.to_json` wrote."""
    values: dict[str, Any] = json.loads(text)
    return Subscription(
        **{**values, "events": tuple(values["events"]), "pace": Pace(values["pace"])}
    )


def digest_address(secret: bytes, address: str) -> str:
    """A stand-in for an address where it must not be readable."""
    return keyed_digest(secret, "mail address", address.lower())[:32]
