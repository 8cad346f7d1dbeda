"""Deliveries to webhooks: many at once, none of which waits for another receiver's."""

from __future__ import annotations

import logging
import os
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Event, Thread
from time import monotonic, sleep
from typing import Final

import redis

from service.composition import Service
from service.jobs.errors import LeaseLost
from service.jobs.kinds import DELIVERY
from workers.functions import FUNCTIONS
from workers.run import carry_out

log = logging.getLogger(__name__)

AT_ONCE: Final = 64
"""Deliveries under way in one process."""
OF_ONE: Final = 3
"""Deliveries under way to one receiver: all webhooks a player may have hold less than AT_ONCE."""
POLL: Final = 0.2
"""Seconds between two looks for deliveries that have become due."""
PAUSE: Final = 1.0
"""Seconds until the store is tried again when it is away or has no room."""
GRACE: Final = 2.0
"""Seconds that deliveries under way are given to end in when the process is to stop."""


class Deliveries:
    """Begins due deliveries, receivers taking turns, each delivery in a thread of its own."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.jobs = service.jobs
        self._changed = Condition()
        self.under_way: dict[str, str] = {}
        """The receivers by the ids of the jobs under way."""
        self._turns: dict[str, int] = {}
        self._turn = 0

    def run(self, stop: Event) -> None:
        """Deliver until `stop` is set; a store that is away is waited for."""
        while not stop.is_set():
            try:
                begun = self.begin_due()
            except redis.RedisError as error:
                log.warning("the store is away: %s", error)
                stop.wait(PAUSE)
                continue
            with self._changed:
                if not begun:
                    self._changed.wait(POLL)

    def begin_due(self) -> int:
        """Begin at most one delivery to each receiver that has its turn; returns how many."""
        receivers = self.jobs.due_groups(DELIVERY)
        # Who has waited longest since their last turn comes first; nobody else is remembered.
        self._turns = {receiver: self._turns.get(receiver, 0) for receiver in receivers}
        suspects = self.service.receivers.striking(receivers)
        begun = 0
        # Who did not answer the last time comes behind all others.
        for receiver in sorted(receivers, key=lambda r: (r in suspects, self._turns[r])):
            with self._changed:
                under_way = Counter(self.under_way.values())
                known = set(self.under_way)
            if under_way.total() >= AT_ONCE:
                break
            if under_way[receiver] < (1 if receiver in suspects else OF_ONE):
                due = self.jobs.due_in(DELIVERY, receiver, OF_ONE + 1)
                fresh = [id for id in due if id not in known]
                begun += self._begin(fresh[0], receiver) if fresh else 0
        return begun

    def _begin(self, id: str, receiver: str) -> int:
        with self._changed:
            self.under_way[id] = receiver
        self._turn += 1
        self._turns[receiver] = self._turn
        Thread(target=self._deliver, args=(id,), name=f"delivery {id}", daemon=True).start()
        return 1

    def _deliver(self, id: str) -> None:
        try:
            if not carry_out(id, self.service, self.jobs, FUNCTIONS):
                # Another process has it, or there is no room to begin it: it keeps its place here
                # for a while, so that it is not asked for again and again.
                sleep(PAUSE)
        except redis.RedisError as error:
            log.warning("delivery %s is left for another try: %s", id, error)
            sleep(PAUSE)
        finally:
            with self._changed:
                del self.under_way[id]
                self._changed.notify()

    def give_back(self, seconds: float) -> None:
        """Wait for what is under way, then give the rest back, to be delivered again.

        A receiver may get such a delivery twice, with the same id.
        """
        end = monotonic() + seconds
        with self._changed:
            while self.under_way and (left := end - monotonic()) > 0:
                self._changed.wait(left)
            abandoned = list(self.under_way)
        for id in abandoned:
            try:
                self.jobs.release(self.jobs.get(id))
            except (LeaseLost, redis.RedisError) as error:
                log.info("delivery %s comes back by itself: %s", id, error)


@contextmanager
def delivering(service: Service) -> Iterator[None]:
    """Delivers in a thread of its own meanwhile; a process whose thread fails is ended."""
    stop, deliveries = Event(), Deliveries(service)

    def run() -> None:
        try:
            deliveries.run(stop)
        finally:
            if not stop.is_set():
                os.kill(os.getpid(), signal.SIGTERM)

    thread = Thread(target=run, name="deliveries", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(GRACE)
        deliveries.give_back(GRACE)
