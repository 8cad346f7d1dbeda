"""What a search reports: lines of play and their scores, one deepening after the other."""

from __future__ import annotations

from dataclasses import dataclass

from engine.position import Action


@dataclass(frozen=True, slots=True)
class ScoredLine:
    """A line of play from the root and the score it comes to (`engine.search.score`).

    The score is seen from the side to act at the root. Only where the game is over are there no
    actions.
    """

    score: int
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Iteration:
    """The result of one deepening.

    `lines` are best first. `selective_depth` is the greatest number of actions that any line was
    searched; `nodes` and `seconds` count from the beginning of the search. `complete` is False
    where the search was stopped on the way: then `lines` were found at this depth or, where there
    was no time for that, at the one before. Where not even the first depth was completed, they may
    be fewer than asked for; where nothing was searched, there is one with the static evaluation.
    """

    depth: int
    selective_depth: int
    nodes: int
    seconds: float
    lines: tuple[ScoredLine, ...]
    complete: bool
