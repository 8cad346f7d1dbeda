"""Scores as winning chances."""

from __future__ import annotations

import pytest

from engine.registry import VARIANTS
from engine.search import WIN, is_decided, winning_chance
from engine.search.chance import score_of
from tests.games import NAMES


@pytest.mark.parametrize("name", NAMES)
def test_chances_rise_with_scores_and_add_up_to_one(name: str) -> None:
    variant = VARIANTS[name]
    chances = [winning_chance(variant, score) for score in range(-2000, 2001, 100)]
    assert chances == sorted(set(chances))
    assert [a + b for a, b in zip(chances, reversed(chances), strict=True)] == pytest.approx(
        [1] * 41
    )
    assert winning_chance(variant, variant.scale) == pytest.approx(0.731, abs=0.001)


@pytest.mark.parametrize("name", NAMES)
def test_decided_games_are_certain(name: str) -> None:
    variant = VARIANTS[name]
    assert winning_chance(variant, WIN - 5) == 1
    assert winning_chance(variant, 5 - WIN) == 0


@pytest.mark.parametrize("name", NAMES)
def test_scores_come_back_from_chances(name: str) -> None:
    variant = VARIANTS[name]
    assert [score_of(variant, winning_chance(variant, s)) for s in (-900, -1, 0, 333)] == [
        -900,
        -1,
        0,
        333,
    ]
    assert score_of(variant, 0) == -score_of(variant, 1) < 0
    assert not is_decided(score_of(variant, 1))
