"""Many games go in, are found, come out and go in again, while the worker is killed on the way.

Every count is compared with what was generated. The memory of each process that reads or writes the
file is watched throughout: it must not grow with the file.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
import requests

from notation.reader import read
from tests.end_to_end.conftest import Start
from tests.end_to_end.running import GONE, RECORD, Running, descendants
from tests.faults.machine import Clockwork
from tests.generated import PLAYERS, Archive, write_archive
from tests.waiting import PATIENCE

FEW, MANY = 600, 50_000
MOST = 300 * 2**20
"""Maximum memory of a process in bytes; does not apply to Redis, which holds the games."""
GROWTH = 40 * 2**20
"""Maximum growth of a process in bytes, from the first half of its work to the second."""
SAMPLED = 8
"""Players whose games are counted."""
CHUNK = 1 << 16


def resident(pids: Iterable[int]) -> int:
    """The resident bytes of the largest of these processes; 0 if all have ended."""
    held = 0
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        except GONE:
            continue
        sizes = [1024 * int(line.split()[1]) for line in lines if line.startswith("VmRSS:")]
        held = max(held, *sizes, 0)
    return held


class Memory:
    """The peak memory of one part of the service, in the first and the second half of its work."""

    def __init__(self, running: Running, part: str) -> None:
        self.file = running.data_dir / "run" / f"{part}.pid"
        self.part = part
        self.peaks = {False: 0, True: 0}

    def look(self, share: float) -> None:
        """Measure the part when `share` of its work is done."""
        try:
            pid = int(self.file.read_text() or 0)
        except FileNotFoundError:
            pid = 0
        held = resident(descendants(pid)) if pid else 0
        self.peaks[share > 0.5] = max(held, self.peaks[share > 0.5])

    def check(self) -> None:
        """Fail if the part used too much memory, or ever more."""
        early, late = self.peaks[False], self.peaks[True]
        print(f"{self.part}: at most {early >> 20} MiB, in the second half {late >> 20} MiB")
        assert max(early, late) < MOST
        assert not early or late - early < GROWTH


class SlowDisk:
    """A disk that can be slowed, for a service that is started with `environment`.

    Each batch of an import waits for it a dozen times: the import goes on for longer than a test
    that is to interrupt it may stand still. Without a C compiler the disk is as fast as ever.
    """

    def __init__(self, folder: Path) -> None:
        self._clockwork = Clockwork(folder) if shutil.which("cc") else None
        self.environment = self._clockwork.environment if self._clockwork else {}

    @contextmanager
    def slowed(self, delay: float) -> Iterator[None]:
        """Let each sync take this many seconds longer."""
        if self._clockwork is None:
            print("no C compiler: no slow disk")
            yield
            return
        self._clockwork.set(sync_delay=delay)
        try:
            yield
        finally:
            self._clockwork.set()


class Followed:
    """Starts an import and polls it, measuring the worker's memory."""

    def __init__(self, running: Running, file: Path, mode: str = "quarantine") -> None:
        self.running = running
        url = f"{running.url}/api/v1/imports?mode={mode}"
        with file.open("rb") as stream:
            answer = running.session.post(url, data=stream, headers={"Content-Type": RECORD})
        assert answer.status_code == 202, answer.text
        self.view: dict[str, Any] = answer.json()
        self.memory = Memory(running, "importer")
        self.begun = time.monotonic()

    def until(self, share: float) -> None:
        """Poll until `share` of the file is read, or the import has ended."""
        while self.view["state"] in ("queued", "running"):
            done = self.view["progress"]["bytes"] / self.view["size"]
            if done >= share:
                return
            self.memory.look(done)
            time.sleep(0.05)
            try:
                self.view = self.running.get(f"/imports/{self.view['id']}")
            except requests.ConnectionError:
                assert time.monotonic() - self.begun < PATIENCE * 10

    def ended(self) -> Mapping[str, int]:
        """Poll to the end; returns the number of games by verdict."""
        self.until(2)
        taken = time.monotonic() - self.begun
        counts: Mapping[str, int] = self.view["counts"]
        print(f"import: {sum(counts.values()) / taken:.0f} games/s, {taken:.0f} s: {counts}")
        self.memory.check()
        return counts


