"""Invariants of every position of Kerak, and the comparison with the slow reference."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kerak.action import is_move, origin_of, target_of
from engine.kerak.board import BOARD, HOME, SPACES
from engine.kerak.kernel import Position
from engine.kerak.pieces import NUMBER, VALUE, kind_of
from engine.kerak.validity import PIECES
from engine.position import Action
from engine.random_play import random_play
from engine.source import is_compiled
from tests.engine.coordinates import ended
from tests.engine.kerak_reference import Reference
from tests.engine.kerak_support import KERAK, START, fen, names, random_set_up

MANY = 20 if is_compiled(Position) else 1


def reached(seed: int, plies: int) -> Position:
    """The position after random play from the empty board."""
    position = KERAK.read_fen(START)
    for _ in random_play(position, Random(seed), plies):
        pass
    return position


def set_up(seed: int, plies: int) -> Position:
    """The position after a few random plies from a set-up position."""
    random = Random(seed)
    position = random_set_up(random)
    for _ in random_play(position, random, plies):
        pass
    return position


seeds = st.integers(0, 2**32)
games = st.builds(reached, seeds, st.integers(0, 200))
set_ups = st.builds(set_up, seeds, st.integers(0, 6))
positions = games | set_ups


def standing(position: Position) -> list[int]:
    return [one for one in map(position.piece_at, range(SPACES)) if one]


@pytest.mark.slow
@settings(max_examples=50 * MANY)
@given(positions)
def test_the_slow_reference_agrees(position: Position) -> None:
    reference = Reference.of_fen(fen(position))
    assert names(position) == reference.actions()
    assert ended(position) == reference.outcome()
    for action in position.legal()[::7]:
        after, expected = position.copy(), Reference.of_fen(fen(position))
        after.play(action)
        expected.play(KERAK.coordinate(action))
        assert after.points() == tuple(expected.points)
        assert Reference.of_fen(fen(after)) == expected


@pytest.mark.parametrize("seed", range(2 * MANY))
def test_the_slow_reference_agrees_through_whole_games(seed: int) -> None:
    position = KERAK.read_fen(START) if seed % 2 else random_set_up(Random(seed))
    reference = Reference.of_fen(fen(position))
    for action, after in random_play(position, Random(seed), 120):
        reference.play(KERAK.coordinate(action))
        assert names(after) == reference.actions()
        assert ended(after) == reference.outcome()
    assert Reference.of_fen(fen(position)) == reference


@settings(max_examples=5 * MANY)
@given(positions)
def test_perft_counts_what_the_slow_reference_counts(position: Position) -> None:
    depth = 2 if len(position.legal()) < 40 and len(standing(position)) < 12 else 1
    assert position.perft(depth) == Reference.of_fen(fen(position)).perft(depth)


@given(positions)
def test_perft_counts_the_sequences_of_legal_actions(position: Position) -> None:
    before = position.key()

    def count(depth: int) -> int:
        if depth == 0:
            return 1
        total = 0
        for action in position.legal():
            position.make(action)
            total += count(depth - 1)
            position.unmake()
        return total

    assert [position.perft(depth) for depth in range(3)] == [count(depth) for depth in range(3)]
    assert position.key() == before


@given(positions, seeds)
def test_unmake_restores_everything(position: Position, seed: int) -> None:
    random = Random(seed)
    keys = [position.key()]
    while (actions := position.legal()) and len(keys) < 60:
        position.make(random.choice(actions))
        keys.append(position.key())
    while keys:
        assert position.key() == keys.pop()
        if keys:
            position.unmake()


@given(positions)
def test_make_and_play_agree(position: Position) -> None:
    for action in position.legal()[::5]:
        played = position.copy()
        played.play(action)
        position.make(action)
        assert position.key() == played.key()
        assert position.copy().key() == played.key()
        position.unmake()


@given(positions)
def test_legal_actions_ascend_and_are_the_legal_ones(position: Position) -> None:
    actions = position.legal()
    assert actions == sorted(set(actions))
    assert 0 not in actions
    legal = set(actions)
    assert {n for n in range(-70, 8 << 12) if position.is_legal(Action(n))} == legal
    assert (position.outcome() is not None) == (not actions)


@pytest.mark.slow
@given(seeds)
def test_no_piece_is_ever_off_the_board_or_two_on_a_space(seed: int) -> None:
    position = KERAK.read_fen(START)
    men = 0
    for action, after in random_play(position, Random(seed), 150):
        placing = not is_move(action) and after.number <= 19 and men < 36
        men += placing
        in_hand = sum(after.in_hand(one) for one in PIECES)
        lost = 36 - in_hand - len(standing(after))
        assert target_of(action) < SPACES
        assert lost >= 0
        assert in_hand == 36 - men
        for one in PIECES:
            assert standing(after).count(one) + after.in_hand(one) <= NUMBER[kind_of(one)]


@given(seeds)
def test_points_are_the_values_captured(seed: int) -> None:
    position = KERAK.read_fen(START)
    value = 0
    while (actions := position.legal()) and position.number < 100:
        action = Random(seed + position.number).choice(actions)
        before = position.points()
        taken = position.piece_at(target_of(action)) if is_move(action) else 0
        side = position.side
        position.play(action)
        gain = VALUE[kind_of(taken)] if taken else 0
        value += gain
        assert position.points()[side] == before[side] + gain
        assert position.points()[1 - side] == before[1 - side]
    red, blue = position.points()
    lost = sum(NUMBER[kind_of(one)] * VALUE[kind_of(one)] for one in PIECES)
    left = sum(VALUE[kind_of(one)] for one in standing(position))
    in_hand = sum(position.in_hand(one) * VALUE[kind_of(one)] for one in PIECES)
    assert red + blue == value == lost - left - in_hand


@given(positions)
def test_a_castle_never_leaves_its_place(position: Position) -> None:
    castles = {at for at in range(SPACES) if position.piece_at(at) & 7 == 6}
    for action in position.legal():
        if is_move(action):
            assert origin_of(action) not in castles
    for at in castles:
        assert HOME[position.piece_at(at) >> 4] >> at & 1, BOARD.names[at]


@given(set_ups)
def test_r16_somebody_can_always_move_while_a_captor_is_left(position: Position) -> None:
    assert ended(position) != ("1/2-1/2", "no move")
