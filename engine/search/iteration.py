"""What a search tells: lines of play and their scores, one deepening after the other."""

from __future__ import annotations

from dataclasses import dataclass

from engine.position import Action


@dataclass(frozen=True, slots=True)
class ScoredLine:
    """A line of play from the root and the score it comes to (`engine.search.score`).

    The score is seen from the side to act at the root. There are no actions only where the game
    is over.
    """

    score: int
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Iteration:
    """The result of one deepening.

    `lines` are best first. `selective_depth` is how many actions deep any line was looked at;
    `nodes` and `seconds` count from the beginning of the search. `complete` is False where the
    search was stopped on the way: what `lines` hold was then found at this depth or, where there
    was not time, at the one before.
    """

    depth: int
    selective_depth: int
    nodes: int
    seconds: float
    lines: tuple[ScoredLine, ...]
    complete: bool
