"""What the bearer of a token may give and take: never more than the token itself is good for."""

from __future__ import annotations

from collections.abc import Iterable

from service.errors import MissingScope
from service.player.errors import ExceedsToken
from service.player.scopes import ADMIN
from service.player.state import Token


def check_scopes(own: Token, scopes: Iterable[str]) -> None:
    """Raise MissingScope for a scope that the bearer's own token lacks; an admin's has all."""
    if ADMIN in own.scopes:
        return
    for scope in scopes:
        if scope not in own.scopes:
            raise MissingScope(scope)


def granted_expiry(own: Token, asked: int | None) -> int | None:
    """When a token that the bearer of `own` gives expires, in milliseconds; None for never.

    Without a wish it lives as long as `own`. Raises ExceedsToken for a wish to live longer.
    """
    if own.expires is None or (asked is not None and asked <= own.expires):
        return asked
    if asked is not None:
        raise ExceedsToken(own.expires)
    return own.expires
