"""What can happen to a player. No event names a person or holds a secret."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.log.declarations import event
from service.log.values import Event


@event("player-registered/1")
class PlayerRegistered(Event):
    """A player exists; `claimed` is false for one known only from records."""

    claimed: bool


@event("token-issued/1")
class TokenIssued(Event):
    """A bearer token with these scopes, valid until `expires` (milliseconds) or for ever."""

    token: str
    scopes: tuple[str, ...]
    expires: int | None = None


@event("token-revoked/1")
class TokenRevoked(Event):
    """The token is no longer valid."""

    token: str


@event("player-renamed/1")
class PlayerRenamed(Event):
    """The player's name, kept beside the log, has changed."""


@event("player-merged/1")
class PlayerMerged(Event):
    """The player, known only from records, is the player `into`: one person, two spellings."""

    into: str


@event("player-parted/1")
class PlayerParted(Event):
    """The player was merged by mistake, and is separate again."""


@event("player-distinguished/1")
class PlayerDistinguished(Event):
    """The player is a different person from the player `other`, however alike their names are."""

    other: str


@event("player-erased/1")
class PlayerErased(Event):
    """The name and all tokens are gone; games stay, without the name."""


EVENTS: Final[Mapping[str, type[Event]]] = {
    event.stored_name: event
    for event in (
        PlayerRegistered,
        TokenIssued,
        TokenRevoked,
        PlayerRenamed,
        PlayerMerged,
        PlayerParted,
        PlayerDistinguished,
        PlayerErased,
    )
}