def projected(running: Running) -> None:
    """Wait until everything in the log is listed and indexed."""
    begun = time.monotonic()
    behind, seen = None, begun
    while behind != 0:
        left = running.session.get(f"{running.url}/readyz").json()["projection_lag"]
        if behind is None or left < behind:
            seen = time.monotonic()
        assert time.monotonic() - seen < PATIENCE, f"stands still, {left} behind"
        behind = left
        time.sleep(0.1)
    print(f"projected {time.monotonic() - begun:.0f} s later")


def found(running: Running, **wanted: str) -> int:
    """The number of games that a search finds, over all pages."""
    count = 0
    cursor: dict[str, str | int] = {}
    while True:
        page = running.get("/search", limit=200, **wanted, **cursor)
        count += len(page["items"])
        if page["next_cursor"] is None:
            return count
        cursor = {"cursor": page["next_cursor"]}


def player_ids(running: Running) -> dict[str, str]:
    """The ids, by name, of the players in the newest games."""
    page = running.get("/search", limit=200)
    seats = [seat for game in page["items"] for seat in game["players"].values()]
    return {seat["name"]: seat["id"] for seat in seats}


def check_counts(running: Running, archive: Archive) -> None:
    """Every search finds as many games as were generated."""
    for variant, number in archive.variants.items():
        assert found(running, variant=variant) == number
        assert found(running, variant=variant, fen="start") == number
    for result, number in archive.results.items():
        assert found(running, result=result) == number
    ids = player_ids(running)
    assert len(ids) <= PLAYERS
    for name in sorted(ids)[:SAMPLED]:
        assert found(running, player=ids[name]) == archive.players[name]
    assert found(running) == archive.games


def exported(running: Running, file: Path, size: int) -> None:
    """Export everything to a file of about `size` bytes."""
    memory = Memory(running, "web")
    begun, done = time.monotonic(), 0
    with (
        running.session.get(
            f"{running.url}/api/v1/export", headers={"Accept": RECORD}, stream=True
        ) as answer,
        file.open("wb") as out,
    ):
        assert answer.status_code == 200
        for number, chunk in enumerate(answer.iter_content(CHUNK)):
            done += out.write(chunk)
            if number % 16 == 0:
                memory.look(done / size)
    taken = time.monotonic() - begun
    print(f"export: {done / taken / 1e6:.2f} MB/s, {taken:.0f} s")
    memory.check()


def check_records(file: Path, archive: Archive) -> None:
    """Read a file offline: all games are good, and memory does not grow."""
    peaks = {False: 0, True: 0}
    games, begun = 0, time.monotonic()
    with file.open("rb") as stream:
        for games, verdict in enumerate(read(stream), 1):
            assert verdict.error is None
            if games % 200 == 0:
                late = games * 2 > archive.games
                peaks[late] = max(peaks[late], resident([os.getpid()]))
    assert games == archive.games
    grown = peaks[True] - peaks[False]
    print(f"read: {games / (time.monotonic() - begun):.0f} games/s, grown by {grown >> 10} KiB")
    assert grown < GROWTH


def round_trip(
    running: Running,
    folder: Path,
    games: int,
    kills: tuple[float, ...],
    slowed: AbstractContextManager[None],
) -> None:
    """Import, find, export, import again; the worker is killed at these shares of the file.

    The import is `slowed` until then.
    """
    archive = write_archive(folder / "archive.pgn", games)
    print(f"\n{games} games, {archive.file.stat().st_size / 1e6:.1f} MB")
    with slowed:
        first = Followed(running, archive.file)
        for share in kills:
            first.until(share)
            assert first.view["state"] == "running"
            running.kill("importer")
    assert first.ended() == {"accepted": games}
    projected(running)
    check_counts(running, archive)

    out = folder / "exported.pgn"
    # The service adds tags of some four hundred bytes per game.
    exported(running, out, archive.file.stat().st_size + 400 * games)
    check_records(out, archive)
    assert Followed(running, out).ended() == {"duplicate": games}
    projected(running)
    check_counts(running, archive)


def test_games_go_in_are_found_come_out_and_go_in_no_second_time(
    start: Start, tmp_path: Path
) -> None:
    disk = SlowDisk(tmp_path)
    running = start(**disk.environment)
    round_trip(running, tmp_path, FEW, kills=(0.1,), slowed=disk.slowed(0.15))


@pytest.mark.soak
def test_fifty_thousand_games_go_in_are_found_come_out_and_go_in_no_second_time(
    running: Running, tmp_path: Path
) -> None:
    round_trip(running, tmp_path, MANY, kills=(0.2, 0.5, 0.8), slowed=nullcontext())
