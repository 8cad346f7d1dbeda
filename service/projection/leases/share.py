"""The partitions that a process projects at present."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection
from threading import Event, Lock, Thread
from typing import Final, Protocol

import redis

from service.projection.leases.process_name import has_ended, make_process_name
from service.projection.leases.table import LeaseTable, Shared

log = logging.getLogger(__name__)

LIVES: Final = 6.0
"""Seconds without a heartbeat after which a process loses its leases."""
BEAT: Final = 1.5
"""Seconds between two heartbeats."""
LOOK: Final = 1.0
"""Seconds between two checks of what is to be taken or given up."""
STUCK: Final = 600.0
"""Seconds without such a check, or progress, after which a process counts as stuck, and its heart
stops."""


class Share(Protocol):
    """Says which partitions the caller is to project."""

    def partitions(self) -> frozenset[int]:
        """The partitions to project from now on; called while none of them is being projected."""

    def holds(self) -> bool:
        """Whether what `partitions` returned last still holds."""

    def note_progress(self) -> None:
        """Note that the caller is not stuck; called between the parts of a long transaction."""

    def refuse(self, partitions: Collection[int]) -> None:
        """Leave partitions to processes that can read what is in them, if there are any."""


class Everything:
    """All partitions, for a projector that shares them with nobody."""

    def __init__(self, partitions: int) -> None:
        self._partitions = frozenset(range(partitions))

    def partitions(self) -> frozenset[int]:
        """All of them, always."""
        return self._partitions

    def holds(self) -> bool:
        """Always so."""
        return True

    def note_progress(self) -> None:
        """Nobody takes partitions away from a process that is stuck."""

    def refuse(self, partitions: Collection[int]) -> None:
        """There are no other processes: what cannot be read is left out."""


class LeasedShare:
    """A fair share of the partitions, and the duties for all if no other process has them.

    A thread keeps the leases alive while a transaction takes long, provided that it makes progress,
    and ends with `leave`. Only `partitions` takes and gives up leases.
    """

    def __init__(
        self,
        table: LeaseTable,
        name: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.table = table
        self.name = name or make_process_name()
        self._clock = clock
        self._shared = Shared(frozenset(), False, (), False)
        self._unreadable: set[int] = set()
        self._looked = self._progressed = self._until = float("-inf")
        self._is_due = False
        self._lapsed = False
        self._lock = Lock()
        self._left = Event()
        self._beating: Thread | None = None

    def partitions(self) -> frozenset[int]:
        """The partitions to project from now on, as of at most a second ago.

        Raises what Redis raises.
        """
        if self._is_due or not self.holds() or self._clock() >= self._looked + LOOK:
            self._look()
        return self._shared.partitions

    def leads(self) -> bool:
        """Whether this process has the duties for all; raises what Redis raises."""
        self.partitions()
        return self._shared.duties and self.holds()

    def holds(self) -> bool:
        """Whether the leases last taken still run; not so in a process that stood still."""
        with self._lock:
            if self._clock() < self._until:
                return True
            if self._shared.partitions and not self._lapsed:
                self._lapsed = True
                log.warning(
                    "this process (%s) stood still or could not reach Redis for %.0f seconds: its"
                    " leases have expired, and it writes nothing until it has new ones",
                    self.name,
                    LIVES,
                )
            return False

    def note_progress(self) -> None:
        """Note that this process is not stuck, so that its heart beats on."""
        self._progressed = self._clock()

    def beat(self) -> None:
        """Prolong the leases, unless this process is stuck; called at every heartbeat.

        Does nothing while Redis cannot be reached.
        """
        begun = self._clock()
        if begun > max(self._looked, self._progressed) + STUCK:
            return
        try:
            lives = self.table.beat(self.name, LIVES)
        except redis.RedisError:
            return
        with self._lock:
            # A process that is no longer a member has lost everything, whatever its own clock says.
            self._until = begun + LIVES if lives and begun < self._until else float("-inf")

    def refuse(self, partitions: Collection[int]) -> None:
        """Leave partitions to others for as long as this process lives, and say so."""
        self._unreadable |= {*partitions}
        # The heart beats on: the partitions held are still being projected.
        self._is_due = True
        log.error(
            "partitions %s are left to projectors of a newer version until this one is restarted:"
            " until one runs, their lists are not updated",
            ", ".join(map(str, sorted(partitions))),
        )

    def leave(self) -> None:
        """Give everything back at once, as the process ends. Redis may be down."""
        self._left.set()
        if self._beating is not None:
            self._beating.join(BEAT)
        self._until = float("-inf")
        try:
            self.table.remove([self.name])
        except redis.RedisError:
            log.info("Redis cannot be reached: the leases will expire")

    def _look(self) -> None:
        before = self._shared
        begun = self._clock()
        shared = self.table.share(self.name, LIVES, sorted(self._unreadable))
        if ended := [one for one in shared.members if has_ended(one)]:
            self.table.remove(ended)
            shared = self.table.share(self.name, LIVES, sorted(self._unreadable))
        with self._lock:
            self._until = begun + LIVES
            self._shared = shared
            self._looked = begun
            self._is_due = False
            self._lapsed = False
        if (before.partitions, before.duties) != (shared.partitions, shared.duties):
            log.info(
                "%s projects %d of %d partitions, beside %d other processes%s",
                self.name,
                len(shared.partitions),
                self.table.partitions,
                len(shared.members) - 1,
                ", and has the duties for all" if shared.duties else "",
            )
        if self._beating is None:
            self._beating = Thread(target=self._keep_beating, name="leases", daemon=True)
            self._beating.start()

    def _keep_beating(self) -> None:
        while not self._left.wait(BEAT):
            self.beat()
