"""Random openings, and those of them that leave both sides a game."""

from __future__ import annotations

from random import Random
from typing import Final

from engine.position import Position
from engine.random_play import random_play
from engine.search import Limits, Search
from engine.search.chance import winning_chance
from engine.variant import Variant
from service.selfplay.errors import GamesTooShort, NoBalancedOpening

NODES: Final = 20_000
"""Nodes of the search that says how good an opening is for either side."""
TABLE: Final = 4
"""MiB of that search's table."""
MOST_TRIES: Final = 1_000
"""Random games, and openings of them, that are looked at before giving up."""


def make_opening(variant: Variant, random: Random, plies: int) -> Position:
    """A position after `plies` random actions, in which the game goes on and nothing is unknown.

    Raises GamesTooShort if random games are over by then.
    """
    for _ in range(MOST_TRIES):
        position = variant.worlds(variant.start(), 1, random)[0].position.copy()
        for _ in random_play(position, random, plies):
            pass
        if position.outcome() is None:
            return position
    raise GamesTooShort(MOST_TRIES, plies)


def make_balanced_opening(
    variant: Variant, random: Random, plies: int, most_chance: float
) -> Position:
    """The first such position in which neither side's chance to win is above `most_chance`.

    The chance is what `engine.search.chance` gives for a search of NODES nodes; a `most_chance`
    below one half fits no position. Raises NoBalancedOpening, or GamesTooShort.
    """
    for _ in range(MOST_TRIES):
        position = make_opening(variant, random, plies)
        if 1 - most_chance <= find_chance(variant, position) <= most_chance:
            return position
    raise NoBalancedOpening(MOST_TRIES, most_chance)


def find_chance(variant: Variant, position: Position) -> float:
    """The chance to win, from 0 to 1, of the side to act in a position that is not over."""
    search = Search(variant, table_mebibytes=TABLE, draw_by_points=variant.draw_by_points)
    *_, last = search.iterate(position, Limits(nodes=NODES))
    return winning_chance(variant, last.lines[0].score)
