"""The worlds of a position: what its unknown infiltrators may be."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from engine.kerd.action import Deed, deed
from engine.kerd.board import UNKNOWN, VOID
from engine.kerd.kernel import Position
from engine.kerd.worlds import plain_world, worlds
from engine.random_play import random_play
from engine.side import Side
from notation.kerd.names import NAMES
from notation.registry import find_dialect
from tests.engine.coordinates import ended
from tests.engine.kerd_support import KERD, START, at, play

ALL = 1000


def weights(position: Position, side: Side) -> dict[str, float]:
    """The probability of each choice of a side, over all worlds."""
    found: dict[str, float] = {}
    for world in worlds(position, ALL, Random(1)):
        assert isinstance(world.position, Position)
        choice = world.position.choice_of(side)
        name = "x" if choice == VOID else NAMES[choice]
        found[name] = found.get(name, 0) + world.weight
    return found


def test_at_first_each_of_twenty_pieces_is_as_likely() -> None:
    found = weights(KERD.read_fen(START), Side.FIRST)
    assert len(found) == 20
    assert all(weight == pytest.approx(1 / 20) for weight in found.values())
    assert {"a11", "f10", "f11", "e12", "d12", "b12"} < set(found)
    assert not {"a12", "c12", "f12", "g12"} & set(found)


def test_both_unknown_choices_are_filled_in() -> None:
    found = worlds(KERD.read_fen(START), ALL, Random(1))
    assert len(found) == 20 * 20
    assert sum(world.weight for world in found) == pytest.approx(1)


def test_what_has_left_the_board_may_have_been_it() -> None:
    # Of Black's twenty eligible pieces, a Pawn, a Bishop and a Jumper are left.
    found = weights(at("pd5 bc8 jk9 qa9", infiltrators="?/x", checked=1), Side.FIRST)
    assert found == pytest.approx({"d5": 1 / 20, "c8": 1 / 20, "k9": 1 / 20, "x": 17 / 20})


def test_known_choices_stay_as_they_are() -> None:
    position = at("Pd4 pd6", infiltrators="d6/?", checked=1)
    assert weights(position, Side.FIRST) == pytest.approx({"d6": 1})
    assert set(weights(position, Side.SECOND)) == {"d4", "x"}


def test_nothing_is_filled_in_where_nothing_is_unknown() -> None:
    position = at("Pd4 pd6", infiltrators="d6/x")
    (world,) = worlds(position, 2, Random(1))
    assert world.position.key() == position.key()
    assert world.weight == 1


def test_one_of_too_many_of_a_kind_was_turned() -> None:
    # Black has revealed and has a Hussar too many: each was Black's own with probability 2/3.
    found = weights(at("ha5 hb9 hj9", infiltrators="?/!", checked=1), Side.FIRST)
    assert found == pytest.approx({"a5": 1 / 30, "b9": 1 / 30, "j9": 1 / 30, "x": 18 / 20})


def test_removed_pieces_are_not_on_the_board_too() -> None:
    # One of Black's two Hussars is in the pool: one of those on the board was turned.
    found = weights(at("ha5 hb9", infiltrators="?/!", checked=1, pool="h"), Side.FIRST)
    assert found == pytest.approx({"a5": 1 / 40, "b9": 1 / 40, "x": 19 / 20})


@pytest.mark.parametrize("seed", range(20))
def test_equal_positions_have_equal_worlds_however_they_were_reached(seed: int) -> None:
    """A position string does not tell how many Pawns were captured (Ruling R23)."""
    random, position = Random(seed), KERD.read_fen(START)
    for ply, _ in enumerate(random_play(position, random, 160)):
        if ply % 8 == 0 and position.outcome() is None:
            read = KERD.read_fen(KERD.write_fen(position))
            assert list_weights(read) == list_weights(position), KERD.write_fen(position)


def list_weights(position: Position) -> list[tuple[object, float]]:
    """A sample of the worlds of a position."""
    return [(one.position.key(), one.weight) for one in worlds(position, 30, Random(1))]


def test_that_the_game_goes_on_tells_something() -> None:
    # White is mated unless the Hussar that gives check is White's own.
    position = at("Ka1 hb3 tl2 sd3 pk9", infiltrators="?/x", checked=1)
    assert position.outcome() is None
    assert set(weights(position, Side.FIRST)) == {"b3"}


def test_where_every_world_is_over_all_are_left() -> None:
    position = at("Ka1 qb2 sd4 pk9", infiltrators="?/x", checked=1)
    assert ended(position) == ("0-1", "mate")
    assert set(weights(position, Side.FIRST)) == {"k9", "x"}


def test_samples_are_in_proportion_and_repeatable() -> None:
    position = at("pd5 bc8 jk9 qa9", infiltrators="?/x", checked=1)
    sample = worlds(position, 3, Random(5))
    assert sum(world.weight for world in sample) == pytest.approx(1)
    assert len(sample) <= 3
    again = worlds(position, 3, Random(5))
    assert [(w.position.key(), w.weight) for w in sample] == [
        (w.position.key(), w.weight) for w in again
    ]


def test_samples_are_right_in_the_mean() -> None:
    # White's choice is void with probability 17/20: in two or in all of three samples.
    position = at("pd5 bc8 jk9 qa9", infiltrators="?/x", checked=1)
    shown = Counter[float]()
    for seed in range(400):
        sample = worlds(position, 3, Random(seed))
        void = sum(w.weight for w in sample if _choice(w.position) == VOID)
        shown[round(void, 9)] += 1
    assert sorted(shown) == pytest.approx([2 / 3, 1])
    mean = sum(weight * times for weight, times in shown.items()) / shown.total()
    assert mean == pytest.approx(17 / 20, abs=0.02)


def _choice(position: object) -> int:
    assert isinstance(position, Position)
    return position.choice_of(Side.FIRST)


def test_the_plain_world_is_without_the_unknown_choices_alone() -> None:
    position = at("Pd4 Ce5 pd6", "b", infiltrators="d6/?", checked=1)
    plain = plain_world(position)
    assert isinstance(plain, Position)
    assert (plain.choice_of(Side.FIRST), plain.choice_of(Side.SECOND)) == (
        position.choice_of(Side.FIRST),
        VOID,
    )
    assert position.choice_of(Side.SECOND) == UNKNOWN
    hidden = set(position.legal()) - set(plain.legal())
    assert {deed(action) for action in hidden} == {Deed.REVEAL}
    assert set(plain.legal()) < set(position.legal())
    for world in worlds(position, ALL, Random(1)):
        assert set(plain.legal()) <= set(world.position.legal())


def test_no_secret_has_a_part_in_it() -> None:
    sealing = find_dialect("kerd").sealing
    assert sealing is not None
    seen = []
    for choice in ("d2", "f3", "h1"):
        position = KERD.read_fen(START)
        position.choose(Side.SECOND, next(at for at, name in NAMES.items() if name == choice))
        play(position, "d2d4", "d11d9", "d4d5")
        masked = sealing.view(position, [Side.SECOND])
        assert isinstance(masked, Position)
        assert masked.choice_of(Side.SECOND) == UNKNOWN
        seen.append([(w.position.key(), w.weight) for w in worlds(masked, 8, Random(3))])
    assert seen[0] == seen[1] == seen[2]
