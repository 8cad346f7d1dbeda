"""Invariants of every position in random games of every variant."""

from __future__ import annotations

import itertools
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import IllegalAction
from engine.position import MAX_DEPTH, Action
from engine.random_play import random_play
from notation.registry import find_dialect
from tests.games import LONGEST, NAMES, random_actions

SEEDS = st.integers(0, 2**32)
every_variant = pytest.mark.parametrize("variant", NAMES)


@every_variant
@given(seed=SEEDS)
@settings(max_examples=10, deadline=None)
def test_legal_actions_end_with_the_game(variant: str, seed: int) -> None:
    position = find_dialect(variant).start({})
    assert position.outcome() is None
    for _ in range(LONGEST):
        legal = position.legal()
        assert bool(legal) is (position.outcome() is None)
        assert legal == sorted(set(legal))
        assert 0 not in legal
        assert all(position.is_legal(action) for action in legal)
        if not legal:
            assert position.perft(0) == 1
            assert position.perft(1) == 0
            break
        position.play(Random(seed + len(legal)).choice(legal))


@every_variant
@given(seed=SEEDS)
@settings(max_examples=10, deadline=None)
def test_points_never_fall_and_come_with_the_game(variant: str, seed: int) -> None:
    written = find_dialect(variant)
    position = written.start({})
    before = position.points()
    assert (before is not None) is written.variant.counts_points
    for _, after in random_play(position, Random(seed), LONGEST):
        points = after.points()
        assert (points is None) is (before is None)
        if points is not None and before is not None:
            assert points[0] >= before[0]
            assert points[1] >= before[1]
            before = points


@every_variant
@given(seed=SEEDS)
@settings(max_examples=10, deadline=None)
def test_numbers_and_turns_go_forward(variant: str, seed: int) -> None:
    position = find_dialect(variant).start({})
    turns = [(position.number, position.side)]
    for _, after in random_play(position, Random(seed), LONGEST):
        turns.append((after.number, after.side))
    assert turns[0] == (1, 0)
    for (number, side), (next_number, next_side) in itertools.pairwise(turns):
        passed = (next_number, next_side) != (number, side)
        following = (number, 1) if side == 0 else (number + 1, 0)
        assert not passed or (next_number, next_side) == following


@every_variant
@given(seed=SEEDS)
@settings(max_examples=5, deadline=None)
def test_what_is_made_can_be_unmade(variant: str, seed: int) -> None:
    position = find_dialect(variant).start({})
    for index, _ in enumerate(random_play(position, Random(seed), 120)):
        if index % 12:
            continue
        before = position.key()
        for action in position.legal():
            played = position.copy()
            played.play(action)
            position.make(action)
            assert position.key() == played.key()
            assert position.legal() == played.legal()
            assert position.outcome() == played.outcome()
            position.unmake()
            assert position.key() == before


@every_variant
def test_a_line_of_the_greatest_depth_can_be_taken_back(variant: str) -> None:
    games = (random_actions(variant, seed)[0] for seed in range(1000))
    actions = next(actions for actions in games if len(actions) > MAX_DEPTH)
    position = find_dialect(variant).start({})
    keys = []
    for action in actions[:MAX_DEPTH]:
        keys.append(position.key())
        position.make(action)
    with pytest.raises(IndexError):
        position.make(actions[MAX_DEPTH])
    for key in reversed(keys):
        position.unmake()
        assert position.key() == key
    with pytest.raises(IndexError):
        position.unmake()


@every_variant
def test_what_was_played_for_good_is_not_taken_back(variant: str) -> None:
    position = find_dialect(variant).start({})
    position.make(position.legal()[0])
    position.play(position.legal()[0])
    with pytest.raises(IndexError):
        position.unmake()


@every_variant
def test_perft_refuses_depths_out_of_range(variant: str) -> None:
    position = find_dialect(variant).start({})
    assert position.perft(0) == 1
    for depth in (-1, MAX_DEPTH + 1):
        with pytest.raises(ValueError, match=str(depth)):
            position.perft(depth)


@every_variant
@given(seed=SEEDS, number=st.integers(-(2**70), 2**70) | st.integers(0, 2**14))
@settings(max_examples=50, deadline=None)
def test_any_other_action_is_refused_and_changes_nothing(
    variant: str, seed: int, number: int
) -> None:
    position = find_dialect(variant).start({})
    for _ in random_play(position, Random(seed), seed % 90):
        pass
    action = Action(number)
    if action in position.legal():
        return
    before = position.key()
    assert not position.is_legal(action)
    with pytest.raises(IllegalAction):
        position.play(action)
    assert position.key() == before


@every_variant
@given(seed=SEEDS)
@settings(max_examples=10, deadline=None)
def test_a_copy_goes_its_own_way(variant: str, seed: int) -> None:
    position = find_dialect(variant).start({})
    for _ in random_play(position, Random(seed), seed % 60):
        pass
    if not (legal := position.legal()):
        return
    before = position.key()
    twin = position.copy()
    assert twin.key() == before
    twin.play(legal[0])
    assert position.key() == before
    assert twin.key() != before


@every_variant
@pytest.mark.parametrize("depth", [-1, MAX_DEPTH + 1])
def test_perft_has_bounds(variant: str, depth: int) -> None:
    with pytest.raises(ValueError, match=f"^{depth}$"):
        find_dialect(variant).start({}).perft(depth)


@every_variant
def test_perft_counts_what_is_legal(variant: str) -> None:
    position = find_dialect(variant).start({})
    for _ in random_play(position, Random(3), 60):
        legal = position.legal()
        assert position.perft(0) == 1
        assert position.perft(1) == len(legal)
        total = 0
        for action in legal:
            position.make(action)
            total += len(position.legal())
            position.unmake()
        assert position.perft(2) == total
