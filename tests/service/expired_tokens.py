"""Tokens that have expired, for tests of what such a token is still good for."""

from __future__ import annotations

import time
from collections.abc import Sequence

from service.player.commands import Principal
from service.player.repository import Players
from service.player.tokens import NewToken


def issue_expired(players: Players, id: str, scopes: Sequence[str], by: Principal) -> NewToken:
    """A token that was good for one millisecond, issued while the clock stood still."""
    clock = players.clock
    at = clock()
    players.clock = lambda: at
    try:
        brief = players.issue(id, scopes, by, at + 1)
    finally:
        players.clock = clock
    while clock() <= at + 1:
        time.sleep(0.001)
    return brief
