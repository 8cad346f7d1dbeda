"""Programs that are kept running, with real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from service.operations import supervised_program
from service.operations.errors import KeepsDying
from service.operations.supervised_program import MOST_DEATHS, Child, Program
from service.operations.supervisor import Supervisor
from tests.waiting import PATIENCE, eventually, patiently

pytestmark = pytest.mark.slow


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def pid_of(folder: Path, name: str) -> int:
    """The process id that is noted for a program just after it has begun."""
    file = folder / f"{name}.pid"
    # The file is created empty, and nothing deletes it until its program is killed.
    eventually(lambda: file.exists() and file.read_text() != "")
    return int(file.read_text())


def tend_for_ever(child: Child) -> None:
    for _ in patiently("it is given up"):
        child.tend()


class Supervised:
    """A supervisor in a process of its own, with these layers of programs."""

    def __init__(self, folder: Path, *layers: str) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.service.operations.supervised", str(folder), *layers],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def diary(self) -> list[str]:
        return (self.folder / "diary").read_text().splitlines()


@pytest.fixture
def supervised(tmp_path: Path) -> Iterator[Callable[..., Supervised]]:
    running: list[Supervised] = []

    def start(*layers: str) -> Supervised:
        running.append(Supervised(tmp_path, *layers))
        return running[-1]

    yield start
    for each in running:
        each.process.kill()
        each.process.communicate()


def test_layers_start_from_below_and_stop_from_above(
    supervised: Callable[..., Supervised],
) -> None:
    running = supervised("low", "high")
    assert running.diary() == ["low starts", "high starts"]
    running.process.send_signal(signal.SIGTERM)
    assert running.process.wait(PATIENCE) == 0
    assert running.diary()[2:] == ["high stops", "low stops"]
    assert not list(running.folder.glob("*.pid"))


def test_a_child_that_dies_is_started_again(supervised: Callable[..., Supervised]) -> None:
    running = supervised("low", "high")
    first = pid_of(running.folder, "low")
    os.kill(first, signal.SIGKILL)
    eventually(lambda: running.diary().count("low starts") == 2)
    assert pid_of(running.folder, "low") != first
    assert running.diary().count("high starts") == 1


def test_a_fork_is_a_program_like_the_others(supervised: Callable[..., Supervised]) -> None:
    running = supervised("low", "forked", "forked-too")
    own = "leads True has [0, 1, 2] knows"
    assert running.diary() == [
        "low starts",
        f"forked {own} forked",
        "forked starts",
        f"forked-too {own} forked-too",
        "forked-too starts",
    ]
    first = pid_of(running.folder, "forked")
    assert Path(f"/proc/{first}/comm").read_text() == "forked\n"
    os.kill(first, signal.SIGKILL)
    eventually(lambda: running.diary().count("forked starts") == 2)
    assert pid_of(running.folder, "forked") != first
    running.process.send_signal(signal.SIGINT)
    assert running.process.wait(PATIENCE) == 0
    assert running.diary()[-3:] == ["forked-too stops", "forked stops", "low stops"]


def test_a_fork_that_ends_tells_how() -> None:
    script = """
import os, sys, time
from service.operations.forked_process import ForkedProcess, Module
module = Module("tests.service.operations.diarist", ("failing", os.devnull))
fork = ForkedProcess("failing", module, os.environ, lambda: None)
while fork.poll() is None:
    time.sleep(0.01)
print(fork.poll())
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (run.stdout, run.stderr) == ("1\n", "it fails\n")


def test_a_fork_that_is_told_to_stop_at_once_stops(tmp_path: Path) -> None:
    """A signal that came before it had begun was taken by its parent's handler, and was lost."""
    script = """
import os, signal, sys, time
from service.operations.forked_process import ForkedProcess, Module
told = []
signal.signal(signal.SIGTERM, lambda number, frame: told.append(number))
module = Module("tests.service.operations.diarist", ("early", sys.argv[1]))
heard, told_to_begin = os.pipe()
fork = ForkedProcess("early", module, os.environ, lambda: os.read(heard, 1))
fork.send_signal(signal.SIGTERM)
os.write(told_to_begin, b"!")
os.kill(os.getpid(), signal.SIGTERM)
deadline = time.monotonic() + 60
while fork.poll() is None and time.monotonic() < deadline:
    time.sleep(0.01)
print(fork.poll(), len(told))
fork.send_signal(signal.SIGKILL)
"""
    diary = tmp_path / "diary"
    diary.touch()
    run = subprocess.run(
        [sys.executable, "-c", script, str(diary)], capture_output=True, text=True, check=True
    )
    assert (run.stdout, diary.read_text()) == ("-15 1\n", "")


def test_a_supervisor_that_is_told_to_stop_starts_nothing_more(tmp_path: Path) -> None:
    started: list[str] = []

    def begin(name: str) -> Program:
        def prepare() -> tuple[str, ...]:
            started.append(name)
            os.kill(os.getpid(), signal.SIGTERM)
            return ()

        return Program(name, ("sleep", "60"), os.environ, prepare=prepare)

    supervisor = Supervisor([[begin("first"), begin("second")]], tmp_path, print)
    supervisor.run(lambda: None)
    assert started == ["first"]


