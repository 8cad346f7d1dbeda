"""Several workers take turns at the same time."""

from __future__ import annotations

import time
from collections import Counter
from random import Random
from threading import Thread
from typing import Any

import fakeredis
import pytest
import redis
from greenlet import getcurrent, greenlet  # type: ignore[import-untyped]
from redis.client import Pipeline

from service.jobs.duties import Lane
from service.jobs.fair_queue import CHARGE, LEAST, FairQueue, player_of
from service.jobs.job_kinds import IMPORT
from service.jobs.queue import JobQueue
from service.jobs.store import Jobs
from tests.service.jobs.test_fair_queue import hinted, send
from tests.service.player.support import Clock
from tests.service.redis_server import RedisServer
from tests.waiting import eventually, join, patiently

PLAYERS = "abc"
LENGTHS = (200, 1500, 3000, 6000)
"""How long turns last, in milliseconds."""
STEP = 10
"""The clock moves by less than this many milliseconds between two commands."""


def hand_over() -> None:
    """Let other workers run before a worker's next command; the test's own commands run at once."""
    if (scheduler := getcurrent().parent) is not None:
        scheduler.switch()


class Workers:
    """Workers whose commands reach the store in an order drawn from a seed."""

    def __init__(self, turns: FairQueue, clock: Clock, seed: int) -> None:
        self.turns = turns
        self.clock = clock
        self.random = Random(seed)
        self.spent: Counter[str] = Counter()
        self.clashes = 0

    def work(self, count: int) -> None:
        """Take this many turns."""
        for _ in range(count):
            hint = hinted(self.turns)
            id = self.turns.begin(hint) or hint
            job = self.turns.jobs.claim(id, "owner")
            if job is None:
                self.clashes += 1
                self.turns.end(id, 0)
                continue
            begun = self.clock.now
            end = begun + self.random.choice(LENGTHS)
            while self.clock.now < end:
                hand_over()
            lasted = self.clock.now - begun
            self.turns.jobs.finish(job, None)
            self.turns.end(id, lasted / 1000)
            self.spent[player_of(job)] += max(CHARGE, lasted)

    def run(self, number: int, count: int) -> None:
        """Let this many workers take `count` turns each."""
        workers = [greenlet(self.work) for _ in range(number)]
        for worker in workers:
            worker.switch(count)
        while workers:
            self.clock.now += self.random.randrange(STEP)
            worker = self.random.choice(workers)
            worker.switch()
            workers = [one for one in workers if not one.dead]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("number", [2, 4])
def test_time_is_counted_and_shared_whatever_the_order_of_the_workers_commands(
    monkeypatch: pytest.MonkeyPatch, number: int, seed: int
) -> None:
    class Interleaved(fakeredis.FakeRedis):
        def execute_command(self, *given: Any, **named: Any) -> Any:
            hand_over()
            return super().execute_command(*given, **named)  # type: ignore[no-untyped-call]

    execute = Pipeline.execute

    def execute_interleaved(pipeline: Pipeline, *given: Any) -> Any:
        hand_over()
        return execute(pipeline, *given)

    monkeypatch.setattr(Pipeline, "execute", execute_interleaved)
    clock, store = Clock(), Interleaved(server=fakeredis.FakeServer(version=(6, 2)))
    turns = FairQueue(JobQueue(Jobs(store, clock), store), IMPORT)
    send(turns, clock, *(f"{player}{n}" for n in range(number * 8) for player in PLAYERS))
    workers = Workers(turns, clock, seed)
    workers.run(number, 8)
    assert workers.clashes == 0
    used = turns.used(PLAYERS)
    # Between the command that begins a turn and the work, less than LEAST passes.
    assert all(abs(used[player] - workers.spent[player]) < LEAST / 2 for player in PLAYERS)
    # Whoever is ahead was not ahead when its last turn began, and has a turn at each worker.
    assert max(workers.spent.values()) - min(workers.spent.values()) <= number * (
        max(LENGTHS) + LEAST
    )


def fast_clock() -> int:
    """Milliseconds that pass a hundred times as fast: a turn of LEAST takes 10 ms."""
    return time.monotonic_ns() // 10_000


class RealWorker(Thread):
    """A worker in a thread with a connection of its own, until all hints are taken."""

    def __init__(self, client: redis.Redis, begun: list[str], spent: list[tuple[str, int]]) -> None:
        super().__init__()
        self.turns = FairQueue(JobQueue(Jobs(client, fast_clock), client), IMPORT)
        self.begun = begun
        self.spent = spent

    def run(self) -> None:
        """Take turns of 20 ms until no hint is left."""
        lane = self.turns.queue.queues[Lane.IMPORTS]
        for _ in patiently("all turns are taken"):
            hint: Any = self.turns.queue.connection.lpop(lane.key)
            if hint is None:
                return
            self.take_turn(hint.decode())

    def take_turn(self, hint: str) -> None:
        """Handle a hint as a worker does."""
        begun = fast_clock()
        id = self.turns.begin(hint) or hint
        if (job := self.turns.jobs.claim(id, self.name)) is not None:
            self.begun.append(player_of(job))
            time.sleep(0.02)
            self.turns.jobs.finish(job, None)
            lasted = fast_clock() - begun
            self.turns.end(id, lasted / 1000)
            self.spent.append((player_of(job), lasted))


@pytest.mark.parametrize("number", [2, 4])
def test_real_workers_share_their_time_fairly_and_nobody_starves(
    redis_server: RedisServer, number: int
) -> None:
    client = redis_server.client()
    turns = FairQueue(JobQueue(Jobs(client, fast_clock), client), IMPORT)
    for n in range(25):
        turns.queue.submit(f"a{n}", IMPORT, {"by": "a"})
    for n in range(15):
        turns.queue.submit(f"b{n}", IMPORT, {"by": "b"})
    begun: list[str] = []
    spent: list[tuple[str, int]] = []
    workers = [RealWorker(redis_server.client(), begun, spent) for _ in range(number)]
    for worker in workers:
        worker.start()
    eventually(lambda: len(begun) >= 8, pause=0.001)
    turns.queue.submit("c0", IMPORT, {"by": "c"})
    before = len(begun)
    join(*workers)
    assert Counter(begun) == {"a": 25, "b": 15, "c": 1}
    # Each worker may have been about to begin a turn, and may have listed another one first.
    assert begun.index("c") - before <= 2 * number
    longest = max(lasted for _, lasted in spent)
    last = max(index for index, (player, _) in enumerate(spent) if player == "b")
    had = Counter[str]()
    for player, lasted in spent[: last - number]:
        had[player] += lasted
        # A turn at each worker, and as many that were recorded out of order.
        assert abs(had["a"] - had["b"]) <= 2 * number * longest
    for worker in workers:
        worker.turns.store.close()
    client.close()
