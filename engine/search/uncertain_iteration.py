"""What a search of a position reports in which something is unknown."""

from __future__ import annotations

from dataclasses import dataclass

from engine.position import Action
from engine.search.iteration import Iteration


@dataclass(frozen=True, slots=True)
class UncertainLine:
    """An action over the worlds, with its line in the plain world.

    `score` is that of the mean winning chance, a decided one only if the game is decided in every
    world; `lowest` and `highest` are those of single worlds. `share`, from 0 to 1, is how much of
    the worlds' weight is in those where no other action is clearly better. A world that was not
    reached is taken to be like the plain one. `actions` is empty where no action that may be shown
    can be played.
    """

    score: int
    actions: tuple[Action, ...]
    lowest: int
    highest: int
    share: float


@dataclass(frozen=True, slots=True)
class UncertainIteration:
    """`engine.search.Iteration` over `worlds` worlds; `score` is the position's.

    That is the best line's, unless in some world the side to act has an action that is shown to
    nobody, a reveal: then it is the mean of what it can achieve in each world. `lines` and `depth`
    are the plain world's.
    """

    depth: int
    selective_depth: int
    nodes: int
    seconds: float
    score: int
    lines: tuple[UncertainLine, ...]
    complete: bool
    worlds: int

    @classmethod
    def of_one_world(cls, iteration: Iteration) -> UncertainIteration:
        """The iteration of a search in which nothing was unknown."""
        lines = tuple(
            UncertainLine(line.score, line.actions, line.score, line.score, 1.0)
            for line in iteration.lines
        )
        return cls(
            iteration.depth,
            iteration.selective_depth,
            iteration.nodes,
            iteration.seconds,
            lines[0].score,
            lines,
            iteration.complete,
            1,
        )
