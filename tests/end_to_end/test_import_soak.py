"""Fifty thousand games through a whole service, whose worker is killed on the way."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.end_to_end.running import PATIENCE, Running, descendants, eventually
from tests.service.imports.archive import write_archive

GAMES = 50_000
KILLS = (0.2, 0.5, 0.8)
"""Shares of the file after which the worker is killed."""
MOST = 300 * 2**20
"""Bytes that a worker and its job may hold; the file alone has some hundred megabytes."""
GROWTH = 40 * 2**20
"""Bytes that a job may hold more in the file's second half than in its first."""


def resident(pids: list[int]) -> list[int]:
    """The bytes that each process holds, those that have ended left out."""
    found = []
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        except FileNotFoundError:
            continue
        found += [1024 * int(line.split()[1]) for line in lines if line.startswith("VmRSS:")]
    return found


class Followed:
    """An import that is looked at until it ends, with the memory of the worker's processes."""

    def __init__(self, running: Running, file: Path) -> None:
        self.running = running
        with file.open("rb") as stream:
            answer = running.session.post(
                f"{running.url}/api/v1/imports",
                data=stream,
                headers={"Content-Type": "application/x-chess-pgn"},
            )
        assert answer.status_code == 202, answer.text
        self.view: dict[str, Any] = answer.json()
        self.peaks: dict[bool, int] = {False: 0, True: 0}
        self.begun = time.monotonic()

    def until(self, share: float) -> None:
        """Follow it until this share of the file is read, or to its end."""
        path = f"/imports/{self.view['id']}"
        while self.view["state"] in ("queued", "running"):
            done = self.view["progress"]["bytes"] / self.view["size"]
            if done >= share:
                return
            worker = (self.running.data_dir / "run" / "worker.pid").read_text().strip()
            held = max(resident(list(descendants(int(worker)))) if worker else [], default=0)
            self.peaks[done > 0.5] = max(held, self.peaks[done > 0.5])
            time.sleep(0.2)
            try:
                self.view = self.running.get(path)
            except requests.ConnectionError:
                assert time.monotonic() - self.begun < PATIENCE * 10


@pytest.mark.soak
def test_fifty_thousand_games_go_in_once(running: Running, tmp_path: Path) -> None:
    file = write_archive(tmp_path / "archive.pgn", GAMES)
    first = Followed(running, file)
    for share in KILLS:
        first.until(share)
        assert first.view["state"] == "running"
        running.kill("worker")
    first.until(2)
    assert first.view["counts"] == {"accepted": GAMES}
    print(f"\nimported, worker killed {len(KILLS)} times: {time.monotonic() - first.begun:.0f} s")

    eventually_listed(running, GAMES)
    again = Followed(running, file)
    again.until(2)
    assert again.view["counts"] == {"duplicate": GAMES}
    print(f"again, all duplicates: {time.monotonic() - again.begun:.0f} s")
    eventually_listed(running, GAMES)
    for followed in (first, again):
        early, late = followed.peaks[False], followed.peaks[True]
        print(f"largest process: {early >> 20} MiB, in the second half {late >> 20} MiB")
        assert max(early, late) < MOST
        assert late - early < GROWTH


def eventually_listed(running: Running, games: int) -> None:
    """Wait until the list has so many games."""
    for _ in range(30):
        behind = running.session.get(f"{running.url}/readyz").json()["projection_lag"]
        if not behind:
            break
        time.sleep(PATIENCE / 10)
    eventually(lambda: len(running.games()) == games, "all games are listed")
