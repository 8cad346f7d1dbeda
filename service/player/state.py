"""The state of a player: the fold of their events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from service.log.folding import make_fold
from service.log.values import GENESIS, Recorded, StreamId
from service.player import events
from service.player.scopes import ADMIN

KIND = "player"


def stream_of(id: str) -> StreamId:
    """The stream of a player."""
    return StreamId(KIND, id)


@dataclass(frozen=True, slots=True)
class Token:
    """A bearer token, without its secret. `expires` is in milliseconds since 1970 UTC."""

    id: str
    scopes: tuple[str, ...]
    issued_at: int
    expires: int | None = None

    def is_good(self, now: int) -> bool:
        """Whether it has not expired."""
        return self.expires is None or now < self.expires


@dataclass(frozen=True, slots=True)
class PlayerState:
    """A player after `version` events; `tokens` are those not revoked, by id.

    `distinct_from` are players who are known to be other persons, although their names are alike.
    """

    id: str
    version: int = 0
    head: str = GENESIS
    updated_at: int = 0
    claimed: bool = False
    erased: bool = False
    registered_at: int = 0
    registered_by: str = ""
    merged_into: str | None = None
    tokens: Mapping[str, Token] = field(default_factory=dict)
    distinct_from: frozenset[str] = frozenset()

    def is_admin(self, now: int) -> bool:
        """Whether they now have a valid token with the admin's scope."""
        return any(ADMIN in token.scopes and token.is_good(now) for token in self.tokens.values())


def evolve(state: PlayerState | None, id: str, entry: Recorded) -> PlayerState:
    """The state after one more event."""
    after = apply_event(state or PlayerState(id), entry)
    return replace(after, version=entry.version, head=entry.hash, updated_at=entry.at)


fold: Final = make_fold(evolve)
"""The fold of a player's events."""


def apply_event(state: PlayerState, entry: Recorded) -> PlayerState:
    """The changes of an event to a player, except the version."""
    match entry.event:
        case events.PlayerRegistered(claimed=claimed):
            return replace(state, claimed=claimed, registered_at=entry.at, registered_by=entry.by)
        case events.TokenIssued(token=id, scopes=scopes, expires=expires):
            token = Token(id, tuple(scopes), entry.at, expires)
            return replace(state, claimed=True, tokens={**state.tokens, id: token})
        case events.TokenRevoked(token=id):
            kept = {key: token for key, token in state.tokens.items() if key != id}
            return replace(state, tokens=kept)
        case events.PlayerRenamed():
            return state
        case events.PlayerMerged(into=into):
            return replace(state, merged_into=into)
        case events.PlayerParted():
            return replace(state, merged_into=None)
        case events.PlayerDistinguished(other=other):
            return replace(state, distinct_from=state.distinct_from | {other})
        case events.PlayerErased():
            return replace(state, erased=True, tokens={})
        case unknown:
            raise TypeError(f"{type(unknown).__name__} has no effect defined")
