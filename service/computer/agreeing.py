"""When the computer agrees to a draw or offers one, and when it resigns.

All of it is judged by what everybody knows, so that nothing is told of a secret choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.outcome import Outcome, Termination, decide_by_points
from engine.side import Side
from service.computer.levels import Level

HOPELESS: Final = 0.02
"""The chance to win below which, at two turns running, the computer resigns."""
WORSE: Final = 0.4
"""The chance to win up to which a draw is welcome at any time."""
LEVEL: Final = 0.55
"""The chance to win up to which a draw is welcome in a game that has come to rest."""
AT_REST: Final = 60
"""Actions without a capture after which a game has come to rest."""
OFFERED: Final = 100
"""Actions without a capture after which the computer offers a draw itself, if it is welcome."""
OFFER_EVERY: Final = 20
"""Actions between two of its offers."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a game stands for `side`: its `chance` to win and `earlier`, that at its turn before
    (None at its first); `quiet` counts the actions since the last capture. `points` are those of
    both sides where a draw goes to the side with more of them, else None.
    """

    side: Side
    chance: float
    earlier: float | None
    quiet: int
    points: tuple[int, int] | None = None


def resigns(standing: Standing, level: Level) -> bool:
    """Whether a level that resigns at all finds the game hopeless, and did so a turn before."""
    earlier = standing.earlier
    return (
        level.resigns and standing.chance < HOPELESS and earlier is not None and earlier < HOPELESS
    )


def welcomes_draw(standing: Standing) -> bool:
    """Whether the side is to agree to a draw."""
    if standing.points is not None:
        drawn = decide_by_points(Outcome(None, Termination.AGREEMENT), standing.points)
        if drawn.winner is not None:
            return drawn.winner == standing.side
    if standing.chance <= WORSE:
        return True
    return standing.quiet >= AT_REST and standing.chance <= LEVEL


def offers_draw(standing: Standing) -> bool:
    """Whether the side is to offer a draw with its action."""
    if standing.quiet < OFFERED or standing.quiet % OFFER_EVERY >= 2:
        return False
    # Of two successive actions one is its own; a lost game is resigned, not offered as a draw.
    return standing.chance >= 1 - LEVEL and welcomes_draw(standing)
