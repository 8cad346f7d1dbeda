"""Random games."""

from __future__ import annotations

from random import Random

from engine.katruji.kernel import Position
from engine.random_play import random_play
from tests.engine.katruji_support import at


def test_equal_seeds_give_equal_games() -> None:
    games = [[action for action, _ in random_play(Position(), Random(7), 50)] for _ in range(2)]
    assert games[0] == games[1]
    assert games[0] != [action for action, _ in random_play(Position(), Random(8), 50)]


def test_a_game_stops_at_the_bound() -> None:
    assert len(list(random_play(Position(), Random(1), 10))) == 10
    assert list(random_play(Position(), Random(1), 0)) == []


def test_a_game_stops_when_it_is_over() -> None:
    position = Position()
    game = list(random_play(position, Random(1), 10_000))
    assert position.outcome() is not None
    assert game[-1][1] is position
    assert list(random_play(at("3O/4/4/4/4/4/4/4", "n"), Random(1), 10)) == []
