"""The store's time, as a process estimates it."""

from __future__ import annotations

from typing import Any, cast

import pytest
import redis

from service.clocks.store_time import RESYNC, TRIES, StoreTime


class Machine:
    """A store and a process whose clocks and network delay a test sets, in seconds."""

    def __init__(self) -> None:
        self.now = 100.0
        self.ahead = 1_700_000_000.0
        self.delay = 0.0
        self.delays: list[float] = []
        self.away = False
        self.asked = 0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> tuple[int, int]:
        self.asked += 1
        if self.away:
            raise redis.ConnectionError("away")
        told = self.now + self.ahead
        self.now += self.delays.pop(0) if self.delays else self.delay
        return int(told), int(told % 1 * 1_000_000)


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def time(machine: Machine) -> StoreTime:
    return StoreTime(cast(redis.Redis, machine), machine.monotonic)


def test_the_store_is_not_asked_each_time(machine: Machine, time: StoreTime) -> None:
    assert time() == 1_700_000_100_000
    machine.now += RESYNC - 1
    assert time() == 1_700_000_104_000
    assert machine.asked == 1
    machine.now += 2
    assert time() == 1_700_000_106_000
    assert machine.asked == 2


def test_a_slow_answer_counts_for_less_than_a_fast_one(machine: Machine, time: StoreTime) -> None:
    time()
    machine.now, machine.delay = machine.now + 10, 0.4
    # If the store were taken to have answered halfway, this would be 0.2 seconds behind.
    assert time() == round((machine.now + machine.ahead) * 1000)
    machine.now, machine.delay = machine.now + 10, 0.0
    assert time() == round((machine.now + machine.ahead) * 1000)


def test_a_slow_first_answer_is_not_the_only_one(machine: Machine, time: StoreTime) -> None:
    machine.delays = [4.0, 0.0]
    assert time() == round((machine.now + machine.ahead) * 1000)
    assert machine.asked == 2


def test_a_store_that_is_always_slow_is_asked_a_few_times_at_first(
    machine: Machine, time: StoreTime
) -> None:
    machine.delays = [0.4, 1.0, 0.8]
    # The fastest answer is off by half the time it took.
    assert time() == round((machine.now + machine.ahead - 0.2) * 1000)
    assert machine.asked == TRIES


def test_a_store_whose_clock_was_set_is_believed(machine: Machine, time: StoreTime) -> None:
    time()
    machine.now += 10
    machine.ahead += 3600
    assert time() == 1_700_003_710_000


def test_a_store_that_is_away_is_not_missed(machine: Machine, time: StoreTime) -> None:
    machine.away = True
    with pytest.raises(redis.ConnectionError):
        time()
    machine.away = False
    before = time()
    machine.away = True
    machine.now += 60
    assert time() == before + 60_000


def test_who_asks_while_the_first_answer_is_awaited_gets_one_too(
    machine: Machine, time: StoreTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, told = machine.time, []

    def answer() -> tuple[int, int]:
        monkeypatch.setattr(machine, "time", first)
        told.append(time())
        return first()

    # The second call comes while the store has not answered the first.
    monkeypatch.setattr(machine, "time", answer)
    told.append(time())
    assert told == [1_700_000_100_000] * 2
    assert machine.asked == 2


def test_a_real_store_tells_its_time(store: redis.Redis) -> None:
    time = StoreTime(store)
    told = time()
    answer: Any = store.time()
    seconds, microseconds = answer
    assert abs(told - (seconds * 1000 + microseconds // 1000)) < 2000
