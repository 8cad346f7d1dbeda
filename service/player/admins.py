"""The admins of the service, of whom there is always at least one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final

from service.log.interface import EventLog
from service.player.errors import LastAdmin
from service.player.state import KIND, PlayerState, fold, stream_of

OPERATOR: Final = "movelog:operator"
"""The actor in the log when somebody with access to the machine acts."""
ADMIN_LASTS: Final = 7 * 24 * 3600 * 1000
"""Milliseconds for which the token of a remaining admin has to be valid."""
BATCH: Final = 500


class Admins:
    """Finds from the log itself whether anybody else is an admin.

    `alone` returns a context that only one thread of one process is in at a time. Otherwise two
    admins who leave at the same time could each count on the other.
    """

    def __init__(
        self,
        log: EventLog,
        clock: Callable[[], int],
        alone: Callable[[], AbstractContextManager[object]],
    ) -> None:
        self.log = log
        self.clock = clock
        self.alone = alone

    def check_not_last(self, leaving: PlayerState) -> None:
        """Raise LastAdmin unless another player is an admin, and still is one ADMIN_LASTS from now.

        Looks at every player if need be, since it is rare that an admin leaves.
        """
        others = [stream for stream in self.log.streams(KIND) if stream != stream_of(leaving.id)]
        later = self.clock() + ADMIN_LASTS
        for start in range(0, len(others), BATCH):
            part = others[start : start + BATCH]
            for stream, recorded in zip(part, self.log.read_each(part), strict=True):
                state = fold(stream.id, recorded)
                if state is not None and state.is_admin(later):
                    return
        raise LastAdmin
