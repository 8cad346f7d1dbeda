"""Loops that wait for the store log few lines, however often they try again."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Any, TypeAlias

import pytest
import redis

from service.composition.service import Service
from workers.computer.playing import ComputerGames
from workers.delivery_loop import Deliveries
from workers.flag_falls import FlagFalls

Loop: TypeAlias = FlagFalls | Deliveries | ComputerGames


@pytest.mark.parametrize(
    ("make", "step"),
    [
        (FlagFalls, "step"),
        (Deliveries, "begin_due"),
        (lambda service: ComputerGames(service, 0), "step"),
    ],
    ids=["clocks", "webhooks", "computer"],
)
def test_a_store_that_is_away_for_long_is_two_lines(
    make: Callable[[Service], Loop],
    step: str,
    service: Service,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop = make(service)
    stop = Event()
    tries: list[int] = []

    def fail_for_long() -> Any:
        tries.append(1)
        if len(tries) == 21:
            stop.set()
            return 0
        raise redis.ConnectionError("Connection refused")

    monkeypatch.setattr(loop, step, fail_for_long)
    monkeypatch.setattr("service.storage.outage_log.CALM", 0)
    for module in ("flag_falls", "delivery_loop", "computer.playing"):
        monkeypatch.setattr(f"workers.{module}.PAUSE", 0)
    loop.run(stop)
    assert len(tries) == 21
    assert caplog.messages == [
        "the store is away: Connection refused",
        "the store works again after 0 s",
    ]
