"""A webhook and its deliveries, as values."""

from __future__ import annotations

import hmac
import json
from collections.abc import Collection
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Final

from service.ids import keyed_digest

GAME_FINISHED: Final = "game-finished"
GAME_REOPENED: Final = "game-reopened"
IMPORT_FINISHED: Final = "import-finished"
ANALYSIS_FINISHED: Final = "analysis-finished"
CHALLENGE: Final = "challenge"
YOUR_TURN: Final = "your-turn"
DRAW_OFFERED: Final = "draw-offered"
CLOCK_LOW: Final = "clock-low"
ROUND_READY: Final = "round-ready"
TOURNAMENT_FINISHED: Final = "tournament-finished"
GAME_NEWS: Final = (CHALLENGE, YOUR_TURN, DRAW_OFFERED, CLOCK_LOW)
"""Events of a game that is not over."""
EVENTS: Final = (
    GAME_FINISHED,
    GAME_REOPENED,
    IMPORT_FINISHED,
    ANALYSIS_FINISHED,
    *GAME_NEWS,
    ROUND_READY,
    TOURNAMENT_FINISHED,
)
"""The events that a webhook can be notified of."""
ABOUT_GAMES: Final = frozenset({GAME_FINISHED, GAME_REOPENED, *GAME_NEWS})
"""The events to which a webhook's filter applies."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """A player's webhook: its URL and the events it wants. Times are milliseconds since 1970 UTC.

    If `everybody` is set, which only an admin can do, it is notified of all games, imports and
    analyses; otherwise only of its owner's. `filter` is a search's parameters, as text: it is
    notified only of games that match, or of all if it is None. `rotation` counts the secrets it has
    had; `failing_since` is when deliveries began to fail, None while they arrive; `disabled` says
    why nothing is sent any more, None while it is enabled.
    """

    id: str
    owner: str
    url: str
    events: tuple[str, ...]
    everybody: bool
    created_at: int
    rotation: int = 1
    failing_since: int | None = None
    disabled: str | None = None
    filter: str | None = None

    def wants(self, event: str, concerned: Collection[str], *, private: bool) -> bool:
        """Whether it is to be notified of an event that concerns these players, or them alone."""
        heard = self.owner in concerned or (self.everybody and not private)
        return self.disabled is None and event in self.events and heard


@dataclass(frozen=True, slots=True)
class Listeners:
    """The players who are notified of what concerns them; with `everybody`, of everything."""

    players: frozenset[str]
    everybody: bool = False

    def are_concerned(self, concerned: Collection[str]) -> bool:
        """Whether any of them is notified of what concerns these players."""
        return self.everybody or not self.players.isdisjoint(concerned)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try to deliver something.

    `delivery` is the same for all tries of one notice, and `number` counts them from 1. `status` is
    what the receiver answered, `error` why there was no answer; one of them is None. `next_at` is
    when the next try is due, None after success and after the last.
    """

    delivery: str
    event: str
    number: int
    at: int
    took_ms: int
    status: int | None
    error: str | None
    next_at: int | None

    @property
    def delivered(self) -> bool:
        """Whether the receiver accepted it: any status from 200 to 299."""
        return self.status is not None and 200 <= self.status < 300

    def to_json(self) -> str:
        """The attempt as JSON."""
        return json.dumps(asdict(self), separators=(",", ":"))


def attempt_from_json(text: str | bytes) -> Attempt:
    """The attempt that `Attempt.to_json` wrote."""
    values: dict[str, Any] = json.loads(text)
    return Attempt(**values)


def derive_secret(key: bytes, webhook: Webhook) -> str:
    """A webhook's secret: derived from the service's key, so that it is stored nowhere."""
    return f"whs_{keyed_digest(key, 'webhook', webhook.id, str(webhook.rotation))}"


def sign_body(secret: str, timestamp: int, body: bytes) -> str:
    """Compute `X-Movelog-Signature`: HMAC-SHA-256 of the timestamp, a dot and the body.

    `timestamp` is in seconds since 1970 UTC.

    >>> sign_body("whs_x", 1700000000, b"{}")[:20]
    't=1700000000,v1=0e18'
    """
    signed = str(timestamp).encode() + b"." + body
    digest = hmac.new(secret.encode(), signed, sha256).hexdigest()
    return f"t={timestamp},v1={digest}"
