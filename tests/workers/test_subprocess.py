"""Computations in child processes: their answers, errors and ends."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from service.composition.service import Service
from service.jobs.errors import LeaseLost
from service.jobs.job_kinds import ROUNDS
from service.tournament.pairing.errors import NoPairing
from tests.workers.support import task
from workers import stop_request as stop_request
from workers import subprocess as aside_module
from workers.errors import ChildDied, Interrupted
from workers.subprocess import run_in_subprocess
from workers.task import Task


@pytest.fixture
def work(service: Service) -> Task:
    return task(service, ROUNDS, {})


def own_process(number: int) -> tuple[int, int]:
    return number, os.getpid()


def refuse() -> None:
    raise NoPairing(3)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def go_on() -> None:
    time.sleep(600)


@pytest.mark.slow
def test_an_answer_comes_from_another_process(work: Task) -> None:
    number, process = run_in_subprocess(work, own_process, 3)
    assert number == 3
    assert process != os.getpid()


@pytest.mark.slow
def test_an_error_comes_as_it_was_raised(work: Task) -> None:
    with pytest.raises(NoPairing) as caught:
        run_in_subprocess(work, refuse)
    assert caught.value.round == 3


@pytest.mark.slow
def test_a_process_that_dies_is_told_of(work: Task) -> None:
    with pytest.raises(ChildDied) as caught:
        run_in_subprocess(work, die)
    assert caught.value.exitcode == -signal.SIGKILL


@pytest.mark.parametrize("function", [go_on])
def test_whoever_is_to_stop_does_not_wait(
    work: Task, monkeypatch: pytest.MonkeyPatch, function: Callable[[], None]
) -> None:
    monkeypatch.setattr(aside_module, "REPORTED", 0.01)
    monkeypatch.setattr(stop_request, "is_requested", lambda: True)
    with pytest.raises(Interrupted):
        run_in_subprocess(work, function)


def note_and_go_on(path: Path) -> None:
    path.write_text(str(os.getpid()))
    os.rename(path, path.with_suffix(".pid"))
    go_on()


@pytest.mark.slow
@pytest.mark.parametrize("end", [Interrupted, LeaseLost])
def test_the_process_ends_with_the_job_that_waits_for_it(
    work: Task, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, end: type[Exception]
) -> None:
    noted = tmp_path / "helper.pid"
    monkeypatch.setattr(aside_module, "REPORTED", 0.01)
    if end is Interrupted:
        monkeypatch.setattr(stop_request, "is_requested", noted.exists)
    else:
        progress = Task.report_progress

        def cancelled(self: Task, done: int, total: int) -> None:
            if noted.exists():
                self.jobs.cancel(self.job.id)
            progress(self, done, total)

        monkeypatch.setattr(Task, "report_progress", cancelled)
    with pytest.raises(end):
        run_in_subprocess(work, note_and_go_on, noted.with_suffix(""))
    with pytest.raises(ProcessLookupError):
        os.kill(int(noted.read_text()), 0)
