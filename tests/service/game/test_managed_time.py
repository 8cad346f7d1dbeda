"""Games on simulated clocks of every kind: managed time is used, and never runs out."""

from __future__ import annotations

from random import Random

import pytest

from engine.search.time_management import TimeBudget, allot_time, expect_moves
from engine.side import Side
from notation.time_control import parse_time_control
from service.game.clock import Clock, count_moves_to_go, find_delay, find_time_left

CONTROLS = (
    *("300", "60", "180+2", "3+1", "1+1", "60d2", "0d5", "5d1", "600+0+30(5)", "0+0+10(1)"),
    *("1+0+3(2)", "40/5400+30:1800+30", "3/60+2:2/30+1:10+5", "2/5", "3/10:2/5d1", "20/60"),
)
OVERHEAD = 30
"""Milliseconds reserved for an action's way to its clock."""
MOVES = {20: 60, 80: 120}
"""Numbers of moves in games that are longer than usual, by the usual number."""


class Player:
    """One side's clock under a time control; each move takes up to `OVERHEAD` longer."""

    def __init__(self, control: str, usual_moves: int) -> None:
        self.control = parse_time_control(control)
        self.clock = Clock.set_up(self.control)
        self.usual_moves = usual_moves
        self.random = Random(control)
        self.made = 0
        self.now = 0

    def budget(self) -> TimeBudget:
        left = self.clock.sides[Side.FIRST].left
        time = find_time_left(self.control, self.made, left)
        return allot_time(time, expect_moves(self.usual_moves, self.made), OVERHEAD)

    def move(self, seconds: float) -> None:
        """Make a move after these seconds; the clock must not have run out by then."""
        self.clock = self.clock.act(
            Side.FIRST, self.clock.sides[Side.FIRST].left, passes=False
        ).begin_turn(Side.FIRST, self.now)
        self.now += round(1000 * seconds) + self.random.randrange(OVERHEAD)
        assert not self.clock.is_out_of_time(self.now), self.made
        spent = self.clock.spend(Side.FIRST, self.now, 0, passes=True)
        self.clock = self.clock.act(Side.FIRST, spent.left, passes=True)
        self.made += 1


@pytest.mark.parametrize("usual_moves", [20, 80])
@pytest.mark.parametrize("control", CONTROLS)
def test_a_player_who_takes_the_maximum_at_every_move_keeps_time(
    control: str, usual_moves: int
) -> None:
    player = Player(control, usual_moves)
    for _ in range(MOVES[usual_moves]):
        player.move(player.budget().maximum)


@pytest.mark.parametrize("usual_moves", [20, 80])
@pytest.mark.parametrize("control", CONTROLS)
def test_a_player_who_takes_anything_up_to_the_maximum_keeps_time(
    control: str, usual_moves: int
) -> None:
    player = Player(control, usual_moves)
    for _ in range(MOVES[usual_moves]):
        budget = player.budget()
        player.move(player.random.choice([0.001, budget.optimum, budget.maximum]))


@pytest.mark.parametrize("control", CONTROLS)
def test_a_player_who_takes_the_optimum_uses_the_time(control: str) -> None:
    player = Player(control, 80)
    for _ in range(80):
        player.move(player.budget().optimum)
    stages = player.control.stages
    first = stages[0]
    if first.period:
        # A period that comes back with each move is used, but none is lost.
        assert player.clock.sides[Side.FIRST].left >= 1000 * first.period * first.periods
    if first.moves is None and first.seconds >= 60:
        left = player.clock.sides[Side.FIRST].left - 1000 * first.period * first.periods
        assert left < 1000 * first.seconds / 3


def test_the_moves_until_time_is_added_are_counted() -> None:
    counted = {
        text: [count_moves_to_go(parse_time_control(text), made) for made in range(8)]
        for text in ("300", "3/60:2/30", "3/60:10", "2/5")
    }
    assert counted == {
        "300": [None] * 8,
        "3/60:2/30": [3, 2, 1, 2, 1, 2, 1, 2],
        "3/60:10": [3, 2, 1, None, None, None, None, None],
        "2/5": [2, 1] * 4,
    }


def test_what_a_clock_leaves_names_the_stage_of_the_move() -> None:
    control = parse_time_control("3/60+2:10d5")
    assert find_delay(control, 3) == 5000
    first, last = (find_time_left(control, made, 7000) for made in (1, 3))
    assert (first.increment, first.delay, first.moves_to_go) == (2000, 0, 2)
    assert (last.increment, last.delay, last.moves_to_go) == (0, 5000, None)
    periods = find_time_left(parse_time_control("60+0+30(5)"), 9, 170_000)
    assert (periods.period, periods.periods, periods.main) == (30_000, 5, 20_000)
    assert periods.rest_of_period == 30_000
