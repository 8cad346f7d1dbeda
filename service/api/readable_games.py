"""Loads games where one that cannot be read must not stop the others."""

from __future__ import annotations

import logging

from redis.exceptions import RedisError

from service.game.repository import Games
from service.game.state import GameState

log = logging.getLogger(__name__)


def load_if_readable(games: Games, id: str) -> GameState | None:
    """A game, or None if its log cannot be folded."""
    try:
        return games.load(id)
    except RedisError:
        raise
    except Exception:
        log.exception("game %s cannot be folded", id)
        return None
