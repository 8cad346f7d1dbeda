"""Perft, and its division by first action."""

from __future__ import annotations

import pytest

from engine.katruji.kernel import Position
from engine.perft import divide, perft
from tests.engine.katruji_support import at


def test_perft_counts_alike_however_it_is_cut_up() -> None:
    assert [perft(Position(), depth) for depth in range(5)] == [1, 14, 200, 3366, 58379]


def test_divide_splits_the_count_by_the_first_action() -> None:
    counts = divide(Position(), 3)
    assert list(counts) == Position().legal()
    assert sum(counts.values()) == 3366


def test_divide_at_depth_1_counts_each_action_once() -> None:
    assert set(divide(Position(), 1).values()) == {1}


def test_divide_of_a_finished_position_is_empty() -> None:
    assert divide(at("3O/4/4/4/4/4/4/4", "n"), 2) == {}


@pytest.mark.parametrize("depth", [0, -1, 65])
def test_divide_refuses_depths_out_of_range(depth: int) -> None:
    with pytest.raises(ValueError, match=str(depth)):
        divide(Position(), depth)


@pytest.mark.parametrize("depth", [-1, 65])
def test_perft_refuses_depths_out_of_range(depth: int) -> None:
    with pytest.raises(ValueError, match=str(depth)):
        perft(Position(), depth)
