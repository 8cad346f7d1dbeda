"""What can be asked of a player. Names and secrets of tokens never reach an event."""

from __future__ import annotations

from dataclasses import dataclass

from service.log.declarations import command
from service.player.granting import Grant


@dataclass(frozen=True, slots=True)
class Principal:
    """Who sends a command: a player, or one of the service's own processes.

    `grant` is what the player came with, which bounds what they may give and take. It is None for
    the service and its operator, whom nothing bounds, and where nobody's rights are asked for.
    """

    player: str
    grant: Grant | None


@command
class RegisterPlayer:
    """Register a player with a first token; only the service's own have a `reserved` name.

    `at` is when the token is issued, `expires` when it ends, in milliseconds since 1970 UTC.
    Without a `secret` there is no token: the player signs in otherwise.
    """

    name: str
    secret: str | None
    scopes: tuple[str, ...]
    expires: int | None
    at: int
    reserved: bool = False


@command
class RegisterUnclaimed:
    """Make a player known from records alone, under exactly this name."""

    name: str


@command
class IssueToken:
    """Give a player a further token; without `expires` it lives as long as the principal's.

    `name` is what the player calls it.
    """

    secret: str
    scopes: tuple[str, ...]
    expires: int | None
    at: int
    name: str | None = None


@command
class RevokeToken:
    """Make a token good for nothing."""

    token: str


@command
class RotateToken:
    """Replace a token by a new one with its scopes and expiry, or the principal's if earlier."""

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
    """Let a player known from records alone be the player `into`."""

    into: str


@command
class PartPlayer:
    """Take a merger back."""


@command
class DistinguishPlayer:
    """Note that a player is somebody else than the player `other`."""

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
"""The commands on a player there is."""
