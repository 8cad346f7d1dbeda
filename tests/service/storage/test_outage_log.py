"""What is logged while a store is away or full, however often work is tried again."""

from __future__ import annotations

import logging

import pytest
import redis

from service.storage.outage_log import CALM, SILENCE, OutageLog

AWAY = redis.ConnectionError("Connection refused")
FULL = redis.OutOfMemoryError("command not allowed when used memory > 'maxmemory'")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    time = [1000.0]
    monkeypatch.setattr("service.storage.outage_log.monotonic", lambda: time[0])
    return time


def test_an_outage_is_logged_at_once_and_then_once_a_minute(
    clock: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    outages = OutageLog(logging.getLogger("tests"))
    for _ in range(500):
        outages.note(AWAY)
    assert caplog.messages == ["the store is away: Connection refused"]
    clock[0] += SILENCE
    outages.note(AWAY)
    assert len(caplog.messages) == 2


def test_the_end_of_an_outage_is_logged_once_it_has_worked_for_a_while(
    clock: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    outages = OutageLog(logging.getLogger("tests"))
    outages.note_success()
    for _ in range(35):
        outages.note(FULL)
        clock[0] += 1
        outages.note_success()
    clock[0] += CALM
    outages.note_success()
    outages.note_success()
    assert caplog.messages == [
        "the store has no room: waiting until there is",
        "the store works again after 34 s",
    ]


def test_errors_that_alternate_are_each_logged_once(
    clock: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    outages = OutageLog(logging.getLogger("tests"))
    for _ in range(100):
        outages.note(AWAY)
        outages.note(FULL)
    assert caplog.messages == [
        "the store is away: Connection refused",
        "the store has no room: waiting until there is",
    ]
