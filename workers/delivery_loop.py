"""Deliveries to webhooks: many at once, none waiting for those of another owner or receiver.

Due deliveries wait on routes, each from one owner to one receiver (`service.webhooks.receivers`).
"""

from __future__ import annotations

import logging
import os
import secrets
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Event, Thread
from time import monotonic, sleep
from typing import Final

import redis

from service.composition.service import Service
from service.jobs.errors import LeaseLost
from service.jobs.job_kinds import DELIVERY
from service.storage.outage_log import OutageLog
from workers.job_functions import FUNCTIONS
from workers.run import carry_out

log = logging.getLogger(__name__)

AT_ONCE: Final = 64
"""Deliveries under way in one process."""
OF_ONE: Final = 3
"""Deliveries under way on one route: all webhooks a player may have hold less than AT_ONCE."""
TO_ONE: Final = 12
"""Deliveries under way to one receiver, from all owners together."""
POLL: Final = 0.2
"""Seconds between two looks for deliveries that have become due."""
PAUSE: Final = 1.0
"""Seconds until the store is tried again when it is away or full."""
GRACE: Final = 2.0
"""Seconds in which deliveries under way may end when the process has to stop."""


class Deliveries:
    """Begins due deliveries, each in a separate thread.

    Owners take turns, however many receivers each has, and an owner's routes take turns in these.
    """

    def __init__(self, service: Service) -> None:
        self.service = service
        self.jobs = service.jobs
        self._changed = Condition()
        self._process = secrets.token_hex(8)
        self._outages = OutageLog(log)
        self.under_way: dict[str, str] = {}
        """The routes by the ids of the jobs under way."""
        self._turns: dict[str, int] = {}
        """The last turn of each owner and route that has something due."""
        self._turn = 0

    def run(self, stop: Event) -> None:
        """Deliver until `stop` is set; a store that is away is waited for."""
        while not stop.is_set():
            try:
                begun = self.begin_due()
                self._outages.note_success()
            except redis.RedisError as error:
                self._outages.note(error)
                stop.wait(PAUSE)
                continue
            with self._changed:
                if not begun:
                    self._changed.wait(POLL)

    def begin_due(self) -> int:
        """Begin at most one delivery on each route whose turn it is; returns how many."""
        routes = self.jobs.due_groups(DELIVERY)
        suspects = self.service.receivers.striking(routes)
        begun = 0
        for route in self._order_by_turn(routes, suspects):
            with self._changed:
                under_way = Counter(self.under_way.values())
                known = set(self.under_way)
            if under_way.total() >= AT_ONCE:
                break
            receiver = read_receiver(route)
            to_it = sum(n for other, n in under_way.items() if read_receiver(other) == receiver)
            if under_way[route] < (1 if route in suspects else OF_ONE) and to_it < TO_ONE:
                due = self.jobs.due_in(DELIVERY, route, OF_ONE + 1)
                fresh = [id for id in due if id not in known]
                begun += self._begin(fresh[0], route) if fresh else 0
        return begun

    def _order_by_turn(self, routes: list[str], suspects: set[str]) -> list[str]:
        """The routes in the order of their turns.

        Each owner's first route comes before any owner's second. The owner who has waited longest
        since their last turn comes first. Routes whose last delivery got no answer come last.
        """
        known = {name for route in routes for name in (route, read_owner(route))}
        # No others are remembered.
        self._turns = {name: self._turns.get(name, 0) for name in known}
        before: Counter[tuple[bool, str]] = Counter()
        places: dict[str, tuple[bool, int, int]] = {}
        for route in sorted(routes, key=self._turns.__getitem__):
            owner, suspect = read_owner(route), route in suspects
            places[route] = suspect, before[suspect, owner], self._turns[owner]
            before[suspect, owner] += 1
        return sorted(places, key=places.__getitem__)

    def _begin(self, id: str, route: str) -> int:
        with self._changed:
            self.under_way[id] = route
        self._turn += 1
        self._turns[route] = self._turns[read_owner(route)] = self._turn
        Thread(target=self._deliver, args=(id,), name=f"delivery {id}", daemon=True).start()
        return 1

    def _deliver(self, id: str) -> None:
        try:
            owner = f"{self._process} {secrets.token_hex(8)}"
            if not carry_out(id, self.service, self.jobs, FUNCTIONS, owner):
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
        """Wait for deliveries under way, then give the rest back, to be delivered again.

        Deliveries that another process has begun are left to it. A receiver may get a delivery that
        was given back twice, with the same id.
        """
        end = monotonic() + seconds
        with self._changed:
            while self.under_way and (left := end - monotonic()) > 0:
                self._changed.wait(left)
            abandoned = list(self.under_way)
        for id in abandoned:
            try:
                job = self.jobs.get(id)
                if job.owner.startswith(self._process):
                    self.jobs.release(job)
            except (LeaseLost, redis.RedisError) as error:
                log.info("delivery %s will be retried when its lease expires: %s", id, error)


def read_owner(route: str) -> str:
    """Return the owner of the deliveries on a route."""
    return route.partition(" ")[0]


def read_receiver(route: str) -> str:
    """Return the receiver that a route leads to."""
    return route.rpartition(" ")[2]


@contextmanager
def run_deliveries(service: Service) -> Iterator[None]:
    """Deliver in a separate thread during the context; if the thread fails, end the process."""
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
