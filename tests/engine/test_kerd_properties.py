"""Invariants of every position of Kerd, and the comparison with the slow reference."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import IllegalAction
from engine.kerd.action import Deed, deed, origin, pawn, target
from engine.kerd.board import KIND, KING, PAWN
from engine.kerd.kernel import Position
from engine.position import Action
from engine.random_play import random_play
from engine.source import is_compiled
from notation.kerd.dialect import KerdDialect
from tests.engine import kerd_reference
from tests.engine.kerd_reference import State
from tests.engine.kerd_reference_actions import actions, ending
from tests.engine.kerd_support import DIALECTS, DRAFT, KERD, random_position

COMPILED = is_compiled(Position)
MANY = 12 if COMPILED else 3
variants = pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)


@st.composite
def positions(draw: st.DrawFn) -> tuple[KerdDialect, Position]:
    """A position from a random game, with or without known choices, or a random one."""
    dialect = draw(st.sampled_from([KERD, DRAFT]))
    random = Random(draw(st.integers(0, 2**32)))
    if draw(st.booleans()):
        return dialect, random_position(random, dialect)
    known = {"WhiteInfiltrator": "d12", "BlackInfiltrator": "g2"}
    position = dialect.start(known if draw(st.booleans()) else {})
    for _ in random_play(position, random, draw(st.integers(0, 80))):
        pass
    return dialect, position


def compare(dialect: KerdDialect, position: Position, state: State) -> dict[str, State]:
    fen = dialect.write_fen(position)
    assert fen == kerd_reference.write(state)
    expected = actions(state)
    assert {dialect.coordinate(action) for action in position.legal()} == set(expected), fen
    outcome = position.outcome()
    assert (None if outcome is None else outcome.termination.value) == ending(state, expected), fen
    return expected


@variants
@pytest.mark.parametrize("seed", range(MANY))
def test_set_up_positions_agree_with_the_reference_action_by_action(
    dialect: KerdDialect, seed: int
) -> None:
    random = Random(seed)
    for _ in range(6):
        position = random_position(random, dialect)
        state = kerd_reference.read(dialect.write_fen(position), draft=dialect is DRAFT)
        expected = compare(dialect, position, state)
        for action in position.legal():
            position.make(action)
            after = kerd_reference.write(expected[dialect.coordinate(action)])
            assert dialect.write_fen(position) == after
            position.unmake()


@variants
@pytest.mark.parametrize("seed", range(MANY // 3))
@pytest.mark.parametrize("choices", [("h12", "b2"), ("?", "?"), ("-", "k2")])
def test_random_games_agree_with_the_reference_action_by_action(
    dialect: KerdDialect, seed: int, choices: tuple[str, str]
) -> None:
    white, black = choices
    position = dialect.start({"WhiteInfiltrator": white, "BlackInfiltrator": black})
    state = kerd_reference.read(dialect.write_fen(position), draft=dialect is DRAFT)
    expected = compare(dialect, position, state)
    for action, after in random_play(position, Random(seed), 30 if COMPILED else 8):
        expected = compare(dialect, after, expected[dialect.coordinate(action)])


@settings(max_examples=20 * MANY)
@given(positions())
def test_unmake_restores_the_position(case: tuple[KerdDialect, Position]) -> None:
    _, position = case
    before = position.key()
    for action in position.legal():
        position.make(action)
        position.unmake()
        assert position.key() == before


@settings(max_examples=20 * MANY)
@given(positions())
def test_a_position_string_gives_the_position_again(case: tuple[KerdDialect, Position]) -> None:
    dialect, position = case
    fen = dialect.write_fen(position)
    assert dialect.read_fen(fen).key() == position.key()
    assert dialect.write_fen(dialect.read_fen(fen)) == fen


@settings(max_examples=10 * MANY)
@given(positions())
def test_san_tells_the_actions_apart_and_resolves_to_them(
    case: tuple[KerdDialect, Position],
) -> None:
    dialect, position = case
    legal = position.legal()
    sans = [dialect.san(position, action) for action in legal]
    assert len(set(sans)) == len(sans)
    for action, san in zip(legal, sans, strict=True):
        assert dialect.resolve(position, san) == action
        assert dialect.resolve(position, dialect.coordinate(action)) == action


@settings(max_examples=3 * MANY)
@given(positions())
def test_perft_is_the_brute_force_count(case: tuple[KerdDialect, Position]) -> None:
    _, position = case

    def count(at: Position, depth: int) -> int:
        total = 0
        for action in at.legal():
            after = at.copy()
            after.play(action)
            total += count(after, depth - 1) if depth > 1 else 1
        return total

    before = position.key()
    assert position.perft(0) == 1
    assert position.perft(1) == len(position.legal())
    assert position.perft(2) == count(position, 2)
    assert position.key() == before


@settings(max_examples=10 * MANY)
@given(positions(), st.integers(-5, 1 << 70))
def test_legality_of_any_integer_is_membership(
    case: tuple[KerdDialect, Position], number: int
) -> None:
    _, position = case
    legal = position.legal()
    assert legal == sorted(set(legal))
    assert (position.outcome() is None) == bool(legal)
    assert all(action > 0 and position.is_legal(action) for action in legal)
    wrong = Action(number)
    if wrong not in legal:
        before = position.key()
        assert not position.is_legal(wrong)
        with pytest.raises(IllegalAction):
            position.play(wrong)
        assert position.key() == before


@settings(max_examples=5 * MANY)
@given(positions(), st.randoms(use_true_random=False))
def test_legality_of_integers_near_legal_actions_is_membership(
    case: tuple[KerdDialect, Position], random: Random
) -> None:
    _, position = case
    legal = position.legal()
    before = position.key()
    for action in random.sample(legal, min(12, len(legal))):
        near = [action ^ 1 << bit for bit in range(28)]
        near += [action + step for step in (-256, -16, -1, 1, 16, 256)]
        other = random.choice(legal)
        near += [action & ~mask | other & mask for mask in (255, 255 << 8, 255 << 16, 3 << 24)]
        for number in map(Action, near):
            assert position.is_legal(number) == (number in legal), number
    assert position.key() == before


@settings(max_examples=3 * MANY)
@given(positions())
def test_the_moves_of_a_kind_to_a_square_are_those_among_the_legal_actions(
    case: tuple[KerdDialect, Position],
) -> None:
    _, position = case
    expected: dict[tuple[int, int, bool], list[Action]] = {}
    for action in position.legal():
        if deed(action) is Deed.MOVE:
            kind = position.piece_at(origin(action)) & KIND
            joint = pawn(action) is not None
            expected.setdefault((kind, target(action), joint), []).append(action)
    found = {
        (kind, to, joint): moves
        for kind in range(PAWN, KING + 1)
        for to in range(-1, 257)
        for joint in (False, True)
        if (moves := position.legal_to(kind, to, joint))
    }
    assert found == expected


def test_a_copy_shares_nothing() -> None:
    position = KERD.start({})
    twin = position.copy()
    twin.play(twin.legal()[0])
    assert position.key() == KERD.start({}).key() != twin.key()


def test_kerd_counts_no_points() -> None:
    assert KERD.start({}).points() is None
