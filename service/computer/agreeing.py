"""When the computer agrees to a draw or offers one, and when it resigns.

All of this is judged by public knowledge, so that nothing is revealed about a secret choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.outcome import Outcome, Termination, decide_by_points
from engine.side import Side
from service.computer.levels import Level

HOPELESS: Final = 0.02
"""The computer resigns when its chance of winning is below this at two successive turns."""
WORSE: Final = 0.4
"""The chance of winning up to which a draw is welcome at any time."""
LEVEL: Final = 0.55
"""The chance of winning up to which a draw is welcome in a game that has come to rest."""
AT_REST: Final = 60
"""Actions without a capture after which a game has come to rest."""
OFFERED: Final = 100
"""Actions without a capture after which the computer itself offers a draw that is welcome."""
OFFER_EVERY: Final = 20
"""Actions between two offers by the computer."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a game stands for `side`.

    `chance` is its chance of winning, `earlier` that at its previous turn (None at its first).
    `quiet` counts the actions since the last capture. `points` are both sides' points if a draw
    goes to the side with more of them, else None.
    """

    side: Side
    chance: float
    earlier: float | None
    quiet: int
    points: tuple[int, int] | None = None


def resigns(standing: Standing, level: Level) -> bool:
    """Whether the level resigns at all and finds the game hopeless now and at its turn before."""
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
    # One of two successive actions is its own; a lost game is resigned, not offered as a draw.
    return standing.chance >= 1 - LEVEL and welcomes_draw(standing)
