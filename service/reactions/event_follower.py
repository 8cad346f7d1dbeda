"""Reacting to events of some classes in the streams of one kind."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import redis

from service.log.interface import EventLog
from service.log.values import Event, Pointer, Recorded

log = logging.getLogger(__name__)


class EventFollower:
    """Follows the streams of one `kind`, and calls `react` for each pointer to a fitting event.

    `fits` says whether an event is one to react to; `react` gets the pointer and the newest such
    event of it. It is called at least once for each, so calling it again must change nothing.
    """

    def __init__(
        self,
        events: EventLog,
        kind: str,
        fits: Callable[[Event], bool],
        react: Callable[[Pointer, Recorded], None],
    ) -> None:
        self.events = events
        self.kind = kind
        self.fits = fits
        self.react = react

    def follow(self, pointers: Sequence[Pointer]) -> None:
        """React to these pointers.

        Raises what the store raises when it cannot be reached. Any other error is logged, so that
        one broken stream does not hold up the others.
        """
        for pointer in pointers:
            try:
                fitting = [entry for entry in self._read(pointer) if self.fits(entry.event)]
                if fitting:
                    self.react(pointer, fitting[-1])
            except redis.RedisError:
                raise
            except Exception:
                log.exception("nothing was done about %s", pointer.stream)

    def _read(self, pointer: Pointer) -> list[Recorded]:
        """The events that a pointer names."""
        count = pointer.last - pointer.first + 1
        return self.events.read(pointer.stream, pointer.first - 1, count)
