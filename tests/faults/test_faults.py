"""Games go on through every fault; afterwards the log, the lists and the scores are right."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.end_to_end.running import Running, movelog
from tests.faults.checker import check_game
from tests.faults.history import History
from tests.faults.machine import Clockwork, Volume, can_mount, mounted
from tests.faults.nemesis import Fault, every_fault
from tests.faults.players import ScoreKeeper
from tests.waiting import eventually

KEEPERS = 4
PATIENCE = 120.0
"""Seconds for which a client goes on asking: longer than any fault lasts."""
MIB = 1 << 20


class Ordeal:
    """A service, its machine, and the clients that play on it."""

    def __init__(self, folder: Path, held: ExitStack) -> None:
        self.clockwork: Clockwork | None = None
        self.volume: Volume | None = None
        if sys.platform == "linux" and shutil.which("cc"):
            self.clockwork = Clockwork(folder)
            held.callback(self.clockwork.close)
        else:
            print("no C compiler on Linux: no slow disk, no clock step")
        if can_mount():
            self.volume = held.enter_context(mounted(folder / "data", 512 * MIB))
        else:
            print("not root on Linux: no full disk")
        given = self.clockwork.environment if self.clockwork else {}
        self.running = Running(folder / "data", **given)
        held.callback(self.running.close)
        self.history = History()
        self.stop = threading.Event()
        self.of_commands: Mapping[str, str] = {}
        """Settings that commands need to find what the service runs on."""

    def faults(self) -> Sequence[Fault]:
        """Everything that can go wrong here, or only what `FAULTS_ONLY` names, by commas."""
        found = every_fault(self.running, self.clockwork, self.volume)
        only = os.environ.get("FAULTS_ONLY")
        return [fault for fault in found if only is None or fault.name in only.split(",")]

    def go_through(self, faults: Sequence[Fault], seed: int) -> None:
        """Play while the faults strike one after the other; then bring every game to its end."""
        random = Random(seed)
        keepers = [
            ScoreKeeper(self.running, self.history, f"{seed}-{n}", self.stop, PATIENCE)
            for n in range(KEEPERS)
        ]
        for keeper in keepers:
            keeper.start()
        try:
            for number, fault in enumerate(faults, 1):
                print(f"{number}/{len(faults)} {fault.name}", flush=True)
                before = self.history.acknowledged()
                fault.strike(random)
                self.wait_for_progress(before, keepers, fault)
        finally:
            self.stop.set()
            for keeper in keepers:
                keeper.join(2 * PATIENCE)
        for keeper in keepers:
            assert keeper.failure is None, f"{keeper.failure!r}\n{self.running.log()}"
            assert not keeper.is_alive()
        self.wait_until_settled()
        for watcher in [watcher for keeper in keepers for watcher in keeper.watchers]:
            if self.history.games[watcher.game.id].ended:
                watcher.join(PATIENCE)
                now = f"{time.monotonic():.1f} {self.running.url}"
                assert not watcher.is_alive(), f"{now}: {watcher.name} heard {watcher.heard}"
            watcher.stopping.set()

    def wait_for_progress(self, before: int, keepers: Sequence[ScoreKeeper], fault: Fault) -> None:
        """Wait until writes are acknowledged again, after a moment in which they may fail."""

        def goes_on() -> bool:
            failed = [keeper.failure for keeper in keepers if keeper.failure]
            assert not failed, f"after {fault.name}: {failed}\n{self.running.log()}"
            return self.history.acknowledged() >= before + 2 * KEEPERS

        eventually(goes_on, f"writes go on after {fault.name}\n{self.running.log()}")

    def wait_until_settled(self) -> None:
        """Wait until the lists are as new as the log and every game that ended is scored."""

        deadline = time.monotonic() + PATIENCE
        while unsettled := self.unsettled():
            assert time.monotonic() < deadline, f"{unsettled}\n{self.running.log()}"
            time.sleep(0.2)

    def unsettled(self) -> str:
        """What the service has not caught up with yet; empty when there is nothing."""
        told = self.running.session.get(f"{self.running.url}/readyz")
        if not told.ok or told.json()["projection_lag"]:
            return told.text
        ended = [game for game in self.running.games() if game["result"] != "*"]
        return " ".join(game["id"] for game in ended if not game["scored"])

    def log_of(self, game: str) -> list[dict[str, Any]]:
        """A game's events."""
        found: list[dict[str, Any]] = self.running.get(f"/games/{game}/events", limit=1000)["items"]
        return found

    def check(self) -> None:
        """Every promise to a client was kept, the lists are right, the archive is sound."""
        for game in self.history.games.values():
            check_game(game, self.log_of(game.id))
        listed = {game["id"] for game in self.running.games()}
        unknown = listed - set(self.history.games)
        assert set(self.history.games) <= listed
        assert len(unknown) <= self.history.lost_creations, unknown
        kept = self.running.games()
        rebuilt = movelog("rebuild", "--data-dir", self.running.data_dir, **self.of_commands)
        assert rebuilt.returncode == 0, rebuilt.stderr
        assert self.running.games() == kept
        audit = movelog("audit", "--data-dir", self.running.data_dir, **self.of_commands)
        assert audit.returncode == 0, audit.stdout + audit.stderr


@pytest.fixture
def ordeal(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Ordeal]:
    """A service that is about to suffer; if it fails, its history is kept beside its data."""
    with ExitStack() as held:
        ordeal = Ordeal(tmp_path, held)
        yield ordeal
        ordeal.history.save(tmp_path / "history.jsonl")


def test_nothing_acknowledged_is_lost_by_any_fault(ordeal: Ordeal) -> None:
    faults = list(ordeal.faults())
    ordeal.go_through(faults, seed=0)
    ordeal.check()


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_nothing_acknowledged_is_lost_by_hundreds_of_faults(ordeal: Ordeal) -> None:
    seed = int(os.environ.get("FAULTS_SEED") or Random().randrange(1 << 32))
    count = int(os.environ.get("FAULTS_COUNT", "200"))
    print(f"FAULTS_SEED={seed} FAULTS_COUNT={count}")
    random = Random(seed)
    faults = [random.choice(ordeal.faults()) for _ in range(count)]
    began = time.monotonic()
    ordeal.go_through(faults, seed)
    ordeal.check()
    struck = Counter(fault.name for fault in faults)
    seconds = time.monotonic() - began
    print(
        f"{count} faults in {seconds:.0f} s: {dict(struck)};"
        f" {ordeal.history.acknowledged()} writes acknowledged"
        f" in {len(ordeal.history.games)} games, none lost, none doubled"
    )