def test_a_second_signal_ends_a_child_that_will_not(
    supervised: Callable[..., Supervised],
) -> None:
    running = supervised("low", "stubborn")
    stubborn = pid_of(running.folder, "stubborn")
    running.process.send_signal(signal.SIGINT)
    eventually(lambda: "stubborn ignores" in running.diary())
    assert is_alive(stubborn)
    running.process.send_signal(signal.SIGINT)
    assert running.process.wait(PATIENCE) == 0
    assert not is_alive(stubborn)
    assert running.diary()[-1] == "low stops"


def test_no_child_outlives_a_supervisor_that_is_killed(
    supervised: Callable[..., Supervised],
) -> None:
    running = supervised("low", "high,stubborn,forked")
    pids = [pid_of(running.folder, name) for name in ("low", "high", "stubborn", "forked")]
    running.process.kill()
    eventually(lambda: not any(map(is_alive, pids)))


def test_a_program_that_keeps_dying_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervised_program, "FIRST_PAUSE", 0.0)
    # On a busy machine it runs for more than a second before it ends.
    monkeypatch.setattr(supervised_program, "SETTLED", PATIENCE)
    told: list[str] = []
    command = (sys.executable, "-c", "raise SystemExit(3)")
    child = Child(Program("broken", command, os.environ, hint="see the log"), tmp_path, told.append)
    with pytest.raises(KeepsDying) as failure:
        tend_for_ever(child)
    assert (failure.value.status, failure.value.times) == (3, MOST_DEATHS)
    assert str(failure.value) == (
        f"broken ended {MOST_DEATHS} times in a row before it was ready (exit status 3);"
        " see the log"
    )
    assert told == ["broken ended (exit status 3); starting it again"] * (MOST_DEATHS - 1)
    assert not (tmp_path / "broken.pid").exists()


def test_a_program_that_ends_soon_after_it_was_ready_waits_ever_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that fails as soon as it works must not take a processor for that."""
    clock = [0.0]
    monkeypatch.setattr(supervised_program, "monotonic", lambda: clock[0])
    told: list[str] = []
    program = Program("worker", ("sleep", "60"), os.environ, ready=lambda: True)
    child = Child(program, tmp_path, told.append)
    pauses: list[float] = []

    def end_after(seconds: float) -> None:
        while not child.ready:
            child.tend()
        clock[0] += seconds
        os.kill(pid_of(tmp_path, "worker"), signal.SIGKILL)
        for _ in patiently("its end is noticed"):
            child.tend()
            if not child.running:
                break
        pauses.append(round(child._due - clock[0], 1))
        clock[0] = child._due

    for _ in range(9):
        end_after(5)
    end_after(11)
    assert pauses == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0, 0.1]
    how = "worker ended (killed by SIGKILL); starting it again"
    assert told[3:7] == [how, f"{how} in 2 s", f"{how} in 3 s", f"{how} in 6 s"]


def test_deaths_after_readiness_are_forgiven(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervised_program, "FIRST_PAUSE", 0.0)
    told: list[str] = []
    command = (sys.executable, "-c", "import time; time.sleep(60)")
    ready = Program("killed", command, os.environ, ready=lambda: True)
    child = Child(ready, tmp_path, told.append)
    for _ in patiently("it is killed so often"):
        if len(told) > MOST_DEATHS:
            break
        child.tend()
        if child.ready:
            child.send_signal(signal.SIGKILL)
            time.sleep(0.01)
    assert told == ["killed ended (killed by SIGKILL); starting it again"] * (MOST_DEATHS + 1)
    child.send_signal(signal.SIGKILL)
    for _ in patiently("it is gone"):
        if child.is_gone():
            break
        child.send_signal(signal.SIGKILL)


def test_deaths_that_are_excused_are_never_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervised_program, "FIRST_PAUSE", 0.0)
    told: list[str] = []
    full = [True]
    broken = Program(
        "broken",
        (sys.executable, "-S", "-c"),
        os.environ,
        prepare=lambda: ("raise SystemExit(3)",),
        excused=lambda: full[0],
    )
    child = Child(broken, tmp_path, told.append)
    for _ in patiently("it was excused often"):
        child.tend()
        if len(told) == 2 * MOST_DEATHS:
            break
    full[0] = False
    with pytest.raises(KeepsDying):
        tend_for_ever(child)


def test_a_process_id_that_cannot_be_noted_ends_nothing(tmp_path: Path) -> None:
    told: list[str] = []
    command = (sys.executable, "-c", "import time; time.sleep(60)")
    looked: list[bool] = []
    ready = Program(
        "one", command, os.environ, ready=lambda: True, watch=lambda: looked.append(True)
    )
    child = Child(ready, tmp_path / "nowhere", told.append)
    for _ in patiently("it was looked at"):
        child.tend()
        if looked:
            break
    assert told == [f"{tmp_path}/nowhere/one.pid cannot be written: No such file or directory"]
    (tmp_path / "nowhere").mkdir()
    child.tend()
    assert is_alive(int((tmp_path / "nowhere" / "one.pid").read_text()))
    child.send_signal(signal.SIGKILL)
    eventually(child.is_gone)
