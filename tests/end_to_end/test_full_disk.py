"""A whole service on its own disk, which fills up."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis
import requests

from service.storage.capacity import reserve
from tests.end_to_end.running import RECORD, Running
from tests.waiting import eventually

SIZE = 24 << 20
BLOCK = 4096


class Disk:
    """A small disk mounted at `folder`, filled by one file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ballast = folder / "ballast"

    def fill(self, left: int) -> None:
        """Leave at most `left` bytes free, whatever else is written meanwhile."""
        with self.ballast.open("ab", buffering=0) as file:
            while (room := self.free() - left) > 0:
                try:
                    file.write(bytes(max(BLOCK, room)))
                except OSError:
                    assert left == 0
                    return

    def free(self) -> int:
        status = os.statvfs(self.folder)
        return status.f_bavail * status.f_frsize

    def clear(self) -> None:
        """Free the space again."""
        self.ballast.unlink()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    folder = tmp_path / "data"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=0700", "movelog", str(folder)]
    try:
        made = subprocess.run(mount, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("there is no mount program here")
    if made.returncode != 0:
        pytest.skip(f"no disk can be mounted here: {made.stderr.strip()}")
    yield Disk(folder)
    subprocess.run(["umount", "-l", str(folder)], check=True)


Begin = Callable[..., Running]


@pytest.fixture
def begin(disk: Disk) -> Iterator[Begin]:
    """A function that starts a service on the small disk."""
    started: list[Running] = []

    def begin(**given: str) -> Running:
        started.append(Running(disk.folder, **given))
        return started[-1]

    yield begin
    for running in started:
        running.close()


class Club:
    """Players registered at a service, none of whom may be lost."""

    def __init__(self, running: Running) -> None:
        self.running = running
        self.acknowledged: list[str] = []

    def register(self) -> int:
        """Register another player and return the HTTP status; 0 without an answer."""
        name = f"Player {len(self.acknowledged)}"
        try:
            answer = self.running.post("/players", {"name": name}, key=name)
        except requests.RequestException:
            return 0
        if answer.ok:
            self.acknowledged.append(answer.json()["id"])
        return answer.status_code

    def check(self) -> None:
        """Every acknowledged player exists."""
        assert len(set(self.acknowledged)) == len(self.acknowledged)
        for id in self.acknowledged:
            assert self.running.get(f"/players/{id}")["id"] == id


def readiness(running: Running) -> tuple[str, str]:
    """The `status` and `writes` of `/readyz`; empty while it does not answer."""
    try:
        answer = requests.get(f"{running.url}/readyz", timeout=10).json()
    except requests.RequestException:
        return "", ""
    return answer.get("status", ""), answer.get("writes", "")


def upload(running: Running) -> tuple[int, str]:
    """Upload a file of records; returns the status of the refusal and its code."""
    record = b'[Event "?"]\n[Variant "Katruji"]\n[Result "*"]\n\n*\n'
    answer = running.session.post(
        f"{running.url}/api/v1/imports", data=record, headers={"Content-Type": RECORD}
    )
    return answer.status_code, answer.json().get("code", "")


def test_writes_are_refused_before_the_disk_is_full_and_go_on_by_themselves(
    disk: Disk, begin: Begin
) -> None:
    running = begin()
    club = Club(running)
    assert [club.register() for _ in range(5)] == [201] * 5
    store = running.pid("redis")
    # Uploads end first: an eighth of a small disk is free for everything else.
    disk.fill(2 * reserve(disk.folder) - BLOCK)
    assert upload(running) == (507, "storage-full")
    assert club.register() == 201
    assert readiness(running) == ("ready", "accepted")
    disk.fill(reserve(disk.folder) - BLOCK)
    eventually(lambda: club.register() == 507, "a write is refused")
    assert readiness(running) == ("read-only", "storage-full")
    answer = running.post("/players", {"name": "Eve"})
    assert (answer.status_code, answer.json()["code"]) == (507, "storage-full")
    assert upload(running) == (507, "storage-full")
    club.check()
    disk.clear()
    eventually(lambda: club.register() == 201, "writing goes on")
    assert readiness(running) == ("ready", "accepted")
    assert running.pid("redis") == store
    assert "writes are refused until there is room" in running.log()
    assert "there is room again: writes are accepted" in running.log()
    club.check()


PARTS = {"always": ("redis", "web", "projector"), "everysec": ("web", "projector")}
"""The parts to kill; with `everysec`, killing Redis may lose the last second."""


@pytest.mark.parametrize(
    "appendfsync", [pytest.param("always", marks=pytest.mark.soak), "everysec"]
)
def test_a_disk_without_a_byte_left_ends_nothing_for_good(
    disk: Disk, begin: Begin, appendfsync: str
) -> None:
    running = begin(MOVELOG_APPENDFSYNC=appendfsync)
    club = Club(running)
    assert [club.register() for _ in range(5)] == [201] * 5
    disk.fill(0)
    statuses = {club.register() for _ in range(20)}
    assert statuses <= {0, 201, 503, 507}
    eventually(lambda: club.register() == 507, "writes are refused")
    # A killed part starts again on the full disk, and reading goes on.
    for part in PARTS[appendfsync]:
        running.kill(part)
        eventually(lambda: readiness(running) == ("read-only", "storage-full"), "it can be read")
    assert club.register() == 507
    store = running.pid("redis")
    url = (disk.folder / "run" / "redis.url").read_text().strip()
    # Even a deletion has no room for its log entry.
    with redis.Redis.from_url(url) as client, pytest.raises(redis.RedisError, match="NOREPLICAS"):
        client.delete("nothing")
    assert running.pid("redis") == store
    club.check()
    assert running.process.poll() is None
    disk.clear()
    eventually(lambda: club.register() == 201, "writing goes on")
    club.check()
    running.restart()
    club.check()
    assert running.stop() == 0


def test_a_service_starts_on_a_disk_without_a_byte_left_and_can_be_read(
    disk: Disk, begin: Begin
) -> None:
    running = begin()
    club = Club(running)
    assert [club.register() for _ in range(5)] == [201] * 5
    assert running.stop() == 0
    disk.fill(0)
    again = begin()
    club.running = again
    eventually(lambda: readiness(again) == ("read-only", "storage-full"), "it can be read")
    club.check()
    assert club.register() == 507
    assert "has no room at all" in again.log()
    disk.clear()
    eventually(lambda: club.register() == 201, "writing goes on")
    eventually(lambda: (disk.folder / "run" / "redis.url").exists(), "commands find it")
    club.check()
    assert again.stop() == 0
