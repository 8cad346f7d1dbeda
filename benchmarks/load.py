"""`python -m benchmarks.load`: a whole service under rising load, until something is at its limit.

`movelog serve` runs as a club runs it. Each step has twice as many tables as the one before, with
players, bots and spectators; meanwhile an archive is imported, and tournaments are held. It ends at
the first step at which something is at its limit: a process takes a whole core, the machine or the
store is busy, the lists fall behind, a latency is over its bar, or a request fails.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Final

import redis

from benchmarks.load_clients import (
    BOTS,
    THINK,
    WATCHERS,
    Hall,
    Seen,
    ask,
    hold_rounds,
    send_imports,
    watch_lists,
)
from benchmarks.whole_service import WholeService, run_service

CORES: Final = os.cpu_count() or 1
FIRST: Final = 10
"""How many tables the first step has."""
PLAYERS: Final = 20
CORE: Final = 0.9
"""The share of a core at which a process with one thread is at its limit."""
MACHINE: Final = 0.95
"""The share of all cores at which the machine is at its limit."""
SLOWEST_ACTION: Final = 0.5
SLOWEST_DELIVERY: Final = 0.3
SLOWEST_STORE: Final = 0.25
"""Seconds within which 99 of 100 have to be."""
SLOWEST_LIST: Final = 5.0
"""Seconds within which a new game must be listed, even during an import."""
LATEST: Final = 1.0
"""Seconds by which the clients may be late."""
CROWDED: Final = {
    "MOVELOG_RATE_LIMIT": "",
    "MOVELOG_STREAMS_PER_ADDRESS": "5000",
    "MOVELOG_CONNECTIONS_PER_ADDRESS": "9000",
}
"""Settings with which everybody may come from one address."""


@dataclass(frozen=True, slots=True)
class Step:
    """What was measured while `tables` tables played.

    `cpu`, by process, and `clients` are in cores, `machine` is the busy share of all of them.
    """

    tables: int
    seconds: float
    seen: Seen
    cpu: dict[str, float]
    clients: float
    machine: float
    store: float

    @property
    def listed(self) -> float:
        """The longest time in seconds until a new game was listed."""
        return max(self.seen.listed, default=0.0)

    def describe(self) -> str:
        """One line for the report."""
        seen, seconds = self.seen, self.seconds
        most = sorted(self.cpu.items(), key=lambda one: -one[1])[:4]
        return ", ".join(
            [
                f"{self.tables} tables: {len(seen.actions) / seconds:.0f} actions a second"
                f" (p99 {1000 * p99(seen.actions):.0f} ms)",
                f"{len(seen.deliveries) / seconds:.0f} deliveries (p99"
                f" {1000 * p99(seen.deliveries):.0f} ms)",
                f"{seen.imported / seconds:.0f} games imported",
                f"{seen.rounds} rounds held",
                f"the store p99 {1000 * self.store:.0f} ms",
                f"a new game listed within {self.listed:.1f} s",
                "cores: " + " ".join(f"{name} {share:.2f}" for name, share in most),
                self.describe_machine(),
            ]
        )

    def describe_machine(self) -> str:
        """How much of the machine the service, the clients and other work take."""
        service = sum(self.cpu.values())
        others = max(0.0, CORES * self.machine - service - self.clients)
        return (
            f"of {CORES} cores the service takes {service:.2f}, the clients {self.clients:.2f},"
            f" other work {others:.2f}"
        )

    def find_limits(self) -> Iterator[str]:
        """What is at its limit."""
        if self.seen.failures:
            yield f"{len(self.seen.failures)} requests failed: {self.seen.failures[0]}"
        for name, share in self.cpu.items():
            if share >= CORE and name != "importer":
                yield f"the processor: {name} takes {share:.2f} of a core"
        for what, seconds, most in (
            ("an action", p99(self.seen.actions), SLOWEST_ACTION),
            ("a delivery", p99(self.seen.deliveries), SLOWEST_DELIVERY),
            ("the store", self.store, SLOWEST_STORE),
        ):
            if seconds > most:
                yield f"latency: p99 of {what} is {1000 * seconds:.0f} ms (bar {1000 * most:g})"
        if self.listed > SLOWEST_LIST:
            yield f"the lists: a game is listed after {self.listed:.1f} s (bar {SLOWEST_LIST:g})"
        if sum(self.cpu.values()) + self.clients >= MACHINE * CORES:
            yield f"the machine: {self.describe_machine()}"
        if self.seen.late > LATEST:
            yield f"the clients, which were {self.seen.late:.1f} s late"


def read_machine() -> tuple[int, int]:
    """Ticks for which the machine's cores were busy, and all ticks."""
    ticks = [int(one) for one in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def p99(times: Sequence[float]) -> float:
    """The 99th percentile; 0 for too few values."""
    return statistics.quantiles(times, n=100)[98] if len(times) > 1 else 0.0


def take_step(service: WholeService, hall: Hall, tables: int, seconds: float) -> Step:
    """Let `tables` tables play, and measure."""
    store = redis.Redis.from_url(service.store_url)
    hall.open_tables(tables)
    # Let the first actions of new tables settle.
    time.sleep(THINK)
    hall.seen.take()
    cpu, (busy, all) = service.measure_cpu(), read_machine()
    begun, own, pings = time.perf_counter(), time.process_time(), []
    while (now := time.perf_counter()) < begun + seconds:
        store.ping()
        pings.append(time.perf_counter() - now)
        time.sleep(0.05)
    store.close()
    elapsed, seen = time.perf_counter() - begun, hall.seen.take()
    clients = (time.process_time() - own) / elapsed
    after, (busy_after, all_after) = service.measure_cpu(), read_machine()
    shares = {name: max(0.0, after[name] - cpu.get(name, 0.0)) / elapsed for name in after}
    machine = (busy_after - busy) / max(1, all_after - all)
    return Step(tables, elapsed, seen, shares, clients, machine, p99(pings))


@contextmanager
def run_others(
    service: WholeService, hall: Hall, ids: Sequence[str], folder: Path
) -> Iterator[None]:
    """Import and hold tournaments for as long as the context lasts."""
    over = Event()
    file = folder / "games.pgn"
    given = (service.url, service.token)
    threads = [
        Thread(target=send_imports, args=(*given, file, hall.seen, over)),
        Thread(target=hold_rounds, args=(*given, ids, hall.seen, over)),
        Thread(target=watch_lists, args=(*given, hall.seen, over)),
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def run(first: int, most: int, seconds: float) -> list[str]:
    """Take steps until something is at its limit; return what, or nothing at `most` tables."""
    with (
        tempfile.TemporaryDirectory(prefix="movelog-load-") as name,
        run_service(CROWDED) as service,
    ):
        folder = Path(name)
        made = [
            ask(service.url, "/players", service.token, {"name": f"Player {number}"})
            for number in range(PLAYERS + 1)
        ]
        ids = [str(one["id"]) for one in made]
        hall = Hall(service.port, [one["token"]["secret"] for one in made], ids)
        try:
            with run_others(service, hall, ids[:8], folder):
                tables = first
                while tables <= most:
                    step = take_step(service, hall, tables, seconds)
                    print(step.describe(), flush=True)
                    if limits := list(step.find_limits()):
                        return limits
                    tables *= 2
        finally:
            hall.close()
    return []


def main(arguments: Sequence[str] | None = None) -> None:
    """Print each step, and the first limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=FIRST, help="tables of the first step")
    parser.add_argument("--most", type=int, default=5000 // WATCHERS, help="tables to stop at")
    parser.add_argument("--seconds", type=float, default=20, help="how long a step is measured")
    given = parser.parse_args(arguments)
    print(
        f"A table: a ply every {THINK:g} s, {WATCHERS} spectators; at one in {BOTS} a bot, which"
        " answers at once"
    )
    limits = run(given.first, given.most, given.seconds)
    print(f"first limit: {'; '.join(limits) or 'none found'}")


if __name__ == "__main__":
    main()
