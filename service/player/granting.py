"""What a bearer may give and take: never more, nor for longer, than they themselves have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from service.errors import MissingScope
from service.player.errors import ExceedsToken
from service.player.scopes import ADMIN, PLAY
from service.player.state import Token


@dataclass(frozen=True, slots=True)
class Grant:
    """Somebody's scopes, each with its end in milliseconds, None for never.

    An admin's scope includes all.
    """

    ends: Mapping[str, int | None]

    @classmethod
    def from_token(cls, token: Token) -> Self:
        """What the bearer of a token may give: its scopes, as long as it lasts."""
        return cls(dict.fromkeys(token.scopes, token.expires))

    @classmethod
    def from_session(cls, good: Iterable[Token]) -> Self:
        """What a session begun without a token may give, for a player with these valid tokens.

        Everybody may play for ever. What else their tokens allow ends with the last of them.
        """
        ends: dict[str, int | None] = {PLAY: None}
        for token in good:
            for scope in token.scopes:
                known = ends.get(scope, 0)
                lasts = known is None or token.expires is None
                ends[scope] = None if lasts else max(known or 0, token.expires or 0)
        return cls(ends)

    def find_end(self, scopes: Iterable[str]) -> int | None:
        """Until when all of these scopes, which it has, can be given; None for ever."""
        ends = [end for scope in scopes if (end := self._find_end(scope)) is not None]
        return min(ends, default=None)

    def _find_end(self, scope: str) -> int | None:
        ends = [self.ends[one] for one in (scope, ADMIN) if one in self.ends]
        return None if None in ends else max((end for end in ends if end is not None), default=0)


def check_scopes(own: Grant, scopes: Iterable[str]) -> None:
    """Raise MissingScope for a scope that the bearer's own grant lacks; an admin's has all."""
    if ADMIN in own.ends:
        return
    for scope in scopes:
        if scope not in own.ends:
            raise MissingScope(scope)


def check_lasts(end: int | None, asked: int | None) -> None:
    """Raise ExceedsToken if `asked`, in milliseconds, is later than `end`.

    None stands for never.
    """
    if end is not None and (asked is None or asked > end):
        raise ExceedsToken(end)


def granted_expiry(end: int | None, asked: int | None) -> int | None:
    """When a token expires, in milliseconds, that may be given until `end` at the latest.

    None stands for never. If `asked` is None, it lasts as long as it can. Raises ExceedsToken if
    `asked` is later.
    """
    if asked is None:
        return end
    check_lasts(end, asked)
    return asked
