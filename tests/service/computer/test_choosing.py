"""How the computer chooses from what its player may know, without revealing its own secret."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from engine.kerd.action import Deed, deed
from engine.position import Position
from engine.random_play import random_play
from engine.registry import VARIANTS, find_variant
from engine.search import Limits, Search
from engine.side import Side
from notation.registry import find_dialect
from service.computer.choosing import (
    SEEDS,
    Chooser,
    Views,
    has_unknown_choice,
    judge_position,
    list_telling_actions,
)
from service.computer.levels import LEVEL_OF, LEVELS, PLAYER_OF, seats_computer
from service.selfplay.opening import make_opening
from tests.engine.kerd_support import at

SMALL = replace(LEVELS[0], nodes=60)
SHARP = replace(SMALL, error=0.0, lines=1)
KEEN = replace(SMALL, nodes=400)


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("level", [SMALL, SHARP], ids=["with errors", "without"])
def test_an_action_is_legal_and_the_same_for_the_same_seed(name: str, level: object) -> None:
    variant = find_variant(name)
    assert isinstance(level, type(SMALL))
    random = Random(4)
    position = make_opening(variant, random, 6)
    for _ in range(3):
        views = Views.of(variant, position)
        action = Chooser(variant, level).choose(views, 77, 60.0)
        assert position.is_legal(action)
        assert Chooser(variant, level).choose(views, 77, 60.0) == action
        position.play(action)


def secret_positions(name: str, count: int) -> Iterator[Position]:
    """Positions of random games in which the side to act could reveal its secret."""
    variant = find_variant(name)
    for number in range(1000):
        random = Random(number)
        position = variant.worlds(variant.start(), 1, random)[0].position.copy()
        for _ in random_play(position, random, random.randint(10, 120)):
            pass
        if position.outcome() is None and list_telling_actions(variant, position):
            yield position
            count -= 1
            if not count:
                return


SECRETIVE = [variant.name for variant in VARIANTS.values() if variant.secret_choice]


@pytest.mark.parametrize("name", SECRETIVE)
def test_its_own_secret_changes_nothing_but_whether_it_is_told(name: str) -> None:
    """Positions that differ only in its own choice get the same action, or one that reveals it."""
    variant, sealing = find_variant(name), find_dialect(name).sealing
    assert sealing is not None
    told = kept = 0
    for number, position in enumerate(secret_positions(name, 14)):
        side = Side(position.side)
        public = sealing.view(position, list(Side))
        assert has_unknown_choice(variant, public)
        shown = set()
        squares = sealing.choices(public, side)
        for square in Random(number).sample(squares, min(5, len(squares))):
            own = sealing.view(position, [side.other])
            sealing.place(own, side, square)
            if own.outcome() is not None:
                continue
            action = Chooser(variant, KEEN).choose(Views(public, own), number, 60.0)
            assert own.is_legal(action)
            if action in list_telling_actions(variant, own):
                told += 1
            else:
                shown.add(action)
                kept += 1
        assert len(shown) <= 1
    assert told
    assert kept


def test_a_reveal_is_played_where_nothing_else_is_legal() -> None:
    position = at("Ka1 Qj11 Pb2 Pc2 kl12", "b", infiltrators="x/b2", checked=1)
    (only,) = position.legal()
    assert deed(only) is Deed.REVEAL
    chooser = Chooser(find_variant("kerd"), SMALL)
    assert chooser.choose(Views.of(chooser.variant, position), 1, 60.0) == only


def test_the_opponents_choice_is_disregarded() -> None:
    """Its time is not divided among what the opponent may have chosen."""
    kerd = find_variant("kerd")
    level = replace(LEVELS[-1], nodes=3_000)
    compared = 0
    for seed in range(5):
        position = make_opening(kerd, Random(seed), 10)
        views = Views.of(kerd, position)
        search = Search(kerd, table_mebibytes=1, seed=Random(seed).randrange(SEEDS))
        *_, plain = search.iterate(kerd.plain_world(views.public), Limits(nodes=3_000))
        if not list_telling_actions(kerd, position):
            best = plain.lines[0].actions[0]
            assert Chooser(kerd, level).choose(views, seed, 60.0) == best
            compared += 1
    assert compared


def test_what_tells_the_secret_are_reveals_alone() -> None:
    variant = find_variant("kerd")
    for position in secret_positions("kerd", 5):
        for action in list_telling_actions(variant, position):
            assert deed(action) is Deed.REVEAL


@pytest.mark.parametrize("name", VARIANTS)
def test_a_position_is_judged_by_both_sides_alike(name: str) -> None:
    variant = find_variant(name)
    chance = judge_position(
        variant, Views.of(variant, make_opening(variant, Random(1), 4)).public, 3, 9
    )
    assert 0 <= chance <= 1


def test_the_table_of_levels_is_monotone() -> None:
    assert [level.number for level in LEVELS] == list(range(1, 9))
    for weaker, stronger in pairwise(LEVELS):
        assert weaker.nodes < stronger.nodes
        assert weaker.seconds <= stronger.seconds
        assert weaker.error > stronger.error
    assert len(LEVEL_OF) == len(PLAYER_OF) == 8
    assert seats_computer([None, PLAYER_OF["computer-8"]])
    assert not seats_computer([None, "somebody"])
