"""When the computer answers: by its level, the ply and the clock alone, so that it tells nothing.

All times are in milliseconds. An answer that is found earlier waits; a search that is not done is
ended in time. A busy machine, and nothing else, makes the computer answer later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from service.computer.levels import Level

OPENING: Final = 10
"""Actions at a game's beginning at which the computer answers in half the time."""
MOVES_LEFT: Final = 40
"""Moves that the time left has to be enough for."""
QUICKEST: Final = 10
"""The least time that an answer takes."""
RESERVE: Final = 0.25
"""The share of the time until the flag's fall that is never used."""


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """What a clock leaves for an action: `until_flag` from the turn's beginning.

    `increment` is what the action gains, or the delay for which the clock stands still.
    """

    until_flag: int
    increment: int


def find_answer_time(level: Level, ply: int, time: TimeLeft | None) -> int:
    """The milliseconds from the turn's beginning to the answer; `time` is None without a clock.

    `ply` counts the actions played. The answer always comes before the flag falls.
    """
    usual = round(1000 * level.seconds)
    if ply < OPENING:
        usual //= 2
    if time is None:
        return usual
    affordable = time.until_flag // MOVES_LEFT + time.increment * 3 // 4
    most = round(time.until_flag * (1 - RESERVE))
    return min(usual, max(affordable, QUICKEST), most)
