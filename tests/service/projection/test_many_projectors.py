"""Projectors in real processes, killed, stopped and added under load, write what one would."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Event, Thread

import pytest

from service.composition.projector import rebuild
from service.composition.service import Service
from service.projection.leases.process_name import shorten_process_name
from service.projection.leases.table import LeaseTable
from tests.service.projection.games.synthetic import make_games
from tests.service.projection.support import dump, end, play, reopen
from tests.waiting import PATIENCE, eventually, join

GAMES = 40
"""Games that are created at once; some are reopened and end again."""


class Processes:
    """Projectors that run side by side, by name."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self.environment = os.environ | environment
        self.folder = folder
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                [sys.executable, "-m", "service.cli", "projector"],
                env=self.environment,
                stdout=log,
                stderr=log,
            )

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text()

    def counts(self, table: LeaseTable) -> dict[str, int]:
        """How many partitions each projector has."""
        holders = [shorten_process_name(holder) for holder in table.holders().values()]
        return {
            name: sum(holder.endswith(f":{process.pid}") for holder in holders)
            for name, process in self.running.items()
        }

    def terminate(self, name: str) -> None:
        """Stop a projector as a supervisor does."""
        process = self.running.pop(name)
        process.terminate()
        assert process.wait(PATIENCE) == 0, self.log(name)

    def kill(self, name: str) -> None:
        """Kill a projector, whatever it is doing."""
        process = self.running.pop(name)
        process.kill()
        process.wait()


@contextmanager
def load(service: Service, ids: list[str]) -> Iterator[None]:
    """Create, end and reopen games as long as the context lasts."""
    over = Event()
    random = Random(5)

    def write() -> None:
        for turn in range(1000):
            ids.extend(make_games(service.games, GAMES, seed=turn + 9, name=f"t{turn}g"))
            for id in random.sample(ids, GAMES // 2):
                state = service.games.load(id)
                if state.ending is not None and state.mode != "import":
                    reopen(service.games, id)
                    play(service.games, id, 1)
                    end(service.games, id, "1-0")
            if over.wait(0.2):
                break

    thread = Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        over.set()
        join(thread)


@pytest.fixture
def processes(environment: dict[str, str], tmp_path: Path) -> Iterator[Processes]:
    made = Processes(environment, tmp_path)
    yield made
    for name in list(made.running):
        made.kill(name)


@pytest.mark.parametrize(
    "database_url",
    [
        pytest.param("sqlite", marks=pytest.mark.soak),
        pytest.param("postgresql", marks=pytest.mark.slow),
    ],
    indirect=True,
)
def test_projectors_share_the_work_and_survive_each_other(
    service: Service, processes: Processes
) -> None:
    table = LeaseTable(service.store, service.log.partitions)
    ids = list(make_games(service.games, GAMES))

    def has(**wanted: int) -> bool:
        return processes.counts(table) == wanted

    with load(service, ids):
        # Both start with empty lists: one builds them, the other waits.
        processes.start("a")
        processes.start("b")
        eventually(lambda: has(a=32, b=32), "each has its share")
        processes.kill("a")
        eventually(lambda: has(b=64), "what was killed is taken over")
        processes.start("c")
        eventually(lambda: has(b=32, c=32), "one that is added gets its share")
        processes.running["b"].send_signal(signal.SIGSTOP)
        eventually(lambda: has(b=0, c=64), "what stands still is taken over")
        processes.running["b"].send_signal(signal.SIGCONT)
        eventually(lambda: has(b=32, c=32), "what goes on again gets its share")
        eventually(lambda: "stood still" in processes.log("b"), "it says so")
        processes.start("d")
        eventually(lambda: max(processes.counts(table).values()) == 22, "three share")
        processes.terminate("c")
        eventually(lambda: has(b=32, d=32), "what is given back is taken over")
    assert service.checkpoints.wait_until(service.log.feed_positions(), PATIENCE)
    for name in list(processes.running):
        processes.terminate(name)
    assert table.holders() == {}
    after = dump(service.database)
    assert len(after["game"]) == len(set(ids))

    rebuild(service)
    rebuilt = dump(service.database)
    # Ratings depend on the time at which they were closed.
    tables = [name for name in after if name not in ("rating", "rating_due")]
    assert {name: after[name] for name in tables} == {name: rebuilt[name] for name in tables}
