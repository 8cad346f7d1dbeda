"""Ruling R36: a side that cannot win by any sequence of legal actions does not win on time."""

from __future__ import annotations

from random import Random

import pytest

from engine.katruji.kernel import Position as Katruji
from engine.kerak.kernel import start
from engine.kerd.knowledge import may_be_unwinnable
from engine.position import Position
from engine.random_play import random_play
from engine.side import Side
from tests.engine.katruji_support import at as katruji_at
from tests.engine.kerak_support import at as kerak_at
from tests.engine.kerd_support import DIALECTS
from tests.engine.kerd_support import at as kerd_at


def able(position: Position) -> tuple[bool, bool]:
    """Whether the first and the second side could win."""
    return position.can_win(Side.FIRST), position.can_win(Side.SECOND)


def test_r36_in_katruji_either_side_could_always_win() -> None:
    for position in (Katruji(), katruji_at("3O/4/4/4/4/4/4/O3", "s")):
        assert able(position) == (True, True)


@pytest.mark.parametrize(
    ("men", "expected"),
    [
        ("Ie5 Vd5 ic7 ic6", (True, True)),
        ("Ie5 ic7 ic6", (False, True)),
        ("Ve5 Nd5 He4 ic7 ic6", (False, True)),
        ("Ae5 Ad5 vc7", (True, False)),
        ("Ae5 Nd5", (True, False)),
        ("", (False, False)),
    ],
)
def test_r36_in_kerak_a_side_needs_a_captor(men: str, expected: tuple[bool, bool]) -> None:
    assert able(kerak_at(men)) == expected


def test_r36_in_kerak_whoever_places_has_an_army() -> None:
    position = start()
    assert able(position) == (True, True)
    for _, after in random_play(position, Random(36), 36):
        assert able(after) == (True, True)


@pytest.mark.parametrize("variant", DIALECTS)
@pytest.mark.parametrize(
    ("pieces", "infiltrators", "expected"),
    [
        ("Pe4 pe9", "x/x", (True, True)),
        ("pe9", "x/x", (False, True)),
        ("Pe4", "x/x", (True, False)),
        ("", "x/x", (False, False)),
        # A reveal is possible while the chosen piece is on the board.
        ("pe9", "e9/x", (True, True)),
        ("pe9 qf9", "!/x", (False, True)),
        ("pe9", "-/-", (False, True)),
        ("Hf3", "x/f3", (True, True)),
        # An unknown choice may allow a reveal if a piece is left that it could turn.
        ("pe9", "?/x", (True, True)),
        ("qe9 tf9 sg9", "?/x", (False, True)),
    ],
)
def test_r36_in_kerd_a_bare_king_needs_a_reveal(
    variant: str, pieces: str, infiltrators: str, expected: tuple[bool, bool]
) -> None:
    position = kerd_at(
        pieces, infiltrators=infiltrators, checked=1, number=9, dialect=DIALECTS[variant]
    )
    assert able(position) == expected
    hangs = infiltrators == "?/x" and expected[0]
    assert may_be_unwinnable(position) == hangs


@pytest.mark.parametrize("seed", range(40))
def test_r36_who_cannot_win_never_does(seed: int) -> None:
    random = Random(seed)
    men = random.choice(["Pe4 Ph4", "Qe4", "Hf6 Se5", "Tb2 Jc3 Bd4"])
    position = kerd_at(men, "b", infiltrators="x/x", checked=1, number=9)
    assert able(position) == (True, False)
    for _, after in random_play(position, random, 200):
        assert not after.can_win(Side.SECOND)
        outcome = after.outcome()
        assert outcome is None or outcome.winner is not Side.SECOND
