"""Folding a game whose log may hold an event that cannot be folded."""

from __future__ import annotations

import redis

from service.game.evolve import evolve
from service.game.repository import stream_of
from service.game.state import GameState
from service.log.interface import EventLog
from service.log.unreadable import Unreadable


def fold_as_far_as_it_goes(events: EventLog, id: str) -> tuple[GameState | None, Exception | None]:
    """The state before a game's first bad event, and what is wrong with that event.

    The state is None where the first event is bad or there are no events; the error is None where
    all are good. Raises what the store raises when it cannot be reached.
    """
    state = None
    try:
        # One at a time: an unreadable event spoils every answer that contains it.
        while entries := events.read(stream_of(id), state.version if state else 0, 1):
            state = evolve(state, id, entries[0])
    except Unreadable as error:
        return state, error
    except redis.RedisError:
        raise
    except Exception as error:
        return state, error
    return state, None
