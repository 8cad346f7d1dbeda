"""A service that suffers faults while clients play on it, and the checks afterwards."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

from tests.end_to_end.running import Running, movelog
from tests.faults.checker import check_game
from tests.faults.history import History
from tests.faults.nemesis import Fault
from tests.faults.players import ScoreKeeper, Watcher
from tests.waiting import eventually

KEEPERS = 4
PATIENCE = 120.0
"""Seconds for which a client repeats a request: longer than any fault lasts."""


class Ordeal:
    """A service in a folder, and the clients that play on it.

    `given` are the service's variables, `of_commands` those with which commands find its stores.
    """

    def __init__(
        self,
        folder: Path,
        held: ExitStack,
        given: Mapping[str, str],
        of_commands: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.running = Running(folder / "data", **given)
        held.callback(self.running.close)
        self.history = History()
        self.stop = threading.Event()
        self.of_commands = of_commands

    def suffer(self, faults: Sequence[Fault], seed: int) -> None:
        """Go through the faults, then check the service."""
        began = time.monotonic()
        self.go_through(faults, seed)
        self.check()
        struck = Counter(fault.name for fault in faults)
        print(
            f"{len(faults)} faults in {time.monotonic() - began:.0f} s: {dict(struck)};"
            f" {self.history.acknowledged()} writes acknowledged"
            f" in {len(self.history.games)} games, none lost, none doubled"
        )

    def go_through(self, faults: Sequence[Fault], seed: int) -> None:
        """Play while the faults strike one after the other; then finish every game."""
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
                assert not watcher.is_alive(), self.explain(watcher)
            watcher.stopping.set()

    def explain(self, watcher: Watcher) -> str:
        """What a watcher who still waits has heard, and what its game's log has."""
        logged = [(e["version"], e["type"], e["at"]) for e in self.log_of(watcher.game.id)]
        heard = "\n".join(watcher.heard)
        return (
            f"{watcher.name} at {time.time():.3f} has seen {watcher.game.watched[-5:]}"
            f" of {logged[-5:]}; it heard\n{heard}\n{self.running.log()}"
        )

    def wait_for_progress(self, before: int, keepers: Sequence[ScoreKeeper], fault: Fault) -> None:
        """Wait until writes are acknowledged again, after a moment in which they may fail."""

        def goes_on() -> bool:
            failed = [keeper.failure for keeper in keepers if keeper.failure]
            assert not failed, f"after {fault.name}: {failed}\n{self.running.log()}"
            return self.history.acknowledged() >= before + 2 * KEEPERS

        eventually(goes_on, f"writes go on after {fault.name}\n{self.running.log()}")

    def wait_until_settled(self) -> None:
        """Wait until the lists are up to date and every finished game is scored."""

        deadline = time.monotonic() + PATIENCE
        while unsettled := self.unsettled():
            assert time.monotonic() < deadline, f"{unsettled}\n{self.running.log()}"
            time.sleep(0.2)

    def unsettled(self) -> str:
        """What the service has not caught up with yet; empty when it has."""
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
        """Nothing acknowledged is lost, the lists equal a rebuild, and the audit passes."""
        for game in self.history.games.values():
            check_game(game, self.log_of(game.id))
        listed = {game["id"] for game in self.running.games()}
        unknown = listed - set(self.history.games)
        assert set(self.history.games) <= listed
        assert len(unknown) <= self.history.lost_creations, unknown
        kept = self.running.games()
        rebuilt = movelog("rebuild", "--data-dir", self.running.data_dir, **self.of_commands)
        assert rebuilt.returncode == 0, rebuilt.stderr
        made_anew = self.running.games()
        differing = [pair for pair in zip(kept, made_anew, strict=True) if pair[0] != pair[1]]
        assert not differing, f"{differing}\n{self.running.log()}"
        audit = movelog("audit", "--data-dir", self.running.data_dir, **self.of_commands)
        assert audit.returncode == 0, audit.stdout + audit.stderr
