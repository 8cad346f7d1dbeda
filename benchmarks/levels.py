"""The computer's levels against each other: each has to beat the last but one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from benchmarks.turns import Measurement, progress
from engine.registry import VARIANTS
from service.computer.levels import LEVELS
from service.selfplay.match import Match, play
from service.selfplay.setting import Setting
from service.selfplay.statistics import score

STEP: Final = 2
"""Neighbours are so close that a difference takes too many games to see."""
GAMES: Final = 40
OPENING: Final = 4
"""Random actions at the beginning of a game: more of them decide games of Katruji."""
SEED: Final = 5
BAR: Final = 0.65


def figures() -> Iterator[Measurement]:
    """The score of each level against the last but one, in each game."""
    for variant in VARIANTS:
        for lower, higher in zip(LEVELS, LEVELS[STEP:], strict=False):
            yield measure_pair(variant, higher.number, lower.number)


def measure_pair(variant: str, higher: int, lower: int, games: int = GAMES) -> Measurement:
    """The score of one level against another, with its 95 % limits."""
    players = Setting(level=LEVELS[higher - 1]), Setting(level=LEVELS[lower - 1])
    match = Match(variant, players, SEED, OPENING)
    name = f"{variant}: level {higher} against level {lower}"
    pairs = play(match, games // 2, os.cpu_count() or 1)
    steps = zip(progress(range(games // 2), name), pairs, strict=True)
    played = [pair for _, pair in steps]
    found = score([pair.share for pair in played])
    results = [game.points for pair in played for game in pair.games]
    won, drawn = results.count(1.0), results.count(0.5)
    return Measurement(
        name,
        f"{found.value:.1%} ({found.low:.1%} to {found.high:.1%})",
        f"{len(results)} games, {won} won, {drawn} drawn",
        found.value,
        BAR,
    )
