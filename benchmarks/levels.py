"""The computer's levels against each other: each has to beat the one before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from benchmarks.turns import Measurement, progress
from engine.registry import VARIANTS
from service.computer.levels import LEVELS
from service.selfplay.match import Match, play
from service.selfplay.setting import Setting
from service.selfplay.statistics import score

MEASURED: Final = (1, 3, 5, 7)
GAMES: Final = 40
OPENING: Final = 4
"""Random actions at the beginning of a game: more of them decide games of Katruji."""
SEED: Final = 5
BAR: Final = 0.65


def figures() -> Iterator[Measurement]:
    """The score of each of these levels against the one before, in each game."""
    for variant in VARIANTS:
        for lower, higher in pairwise(MEASURED):
            yield measure_pair(variant, higher, lower)


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
