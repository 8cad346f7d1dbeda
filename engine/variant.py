"""A game that can be played: its name, its sides, its first position."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.position import Position
from engine.search.techniques import Techniques
from engine.tree import Tree
from engine.world import Worlds, certain


@dataclass(frozen=True, slots=True)
class Variant:
    """What the rest of the house needs to know of a game besides its positions.

    `sides` are the players' titles in order of play, as the tags and the rules name them.
    `rules` is the version of the implemented rules, raised when a ruling changes what is legal.
    `counts_points` says that positions have points, `draw_by_points` that the players may agree
    that a draw goes to the side with more of them. `tree` makes the search's view of one of the
    game's positions, `techniques` are those of the search that gain something in it.
    `scale` says what scores mean: that many hundredths of the game's unit multiply the odds of
    winning by e. `worlds` fills in what a position leaves unknown.
    """

    name: str
    sides: tuple[str, str]
    rules: str
    start: Callable[[], Position]
    counts_points: bool
    tree: Callable[[Any], Tree]
    techniques: Techniques
    scale: int
    draw_by_points: bool = False
    worlds: Worlds = certain
