"""The faults of a running service: each is injected, observed, and undone."""

from __future__ import annotations

import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

import redis
import requests

from tests.end_to_end.running import Running, descendants, is_alive, kill
from tests.faults.machine import Clockwork, Volume
from tests.stopping import send
from tests.waiting import eventually

SHORTEST, LONGEST = 0.3, 4.0
"""Range of the duration of lasting faults, in seconds."""
HOUR: Final = 3600.0


class Fault(ABC):
    """One kind of failure; `strike` injects it, waits, and undoes it.

    `strike` raises AssertionError unless it observes the fault.
    """

    name: str

    @abstractmethod
    def strike(self, random: Random) -> None:
        """Inject the fault once."""


class ServiceFault(Fault):
    """A fault of the running service itself."""

    def __init__(self, running: Running) -> None:
        self.running = running


class ClockworkFault(Fault):
    """A fault of the clock or the disk, as the service's processes see them."""

    def __init__(self, clockwork: Clockwork) -> None:
        self.clockwork = clockwork


class Killed(ServiceFault):
    """A part of the service is killed, with all its processes or only one of its children."""

    name = "kill"

    def strike(self, random: Random) -> None:
        part = random.choice(parts(self.running))
        victims = list(descendants(self.running.pid(part)))
        if random.random() < 0.5 and len(victims) > 1:
            victims = [random.choice(victims[1:])]
        for pid in victims:
            kill(pid)
        eventually(lambda: not any(map(is_alive, victims)), f"{part} has ended")


class Paused(ServiceFault):
    """A part of the service is paused for a while, and resumes where it was."""

    name = "pause"

    def strike(self, random: Random) -> None:
        part = random.choice(parts(self.running))
        victims = list(descendants(self.running.pid(part)))
        try:
            for pid in victims:
                send(pid, signal.SIGSTOP)
            eventually(lambda: all(map(stands_still, victims)), f"{part} stands still")
            time.sleep(random.uniform(SHORTEST, LONGEST))
        finally:
            for pid in victims:
                send(pid, signal.SIGCONT)


class PowerCut(ServiceFault):
    """Everything is killed at once, and started again by hand."""

    name = "power cut"

    def strike(self, random: Random) -> None:
        processes = self.running.processes()
        self.running.stop(signal.SIGKILL)
        eventually(lambda: not any(map(is_alive, processes)), "nothing is left")
        self.running.start_again()


class Restart(ServiceFault):
    """An operator stops the service and starts it again."""

    name = "restart"

    def strike(self, random: Random) -> None:
        assert self.running.stop() == 0, self.running.log()
        self.running.start_again()


class FullMemory(ServiceFault):
    """The store's memory limit is below what it already uses."""

    name = "full memory"

    def strike(self, random: Random) -> None:
        with store(self.running) as client:
            client.config_set("maxmemory", "1mb")
            try:
                memory = client.info("memory")
                assert memory["used_memory"] > memory["maxmemory"] > 0
                check_storage_full(self.running)
                time.sleep(random.uniform(SHORTEST, LONGEST))
            finally:
                client.config_set("maxmemory", "0")


class FullDisk(Fault):
    """Something else fills the disk, and later frees it."""

    name = "full disk"

    def __init__(self, running: Running, volume: Volume) -> None:
        self.running = running
        self.volume = volume

    def strike(self, random: Random) -> None:
        serving = self.running.process.pid
        try:
            self.volume.fill()
            assert self.volume.free() == 0
            check_storage_full(self.running)
            time.sleep(random.uniform(SHORTEST, LONGEST))
        finally:
            self.volume.empty()
        assert is_alive(serving), self.running.log()


class SlowDisk(ClockworkFault):
    """Every sync takes longer."""

    name = "slow disk"

    def strike(self, random: Random) -> None:
        self.clockwork.set(sync_delay=random.uniform(0.05, 0.5))
        time.sleep(random.uniform(SHORTEST, LONGEST))
        self.clockwork.set()


class ClockStep(ClockworkFault):
    """The wall clock jumps by up to an hour, forwards or back, and is later set right."""

    name = "clock step"

    def strike(self, random: Random) -> None:
        offset = random.uniform(-HOUR, HOUR)
        self.clockwork.set(clock_offset=offset)
        try:
            assert abs(self.clockwork.now() - time.time() - offset) < 60
            time.sleep(random.uniform(SHORTEST, LONGEST))
        finally:
            self.clockwork.set()


def every_fault(
    running: Running, clockwork: Clockwork | None, volume: Volume | None
) -> Sequence[Fault]:
    """All faults that this machine allows; those of a missing clockwork or volume are left out."""
    faults: list[Fault] = [Killed(running), Paused(running), PowerCut(running), Restart(running)]
    faults.append(FullMemory(running))
    if clockwork is not None:
        faults += [SlowDisk(clockwork), ClockStep(clockwork)]
    if volume is not None:
        faults.append(FullDisk(running, volume))
    return faults


def parts(running: Running) -> list[str]:
    """The names of the parts that run now."""
    files = (running.data_dir / "run").glob("*.pid")
    return sorted(file.stem for file in files if file.stem != "serve")


def store(running: Running) -> redis.Redis:
    """A client of the service's own store, once it answers."""
    url = (running.data_dir / "run" / "redis.url").read_text().strip()
    client = redis.Redis.from_url(url)

    def answers() -> bool:
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False

    eventually(answers, "the store answers")
    return client


def check_storage_full(running: Running) -> None:
    """Wait until writes are refused as `storage-full` and `/readyz` says so; reads go on."""

    def refuses_writes() -> bool:
        try:
            answer = running.post("/players", {"name": "Spare"})
            told = running.session.get(f"{running.url}/readyz").json()
        except requests.RequestException:
            return False
        is_refused = answer.status_code == 507 and answer.json()["code"] == "storage-full"
        return is_refused and told.get("writes") == "storage-full"

    eventually(refuses_writes, f"writes are refused\n{running.log()}")
    assert "items" in running.get("/games", limit=1)


def stands_still(pid: int) -> bool:
    """Whether a process is stopped, or has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "TZ"
    except (FileNotFoundError, ProcessLookupError):
        return True
