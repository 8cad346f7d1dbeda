"""The commands to a player. Names and secrets of tokens never reach an event."""

from __future__ import annotations

from dataclasses import dataclass

from service.log.declarations import command
from service.player.granting import Grant


@dataclass(frozen=True, slots=True)
class Principal:
    """The sender of a command: a player, or one of the service's own processes.

    `grant` is the player's authorisation, which limits what they may give and take. It is None for
    the service and its operator, whom nothing limits, and if nobody's rights matter.
    """

    player: str
    grant: Grant | None


@command
class RegisterPlayer:
    """Register a player with a first token; only the service's own players have a `reserved` name.

    `at` is when the token is issued, `expires` when it ends, in milliseconds since 1970 UTC.
    Without a `secret` there is no token: the player signs in some other way.
    """

    name: str
    secret: str | None
    scopes: tuple[str, ...]
    expires: int | None
    at: int
    reserved: bool = False


@command
class RegisterUnclaimed:
    """Make a player known only from records, under exactly this name."""

    name: str


@command
class IssueToken:
    """Give a player another token; without `expires` it lasts as long as the principal's.

    `name` is the player's name for it.
    """

    secret: str
    scopes: tuple[str, ...]
    expires: int | None
    at: int
    name: str | None = None


@command
class RevokeToken:
    """Revoke a token."""

    token: str


@command
class RotateToken:
    """Replace a token with a new one with its scopes and expiry, or the principal's if earlier."""

    token: str
    secret: str
    at: int
    name: str | None = None


@command
class RenamePlayer:
    """Give a player another name."""

    name: str


@command
class MergePlayer:
    """Merge a player known only from records into the player `into`."""

    into: str


@command
class PartPlayer:
    """Undo a merger."""


@command
class DistinguishPlayer:
    """Record that a player is a different person from the player `other`."""

    other: str


@command
class ErasePlayer:
    """Remove a player's name and tokens for good, at a time in milliseconds since 1970 UTC."""

    at: int


NewPlayerCommand = RegisterPlayer | RegisterUnclaimed
"""The commands that begin a player."""
PlayerCommand = (
    IssueToken
    | RevokeToken
    | RotateToken
    | RenamePlayer
    | MergePlayer
    | PartPlayer
    | DistinguishPlayer
    | ErasePlayer
)
"""The commands to a player who exists."""
