"""How time is divided among moves, and when a search stops early."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, pairwise
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.position import Position
from engine.registry import VARIANTS
from engine.search import WIN, Limits, Search, iterate_worlds, winning_chance
from engine.search.time_management import (
    DROPPED,
    TimeBudget,
    TimeLeft,
    TimeManager,
    allot_time,
    expect_moves,
)
from notation.registry import find_dialect
from tests.engine.search.minimax import positions

TIMES = st.builds(
    TimeLeft,
    left=st.integers(0, 10**8),
    increment=st.integers(0, 10**5),
    delay=st.integers(0, 10**5),
    period=st.integers(0, 10**5),
    periods=st.integers(0, 9),
    moves_to_go=st.none() | st.integers(1, 90),
)
BUDGET = TimeBudget(optimum=10.0, maximum=40.0)


@given(TIMES, st.integers(1, 100), st.integers(0, 500))
def test_the_maximum_leaves_something_on_every_clock(
    time: TimeLeft, moves: int, overhead: int
) -> None:
    budget = allot_time(time, moves, overhead)
    assert 0 < budget.optimum <= budget.maximum
    until_flag = time.left + time.delay
    if until_flag > overhead + 100:
        assert 1000 * budget.maximum + overhead < until_flag


@given(TIMES, st.integers(1, 100))
def test_more_time_is_never_worth_less(time: TimeLeft, moves: int) -> None:
    plain = TimeLeft(time.left, time.increment, time.delay, moves_to_go=time.moves_to_go)
    more = TimeLeft(2 * time.left, time.increment, time.delay, moves_to_go=time.moves_to_go)
    for part in ("optimum", "maximum"):
        assert getattr(allot_time(more, moves), part) >= getattr(allot_time(plain, moves), part)


@pytest.mark.parametrize(
    ("time", "optimum", "maximum"),
    [
        # Sudden death: plain, with an increment, with a delay.
        (TimeLeft(60_000), 3.0, 12.0),
        (TimeLeft(60_000, increment=1_000), 3.95, 15.8),
        (TimeLeft(60_000, delay=2_000), 5.0, 20.0),
        # Little time is left, and the increment has not been added yet.
        (TimeLeft(1_000, increment=9_000), 0.6, 0.6),
        # Byo-yomi: well before it, just before it, in its last period, in the first of three.
        (TimeLeft(690_000, period=30_000, periods=3), 30.0, 120.0),
        (TimeLeft(92_000, period=30_000, periods=3), 24.0, 29.7),
        (TimeLeft(30_000, period=30_000, periods=1), 24.0, 28.5),
        (TimeLeft(80_000, period=30_000, periods=3), 19.0, 19.0),
        # Stages: some moves before more time is added, and the last move before that.
        (TimeLeft(60_000, moves_to_go=5), 12.0, 36.0),
        (TimeLeft(60_000, moves_to_go=60), 3.0, 12.0),
        (TimeLeft(10_000, moves_to_go=1), 9.0, 9.0),
    ],
)
def test_each_kind_of_clock_is_divided(time: TimeLeft, optimum: float, maximum: float) -> None:
    budget = allot_time(time, 20)
    assert (budget.optimum, budget.maximum) == pytest.approx((optimum, maximum))


def test_the_way_to_the_clock_is_kept_for_every_move() -> None:
    assert allot_time(TimeLeft(60_000, increment=1), 20, 500).optimum == pytest.approx(2.5, 0.01)
    assert allot_time(TimeLeft(60_000, moves_to_go=40), 20, 500).optimum == pytest.approx(2.0)
    assert allot_time(TimeLeft(60_000), 20, 500).optimum == pytest.approx(1.75)
    assert allot_time(TimeLeft(9_000), 20, 500).optimum == 0.001


def test_late_in_a_game_time_is_kept_for_some_moves() -> None:
    assert [expect_moves(20, made) for made in (0, 5, 14, 50)] == [20, 15, 6, 6]
    assert expect_moves(1, 9) == 1


def test_the_games_of_a_turn_share_its_time() -> None:
    time = TimeLeft(60_000, 1_000, 500, 10_000, 3, 8)
    assert time.share(2) == TimeLeft(30_000, 500, 250, 5_000, 3, 8)
    assert time.share(1) == time


def manager(limits: Limits | None = None) -> TimeManager:
    katruji = VARIANTS["katruji"]
    return TimeManager(
        limits or Limits(budget=BUDGET), lambda score: winning_chance(katruji, score)
    )


def find_end(bests: Iterator[object], scores: Iterator[int]) -> float:
    """When a search that takes 0.1 seconds per iteration stops."""
    managed = manager()
    for number, best, score in zip(count(1), bests, scores, strict=False):
        if managed.note_iteration(best, score, number / 10, 30):
            return number / 10
    raise AssertionError


def test_a_search_ends_early_where_its_best_action_stays_the_same() -> None:
    assert find_end(iter(int, 1), iter(int, 1)) < BUDGET.optimum / 2


def test_it_goes_on_where_the_best_action_changes_or_the_score_drops() -> None:
    still = find_end(iter(int, 1), iter(int, 1))
    changing = find_end(count(), iter(int, 1))
    dropping = find_end(iter(int, 1), count(0, -20))
    assert still < dropping < BUDGET.maximum
    assert still < changing < BUDGET.maximum


def test_an_iteration_in_which_the_score_drops_has_time_until_the_maximum() -> None:
    managed = manager()
    assert managed.deadline == BUDGET.maximum
    assert not managed.note_iteration("a", 0, 0.1, 30)
    usual = managed.deadline
    assert BUDGET.optimum <= usual < BUDGET.maximum
    managed.note_score(-1)
    assert managed.deadline == usual
    lost = next(score for score in count(0, -1) if managed_chance(score) < 0.5 - DROPPED)
    managed.note_score(lost)
    assert managed.deadline == BUDGET.maximum
    managed.note_score(0)
    assert managed.deadline == usual


def managed_chance(score: int) -> float:
    return winning_chance(VARIANTS["katruji"], score)


def test_the_only_action_and_a_decided_game_need_no_more() -> None:
    assert manager().note_iteration("a", 0, 0.001, 1)
    assert manager().note_iteration("a", WIN - 5, 0.001, 30)
    assert manager().note_iteration("a", 5 - WIN, 0.001, 30)
    assert not manager().note_iteration("a", 0, 0.001, 2)


def test_a_limit_of_seconds_alone_manages_nothing() -> None:
    managed = manager(Limits(seconds=3))
    assert (managed.deadline, managed.is_limited) == (3, True)
    assert not managed.note_iteration("a", WIN - 1, 2.9, 1)
    managed.note_score(-900)
    assert managed.deadline == 3
    unlimited = manager(Limits(nodes=3))
    assert (unlimited.deadline, unlimited.is_limited) == (inf, False)
    assert not unlimited.note_iteration("a", 0, 9.9, 1)


def ticking(step: float) -> Search:
    """A search of Katruji whose clock advances by `step` whenever it is read."""
    times = count(0, step)
    return Search(VARIANTS["katruji"], table_mebibytes=1, clock=lambda: next(times))


def begun() -> Position:
    return next(positions("katruji", 1, 5))


def test_a_search_obeys_its_budget() -> None:
    limits = Limits(budget=TimeBudget(0.5, 2.0))
    *_, last = ticking(0.01).iterate(begun(), limits)
    assert 0.1 < last.seconds < 2.1
    *_, other = ticking(0.01).iterate(begun(), Limits(depth=2, budget=TimeBudget(0.5, 2.0)))
    assert other.depth == 2


def test_a_search_of_worlds_obeys_its_budget() -> None:
    kerd = VARIANTS["kerd"]
    times = count(0, 0.01)
    search = Search(kerd, table_mebibytes=1, clock=lambda: next(times))
    found = list(
        iterate_worlds(search, kerd.start(), Limits(budget=TimeBudget(0.3, 1.0)), worlds=3)
    )
    assert found[-1].worlds == 3
    assert 0.1 < found[-1].seconds < 1.1
    assert all(before.seconds < after.seconds for before, after in pairwise(found))


def test_the_only_action_is_played_at_once() -> None:
    # In Kerak, a side without a move has one action, to pass.
    kerak, dialect = VARIANTS["kerak"], find_dialect("kerak")
    position = dialect.read_fen("ciia1/6/7/8/9/8/7/6/C4 r - 0-0 40")
    assert len(position.legal()) == 1
    found = list(Search(kerak, table_mebibytes=1).iterate(position, Limits(budget=BUDGET)))
    assert [iteration.depth for iteration in found] == [1]
