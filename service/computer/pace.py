"""When the computer answers: by its level, the ply and the clock alone, so that it reveals nothing.

All times are in milliseconds. An answer that is found earlier waits; a search that is not done is
ended in time. Only a busy machine makes the computer answer later.
"""

from __future__ import annotations

from typing import Final

from engine.search.time_management import TimeLeft, allot_time, expect_moves
from engine.variant import Variant
from service.computer.levels import Level

OPENING: Final = 10
"""Actions at a game's beginning at which the computer answers in half the time."""
QUICKEST: Final = 10
"""The shortest time that an answer takes."""
OVERHEAD: Final = 100
"""How much later an answer may arrive than planned; this time is set aside at every move."""
RESERVE: Final = 0.25
"""The share of the time until the flag's fall that is never used."""


def find_answer_time(level: Level, variant: Variant, ply: int, time: TimeLeft | None) -> int:
    """The milliseconds from the turn's beginning to the answer; `time` is None without a clock.

    `ply` counts the actions played. The answer always comes before the flag falls, and costs no
    period of byo-yomi. The time is what the clock allows on average, neither less if the action is
    easy to find nor more if it is hard: that might reveal what the computer knows.
    """
    usual = round(1000 * level.seconds)
    if ply < OPENING:
        usual //= 2
    if time is None:
        return usual
    moves = expect_moves(variant.usual_moves, ply // 2)
    affordable = round(1000 * allot_time(time, moves, OVERHEAD).optimum)
    most = round((time.left + time.delay) * (1 - RESERVE))
    return min(usual, max(affordable, QUICKEST), most)
