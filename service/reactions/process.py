"""The loop of the projector's process: project, classify, retry, close periods, reconcile."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event
from typing import Final, Protocol

import redis

log = logging.getLogger(__name__)

WAIT: Final = 0.5
"""Seconds that a step waits for something new; a stop can take as long."""
TURN: Final = 0.5
"""Seconds that games are classified for between two steps."""
RECONCILE: Final = 2.0
"""Seconds between two runs of the reconciler."""
RETRY: Final = 10.0
"""Seconds between two turns of projecting dead letters."""
WATCH: Final = 1.0
"""Seconds between two checks of how far the lists are."""
CHECK: Final = 5.0
"""Seconds between two checks that the log has not lost what is in the lists."""
CLOSE: Final = 1.0
"""Seconds between two checks for rating periods that are over."""
TIDY: Final = 3600.0
"""Seconds between two removals of what is no longer needed."""
BACKOFF: Final = (0.1, 5.0)
"""Seconds until the first attempt to reach a lost store again, and the longest such delay."""


class ProjectorLike(Protocol):
    """What the loop needs from a projector (`service.projection.projector`)."""

    def step(self, timeout: float) -> int:
        """Project what is new, waiting up to `timeout` seconds for it."""

    def retry_dead_letters(self) -> None:
        """Try games again that could not be folded, for a bounded time."""


@dataclass(frozen=True, slots=True)
class Building:
    """Something that has to be built before there can be a projector.

    `build` runs in its own thread. Meanwhile `react` is called again and again: it does what
    follows from events, and waits up to the given number of seconds for something new.
    """

    build: Callable[[], object]
    react: Callable[[float], object]


class ProjectorProcess:
    """Runs a projector and, in the same loop, what has to be done every few seconds."""

    def __init__(
        self,
        start: Callable[[Callable[[], bool]], ProjectorLike],
        close_periods: Callable[[], None],
        reconcile: Callable[[], None],
        outages: tuple[type[Exception], ...],
        watch: Callable[[], None] = lambda: None,
        prepare: Callable[[Callable[[], bool]], Building | None] = lambda stopping: None,
        classify: Callable[[float], bool] = lambda seconds: False,
        tidy: Callable[[], object] = lambda: None,
        leads: Callable[[], bool] = lambda: True,
        leave: Callable[[], None] = lambda: None,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """`start` makes a projector that continues from the stored checkpoints.

        It is given a function that says whether the process is to stop. It is called again after
        each of the `outages`, the errors by which a store is lost or refuses. `close_periods`,
        `reconcile` and `watch` are called at intervals. `prepare` is called before `start`, with
        the same function, and returns what has to be built first, if anything; it is called again
        once that is built. `classify` continues to classify games by their openings for the given
        number of seconds, and returns whether some are left. `tidy` removes what is no longer
        needed; it is called about once an hour, and may fail. Of several processes, only one
        `leads`: it alone closes periods, reconciles, classifies and tidies. `leave` is called at
        the end. `check` raises one of the `outages` if what is built has to be rebuilt.
        """
        self.start = start
        self.close_periods = close_periods
        self.reconcile = reconcile
        self.outages = outages
        self.watch = watch
        self.prepare = prepare
        self.classify = classify
        self.tidy = tidy
        self.leads = leads
        self.leave = leave
        self.check = check

    def run(self, stop: Event) -> None:
        """Run until `stop` is set; while a store is down, wait for it.

        Jobs are reconciled meanwhile, and while something is built: they do not need the lists.
        """
        reconciling = Interval(self._try_to_reconcile, RECONCILE)
        watching = Interval(self.watch, WATCH)
        checking = Interval(self.check, CHECK)
        tidying = Interval(self._try_to_tidy, TIDY)
        delay = BACKOFF[0]
        try:
            while not stop.is_set():
                try:
                    building = self.prepare(stop.is_set)
                    if building is not None:
                        self._build(building, reconciling)
                        continue
                    projector = self.start(stop.is_set)
                    retries = Interval(projector.retry_dead_letters, RETRY)
                    closing = Interval(self.close_periods, CLOSE)
                    while not stop.is_set():
                        unclassified = self.leads() and self.classify(TURN)
                        projector.step(0 if unclassified else WAIT)
                        checking.run_if_due()
                        retries.run_if_due()
                        watching.run_if_due()
                        delay = BACKOFF[0]
                        if self.leads():
                            closing.run_if_due()
                            reconciling.run_if_due()
                            tidying.run_if_due()
                except self.outages as error:
                    log.warning("the store is away (%s), trying again in %.1f s", error, delay)
                    stop.wait(delay)
                    delay = min(2 * delay, BACKOFF[1])
                    reconciling.run_if_due()
        finally:
            self.leave()

    def _build(self, building: Building, reconciling: Interval) -> None:
        """Build what has to be built, while other duties go on. Raises what `build` raises."""
        with ThreadPoolExecutor(1, "building") as pool:
            built = pool.submit(building.build)
            while not built.done():
                try:
                    building.react(WAIT)
                except self.outages as error:
                    log.warning("the store is away (%s), trying again", error)
                    wait([built], BACKOFF[0])
                reconciling.run_if_due()
        built.result()

    def _try_to_tidy(self) -> None:
        try:
            self.tidy()
        except self.outages as error:
            log.warning("obsolete data could not be removed: %s", error)

    def _try_to_reconcile(self) -> None:
        try:
            if self.leads():
                self.reconcile()
        except redis.RedisError as error:
            # The queue may be on another server; the lists go on without it.
            away = isinstance(error, redis.ConnectionError | redis.TimeoutError)
            log.warning("the jobs could not be reconciled: %s", error, exc_info=not away)


class Interval:
    """A task that is due at once, and again `every` seconds after each start."""

    def __init__(self, task: Callable[[], None], every: float) -> None:
        self.task = task
        self.every = every
        self._next = float("-inf")

    def run_if_due(self) -> None:
        """Run the task if it is due."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + self.every
            self.task()
