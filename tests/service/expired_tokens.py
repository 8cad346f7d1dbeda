"""Tokens that have expired, to test what they are still good for."""

from __future__ import annotations

import time
from collections.abc import Sequence

from service.player.commands import Principal
from service.player.repository import Players
from service.player.tokens import NewToken


def issue_expired(players: Players, id: str, scopes: Sequence[str], by: Principal) -> NewToken:
    """Issue a token for one millisecond, with the clock stopped, and wait until it has expired."""
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
