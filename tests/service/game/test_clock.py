"""Clocks as values: stages, increments, delays, periods, days a move."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.side import Side
from notation.time_control import check_playable, parse_time_control
from service.game.clock import MAX_COMPENSATION, MAX_LEFT, Clock
from tests.clock_recount import Hand

FIRST, SECOND = Side.FIRST, Side.SECOND
CONTROLS = (
    *("180+2", "60d2", "1+0+3(2)", "3/60+2:2/30+1:10+5", "2/5:5+0+3(2)", "1/259200"),
    *(
        pytest.param(control, marks=pytest.mark.slow)
        for control in ("300", "1+1", "0d5", "0+0+10(1)", "40/5400+30:1800+30", "2/5", "3/10:2/5d1")
    ),
)


class Table:
    """Two players at a clock, who act after given numbers of milliseconds."""

    def __init__(self, control: str) -> None:
        self.clock = Clock.set_up(parse_time_control(control))
        self.now = 1_000_000
        self.side = FIRST

    def act(self, after: int, lag: int = 0, *, passes: bool = True) -> tuple[int, int, int]:
        """Act after this time; return the compensation, the time used and the time left."""
        self.now += after
        spent = self.clock.spend(self.side, self.now, lag, passes=passes)
        self.clock = self.clock.act(self.side, spent.left, passes=passes)
        self.side = self.side.other if passes else self.side
        self.clock = self.clock.begin_turn(self.side, self.now)
        return spent.compensation, spent.used, spent.left

    def begin(self) -> None:
        """Both sides make their first moves, which take no time from their clocks."""
        self.act(7_000)
        self.act(70_000)


def test_each_sides_clock_starts_with_its_first_action() -> None:
    table = Table("180+2")
    running: list[Side | None] = [table.clock.running]
    for after, told in ((99_000, (0, 0, 180_000)), (99_000, (0, 0, 180_000))):
        assert table.act(after) == told
        running.append(table.clock.running)
    assert table.clock.due == table.now + 180_000
    assert table.act(10_000) == (0, 10_000, 172_000)
    assert [*running, table.clock.running] == [None, None, FIRST, SECOND]


def test_a_delay_is_not_counted_and_not_saved() -> None:
    table = Table("60d5")
    table.begin()
    assert table.clock.due == table.now + 65_000
    assert table.act(3_000)[1:] == (3_000, 60_000)
    assert table.act(8_000)[1:] == (8_000, 57_000)
    assert table.clock.left(FIRST, table.now + 5_000) == 60_000
    assert table.clock.left(FIRST, table.now + 6_000) == 59_000


def test_a_period_that_is_not_used_up_comes_back_whole() -> None:
    table = Table("10+0+30(3)")
    table.begin()
    assert table.act(4_000)[2] == 96_000
    assert table.act(39_999)[2] == 90_000
    assert table.act(6_000 + 30_000)[2] == 60_000
    assert table.act(29_999)[2] == 90_000
    assert table.act(30_000)[2] == 30_000
    assert table.clock.due == table.now + 90_000


def test_stages_add_their_time_and_the_last_is_repeated() -> None:
    table = Table("3/60:2/30")
    lefts = [table.act(1_000)[2] for _ in range(14)][::2]
    assert lefts == [60_000, 59_000, 88_000, 87_000, 116_000, 115_000, 144_000]


def test_increments_are_those_of_the_stage_in_which_the_move_was_made() -> None:
    table = Table("2/60+5:10+1")
    assert [table.act(1_000)[2] for _ in range(6)][::2] == [60_000, 74_000, 74_000]


def test_days_a_move_are_not_saved() -> None:
    table = Table("1/259200")
    table.begin()
    assert table.act(200_000_000)[2] == 259_200_000
    assert table.clock.due == table.now + 259_200_000


def test_a_second_action_of_the_same_turn_takes_time_and_completes_no_move() -> None:
    table = Table("60+5")
    table.begin()
    assert table.act(10_000, passes=False) == (0, 10_000, 50_000)
    assert table.clock.running is FIRST
    assert table.act(10_000) == (0, 10_000, 45_000)


@pytest.mark.parametrize(
    ("after", "lag", "expected"),
    [(2_000, 300, 300), (2_000, 9_999, MAX_COMPENSATION), (200, 300, 200), (2_000, -5, 0)],
)
def test_lag_is_compensated_up_to_a_bound(after: int, lag: int, expected: int) -> None:
    table = Table("60")
    table.begin()
    assert table.act(after, lag) == (expected, after - expected, 60_000 - after + expected)


def test_an_outage_is_not_counted() -> None:
    table = Table("60")
    table.begin()
    begun, ended = table.now + 10_000, table.now + 40_000
    assert table.clock.find_credit(begun, ended) == 30_000
    assert table.clock.find_credit(table.now - 5_000, ended) == 40_000
    assert table.clock.find_credit(table.now - 5_000, table.now) == 0
    table.clock = table.clock.add_credit(30_000, ended)
    assert table.clock.due == table.now + 90_000
    assert table.act(45_000)[1:] == (15_000, 45_000)
    assert table.clock.credit == 0


def test_a_stopped_clock_keeps_what_was_left() -> None:
    table = Table("60")
    table.begin()
    stopped = table.clock.stop(table.now + 20_000)
    assert (stopped.running, stopped.sides[FIRST].left, stopped.due) == (None, 40_000, None)
    assert table.clock.stop(table.now + 99_000).sides[FIRST].left == 0
    assert stopped.stop(table.now) == stopped


def test_no_clock_shows_more_than_a_record_can() -> None:
    table = Table("31622400+3600")
    for _ in range(4000):
        table.act(0)
    assert table.act(0)[2] == MAX_LEFT


def test_a_flag_falls_when_nothing_is_left() -> None:
    table = Table("60d5")
    table.begin()
    assert not table.clock.is_out_of_time(table.now + 64_999)
    assert table.clock.is_out_of_time(table.now + 65_000)
    assert table.clock.left(FIRST, table.now + 64_999) == 1
    assert table.clock.left(FIRST, table.now + 65_000) == 0


actions = st.lists(
    st.tuples(st.floats(0, 1.2), st.integers(0, 900), st.booleans() | st.just(True)),
    max_size=30,
)


@pytest.mark.parametrize("control", CONTROLS)
@given(actions)
def test_clocks_are_those_that_a_hand_keeps(
    control: str, actions: list[tuple[float, int, bool]]
) -> None:
    check_playable(parse_time_control(control))
    table, hands = Table(control), (Hand(control), Hand(control))
    for share, lag, passes in actions:
        side, hand = table.side, hands[table.side]
        due = table.clock.due
        if hand.begun:
            assert due == table.now + hand.delay + hand.left
        else:
            assert due is None
        after = round(share * (hand.left + hand.delay))
        if table.clock.is_out_of_time(table.now + after - min(lag, MAX_COMPENSATION, after)):
            assert after - min(lag, 500, after) >= hand.left + hand.delay
            return
        compensation, used, left = table.act(after, lag, passes=passes)
        if hand.begun:
            assert (compensation, used) == (min(lag, 500, after), after - compensation)
        assert left == hand.use(used, passes=passes)
        assert table.clock.sides[side].left == left
