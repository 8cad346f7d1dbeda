from __future__ import annotations

import fakeredis
import pytest
import redis

from service.webhooks.receivers import (
    FIRST_COOLING,
    LONGEST_COOLING,
    REMEMBERED,
    STRIKES,
    Receivers,
)
from tests.service.jobs.support import Clock

ONE, OTHER = "https://one.example:443", "https://other.example:443"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def receivers(clock: Clock) -> Receivers:
    store: redis.Redis = fakeredis.FakeRedis()
    return Receivers(store, clock)


def test_three_strikes_cool_a_receiver_for_a_while(receivers: Receivers, clock: Clock) -> None:
    assert [receivers.strike(ONE) for _ in range(STRIKES - 1)] == [None, None]
    assert receivers.striking([ONE, OTHER]) == {ONE}
    assert receivers.cooling([ONE, OTHER]) == {}
    until = clock() + FIRST_COOLING
    assert receivers.strike(ONE) == until
    assert receivers.cooling([ONE, OTHER]) == {ONE: until}
    clock.pass_by(FIRST_COOLING)
    assert receivers.cooling([ONE]) == {}


def test_each_further_strike_doubles_the_while(receivers: Receivers, clock: Clock) -> None:
    ends = [receivers.strike(ONE) for _ in range(STRIKES + 9)][STRIKES - 1 :]
    lengths = [end - clock() for end in ends if end is not None]
    assert lengths[:3] == [FIRST_COOLING, 2 * FIRST_COOLING, 4 * FIRST_COOLING]
    assert lengths[-1] == LONGEST_COOLING


def test_an_answer_lets_a_receiver_begin_anew(receivers: Receivers) -> None:
    assert not receivers.answered(ONE)
    for _ in range(STRIKES):
        receivers.strike(ONE)
    assert receivers.answered(ONE)
    assert receivers.cooling([ONE]) == {}
    assert receivers.strike(ONE) is None


def test_what_was_long_ago_is_forgotten(receivers: Receivers) -> None:
    receivers.strike(ONE)
    (key,) = receivers.store.scan_iter()
    left = receivers.store.pttl(key)
    assert isinstance(left, int)
    assert LONGEST_COOLING < left <= REMEMBERED
