"""Games go on through every fault; afterwards the log, the lists and the scores are right."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest

from tests.faults.machine import Clockwork, Volume, can_mount, mounted
from tests.faults.nemesis import Fault, every_fault
from tests.faults.ordeal import Ordeal

MIB = 1 << 20


class MachineOrdeal(Ordeal):
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
        super().__init__(folder, held, self.clockwork.environment if self.clockwork else {})

    def faults(self) -> Sequence[Fault]:
        """All faults that are possible here, or only those that `FAULTS_ONLY` lists with commas."""
        found = every_fault(self.running, self.clockwork, self.volume)
        only = os.environ.get("FAULTS_ONLY")
        return [fault for fault in found if only is None or fault.name in only.split(",")]


@pytest.fixture
def ordeal(tmp_path: Path) -> Iterator[MachineOrdeal]:
    """A service ready for its ordeal; its history is saved beside its data."""
    with ExitStack() as held:
        ordeal = MachineOrdeal(tmp_path, held)
        yield ordeal
        ordeal.history.save(tmp_path / "history.jsonl")


def test_nothing_acknowledged_is_lost_by_any_fault(ordeal: MachineOrdeal) -> None:
    ordeal.suffer(ordeal.faults(), seed=0)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_nothing_acknowledged_is_lost_by_hundreds_of_faults(ordeal: MachineOrdeal) -> None:
    seed = int(os.environ.get("FAULTS_SEED") or Random().randrange(1 << 32))
    count = int(os.environ.get("FAULTS_COUNT", "200"))
    print(f"FAULTS_SEED={seed} FAULTS_COUNT={count}")
    random = Random(seed)
    ordeal.suffer([random.choice(ordeal.faults()) for _ in range(count)], seed)
