"""Invariants of every position of Katruji, and the comparison with the slow reference."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import IllegalAction
from engine.katruji.kernel import Position
from engine.position import MAX_DEPTH, Action
from engine.random_play import random_play
from engine.source import is_compiled
from tests.engine.coordinates import ended
from tests.engine.katruji_reference import Reference
from tests.engine.katruji_support import KATRUJI, at, fen, names, random_fen

MANY = 20 if is_compiled(Position) else 1
SIDES = {"s": "1-0", "n": "0-1"}


def reached(seed: int, plies: int) -> Position:
    position = Position()
    for _ in random_play(position, Random(seed), plies):
        pass
    return position


def set_up_at_random(seed: int) -> Position:
    return KATRUJI.read_fen(random_fen(Random(seed)))


games = st.builds(reached, st.integers(0, 2**32), st.integers(0, 120))
set_ups = st.builds(set_up_at_random, st.integers(0, 2**32))
positions = games | set_ups


def expected(reference: Reference) -> tuple[str, str] | None:
    outcome = reference.outcome()
    return outcome and (SIDES[outcome[0]], outcome[1])


def compare(position: Position, reference: Reference) -> None:
    assert fen(position) == reference.write()
    assert names(position) == set(reference.legal()), fen(position)
    assert ended(position) == expected(reference), fen(position)


@pytest.mark.parametrize("seed", range(MANY))
def test_random_games_agree_with_the_reference_action_by_action(seed: int) -> None:
    position = Position()
    reference = Reference.read(fen(position))
    for action, after in random_play(position, Random(seed), 300):
        reference = reference.after(KATRUJI.coordinate(action))
        compare(after, reference)


@pytest.mark.parametrize("seed", range(MANY))
def test_set_up_positions_agree_with_the_reference_two_actions_deep(seed: int) -> None:
    random = Random(seed)
    for _ in range(10):
        text = random_fen(random)
        position = KATRUJI.read_fen(text)
        reference = Reference.read(text)
        compare(position, reference)
        for action in position.legal():
            after = position.copy()
            after.play(action)
            compare(after, reference.after(KATRUJI.coordinate(action)))


def test_r3_a_side_to_move_with_a_piece_always_has_a_move() -> None:
    random = Random(3)
    for seed in range(150 * MANY):
        game = reached(seed, random.randint(0, 150))
        assert game.outcome() or game.legal(), fen(game)
        setup = KATRUJI.read_fen(random_fen(random))
        for position in after_each(setup):
            assert position.outcome() or any(map(is_move, position.legal())), fen(position)


def is_move(action: Action) -> bool:
    return len(KATRUJI.coordinate(action)) == 4 and KATRUJI.coordinate(action)[1].isdecimal()


def after_each(position: Position) -> list[Position]:
    """The position and all that follow it by one action, some of which ban a move."""
    found = [position]
    for action in position.legal():
        found.append(position.copy())
        found[-1].play(action)
    return found


@given(positions)
def test_legal_actions_are_ascending_and_exactly_those_is_legal_accepts(position: Position) -> None:
    legal = position.legal()
    assert legal == sorted(set(legal))
    assert [n for n in range(-70, 4200) if position.is_legal(Action(n))] == legal
    assert not position.is_legal(Action(2**80))
    assert not position.is_legal(Action(-(2**80)))


@given(positions)
def test_legal_to_finds_the_moves_of_a_kind_to_a_square(position: Position) -> None:
    for piece in (1, 2, 3):
        for target in range(64):
            assert position.legal_to(piece, target) == [
                action
                for action in position.legal()
                if is_move(action)
                and position.piece_at(action >> 6) == piece
                and action & 63 == target
            ]


@given(positions)
def test_unmake_restores_everything(position: Position) -> None:
    key = position.key()
    for action in position.legal():
        position.make(action)
        played = position.copy()
        position.unmake()
        assert position.key() == key
        position.copy().play(action)
        assert played.key() != key


@given(positions)
def test_play_does_what_make_does(position: Position) -> None:
    for action in position.legal():
        played = position.copy()
        played.play(action)
        position.make(action)
        assert played.key() == position.key()
        assert played.legal() == position.legal()
        position.unmake()


@given(games, st.integers(0, 2**32))
def test_long_lines_are_taken_back_in_order(position: Position, seed: int) -> None:
    random = Random(seed)
    keys: list[tuple[object, ...]] = []
    while len(keys) < MAX_DEPTH and (legal := position.legal()):
        keys.append(position.key())
        position.make(random.choice(legal))
    for key in reversed(keys):
        position.unmake()
        assert position.key() == key


@given(positions)
@settings(max_examples=30)
def test_perft_counts_what_legal_and_play_show(position: Position) -> None:
    def count(position: Position, depth: int) -> int:
        if depth == 0:
            return 1
        total = 0
        for action in position.legal():
            after = position.copy()
            after.play(action)
            total += count(after, depth - 1)
        return total

    key = position.key()
    for depth in range(3):
        assert position.perft(depth) == count(position, depth)
    assert position.key() == key


@given(positions)
def test_a_copy_is_equal_and_shares_nothing(position: Position) -> None:
    key = position.key()
    twin = position.copy()
    assert twin.key() == key
    for _ in random_play(twin, Random(1), 5):
        pass
    assert position.key() == key


@given(positions)
def test_an_illegal_action_is_refused_and_changes_nothing(position: Position) -> None:
    key = position.key()
    for number in (0, -1, 65, 5000, 2**70):
        with pytest.raises(IllegalAction) as refusal:
            position.play(Action(number))
        assert refusal.value.action == number
    assert position.key() == key


@given(positions)
def test_points_equal_what_was_captured(position: Position) -> None:
    for action in position.legal():
        if not is_move(action):
            continue
        worth = position.piece_at(action & 63) if position.is_capture(action) else 0
        after = position.copy()
        after.play(action)
        assert sum(after.points()) - sum(position.points()) == worth


@given(st.integers(0, 2**32))
def test_a_position_string_gives_back_the_position(seed: int) -> None:
    position = Position()
    for _, after in random_play(position, Random(seed), 60):
        assert KATRUJI.read_fen(fen(after)).key() == after.key()


def test_perft_works_below_made_actions() -> None:
    position = at("3O/4/4/4/4/4/4/O3")
    expected = position.perft(3)
    depth = 0
    while depth < MAX_DEPTH:
        position.make(position.legal()[0])
        depth += 1
        if position.outcome():
            break
    while depth:
        position.perft(2)
        position.unmake()
        depth -= 1
    assert position.perft(3) == expected
