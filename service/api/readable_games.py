"""Loads games where one that cannot be read must not stop the others."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

from redis.exceptions import RedisError

from service.game.repository import Games
from service.game.state import GameState
from service.projection.database.chunks import batched

log = logging.getLogger(__name__)

TOGETHER: Final = 200
"""Games that are read in one round trip."""


def load_if_readable(games: Games, id: str) -> GameState | None:
    """A game, or None if its log cannot be folded."""
    try:
        return games.load(id)
    except RedisError:
        raise
    except Exception:
        log.exception("game %s cannot be folded", id)
        return None


def load_each_readable(games: Games, ids: Sequence[str]) -> dict[str, GameState]:
    """Those of these games whose logs can be folded, by id, up to `TOGETHER` in a round trip."""
    found: dict[str, GameState] = {}
    for some in batched(ids, TOGETHER):
        found.update({state.id: state for state in _load_together(games, some)})
    return found


def _load_together(games: Games, ids: Sequence[str]) -> list[GameState]:
    try:
        return games.load_each(ids)
    except RedisError:
        raise
    except Exception:
        # One at a time, so that only those that cannot be folded are left out.
        states = [load_if_readable(games, id) for id in ids]
        return [state for state in states if state is not None]
