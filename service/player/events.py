"""What can have happened to a player. None of it names a person or holds a secret."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from service.log.values import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerRegistered(Event):
    """A player exists; `claimed` is false for one known from records alone."""

    stored_name = "player-registered/1"
    claimed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenIssued(Event):
    """A bearer token with these scopes, good until `expires` (milliseconds) or for ever."""

    stored_name = "token-issued/1"
    token: str
    scopes: tuple[str, ...]
    expires: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRevoked(Event):
    """The token is good for nothing any more."""

    stored_name = "token-revoked/1"
    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerRenamed(Event):
    """The player's name, kept beside the log, is another one."""

    stored_name = "player-renamed/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerMerged(Event):
    """The player, known from records alone, is the player `into`: one person, two spellings."""

    stored_name = "player-merged/1"
    into: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerParted(Event):
    """The player was merged by mistake, and stands alone again."""

    stored_name = "player-parted/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerErased(Event):
    """The name and all tokens are gone; games stay, under no name."""

    stored_name = "player-erased/1"


EVENTS: Final[Mapping[str, type[Event]]] = {
    event.stored_name: event
    for event in (
        PlayerRegistered,
        TokenIssued,
        TokenRevoked,
        PlayerRenamed,
        PlayerMerged,
        PlayerParted,
        PlayerErased,
    )
}
