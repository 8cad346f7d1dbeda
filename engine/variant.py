"""A game that can be played: its name, its sides, its first position."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.exchange import Exchanges
from engine.outcome import Termination
from engine.position import Position
from engine.search.parameters import PARAMETERS, Parameters
from engine.search.techniques import Techniques
from engine.tree import Tree
from engine.world import Worlds, copy_position, single_world


@dataclass(frozen=True, slots=True)
class Variant:
    """What everything outside a game's own modules knows about it besides its positions.

    - `name`: its name in code, in the `Variant` tag and in the API;
    - `sides`: the players' titles in order of play, as the tags and the rules name them;
    - `rules`: the version of the implemented rules, raised when a ruling changes what is legal;
    - `start`: makes the first position;
    - `terminations`: the ways in which its own rules end a game;
    - `counts_points`: whether its positions have points;
    - `draw_by_points`: whether the players may agree that a draw goes to the side with more;
    - `secret_choice`: whether the players choose something in secret before the first action
      (`notation.dialect.Dialect.sealing` says how);
    - `tree`: makes the search's view of one of its positions;
    - `techniques`: the techniques of the search that gain something in it;
    - `parameters`: the numbers by which they prune and reduce in it;
    - `exchanges`: makes the search's view of what captures lose, from a tree and a margin;
    - `usual_moves`: how many moves each side makes in a usual game, for dividing its clock time;
    - `scale`: how many hundredths of the game's unit multiply the odds of winning by e;
    - `worlds`: fills in what a position leaves unknown;
    - `plain_world`: makes of such a position one in which what is unknown has no effect;
    - `null_move`: makes of a position without pieces to place the one in which the side to act has
      done nothing, though no rule allows it; None where no forks are to be found.
    """

    name: str
    sides: tuple[str, str]
    rules: str
    start: Callable[[], Position]
    terminations: frozenset[Termination]
    counts_points: bool
    tree: Callable[[Any], Tree]
    techniques: Techniques
    scale: int
    parameters: Parameters = PARAMETERS
    exchanges: Callable[[Any, int], Exchanges] = Exchanges
    usual_moves: int = 40
    draw_by_points: bool = False
    secret_choice: bool = False
    worlds: Worlds = single_world
    plain_world: Callable[[Any], Position] = copy_position
    null_move: Callable[[Any], Position] | None = None
