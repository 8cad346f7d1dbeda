"""Evaluations are the same compiled and in plain Python."""

from __future__ import annotations

import os
import subprocess
import sys
from random import Random

import pytest

from engine.random_play import random_play
from engine.registry import VARIANTS
from engine.search import evaluate
from engine.source import PURE_VARIABLE, is_compiled
from tests.games import NAMES

PLIES = 60


def evaluations(variant: str) -> list[int]:
    """The evaluations of a random game's positions, in one world where anything is unknown."""
    random = Random(f"evaluations {variant}")
    game = VARIANTS[variant]
    first = game.worlds(game.start(), 2, random)[0].position
    return [evaluate(game, position) for _, position in random_play(first, random, PLIES)]


@pytest.mark.parametrize("variant", NAMES)
def test_evaluations_are_the_same_compiled_and_pure(variant: str) -> None:
    found = evaluations(variant)
    assert len(set(found)) > len(found) // 3
    if not is_compiled(type(VARIANTS[variant].start())):
        pytest.skip("nothing is compiled")
    program = f"from {__name__} import evaluations; print(evaluations({variant!r}))"
    pure = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, PURE_VARIABLE: "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert pure.stdout.strip() == str(found)
