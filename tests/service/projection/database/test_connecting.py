"""A connection that comes too late because this process stood still is no silence of the server."""

from __future__ import annotations

from typing import Any

import pytest
from psycopg.errors import ConnectionTimeout

from service.projection.database import silence
from service.projection.database.silence import CONNECTING, Silence


class Connecting:
    """Attempts to connect, each of which lasts some seconds of a clock of its own."""

    def __init__(self, *lasting: float) -> None:
        self.now = 100.0
        self.lasting = list(lasting)
        self.message = "connection timeout expired"

    def monotonic(self) -> float:
        return self.now

    def connect(self) -> Any:
        self.now += self.lasting.pop(0)
        if self.lasting:
            raise ConnectionTimeout(self.message)
        return self

    def close(self) -> None:
        """Close what was connected."""


def is_silent(connecting: Connecting, patch: pytest.MonkeyPatch) -> bool:
    """Whether the server is taken to be silent after a question has asked for it."""
    patch.setattr(silence, "monotonic", connecting.monotonic)
    known = Silence(connecting.connect)
    try:
        known.ask()
    except silence.ServerSilent:
        return True
    return False


def test_a_server_that_does_not_answer_in_time_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    connecting = Connecting(CONNECTING + 0.1, 0.0)
    assert is_silent(connecting, monkeypatch)
    assert connecting.lasting == [0.0]


def test_after_a_standstill_the_server_is_asked_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_silent(Connecting(CONNECTING + 2.0, 0.0), monkeypatch)
    assert is_silent(Connecting(CONNECTING + 2.0, CONNECTING + 0.1, 0.0), monkeypatch)


def test_each_address_of_a_server_has_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    connecting = Connecting(2 * CONNECTING + 0.1, 0.0)
    connecting.message = "timeout\nAll failures were:\n- host: 'a': timeout\n- host: 'b': timeout"
    assert is_silent(connecting, monkeypatch)
