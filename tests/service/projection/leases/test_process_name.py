from __future__ import annotations

import subprocess
import sys

import pytest

from service.projection.leases.process_name import (
    has_ended,
    make_process_name,
    shorten_process_name,
)
from tests.waiting import eventually

PROGRAM = """
from service.projection.leases.process_name import make_process_name
print(make_process_name(), flush=True)
input()
"""


def test_a_process_of_this_machine_is_known_to_have_ended() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        name = process.stdout.readline().strip()
        assert not has_ended(name)
        assert shorten_process_name(name).endswith(f":{process.pid}")
        process.kill()
    assert has_ended(name)


def test_one_that_nobody_has_waited_for_has_ended() -> None:
    """A zombie has ended, as in a container whose first process reaps none of its children."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        name = process.stdout.readline().strip()
        process.kill()
        eventually(lambda: has_ended(name))
        assert process.returncode is None


def test_one_that_cannot_be_looked_at_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such a process may be another user's, on a machine that hides those."""
    mine = make_process_name()
    _, _, tail = mine.partition(" ")
    name = f"here:{2**22 + 1} {tail}"
    assert has_ended(name)

    def refuse(pid: int, number: int) -> None:
        raise PermissionError

    monkeypatch.setattr("os.kill", refuse)
    assert not has_ended(name)


def test_a_number_that_another_process_has_by_now_says_that_the_first_has_ended() -> None:
    mine = make_process_name()
    head, _, tail = mine.partition(" ")
    started, _, space = tail.partition(".")
    assert not has_ended(mine)
    assert has_ended(f"{head} {int(started) - 1}.{space}")


def test_of_other_machines_nothing_is_known() -> None:
    assert not has_ended("beta:1 5.01234567.89ab")
    assert not has_ended("a:1 0.01234567.89ab")
    assert not has_ended("nonsense")


def test_two_names_of_one_process_differ() -> None:
    assert make_process_name() != make_process_name()
