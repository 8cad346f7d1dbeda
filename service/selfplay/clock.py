"""Clocks of a match: a time for all of a player's actions, plus an increment for each move."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from engine.position import Position
from engine.search import Limits
from engine.search.time_management import LEAST, TimeLeft, allot_time, expect_moves
from engine.variant import Variant
from service.protocol.go import limit_seconds

OVERHEAD: Final = 1
"""Milliseconds reserved at each move for what the search itself does not measure."""
OF_INCREMENT: Final = 0.75
"""The share of the increment that an action gets with a fixed fraction."""
_CLOCK: Final = re.compile(r"([0-9]{1,5}(?:\.[0-9]{1,3})?)(?:\+([0-9]{1,4}(?:\.[0-9]{1,3})?))?")


@dataclass(frozen=True, slots=True)
class ClockSetting:
    """Seconds at the beginning, and seconds that each move adds.

    With `fraction` each action gets the time left divided by `fraction`, and most of the increment,
    whatever the search finds; `engine.search.time_management` is measured against this.
    """

    seconds: float
    increment: float = 0.0
    fraction: float | None = None


def read_clock(text: str, fraction: str | None = None) -> ClockSetting:
    """The setting of `SECONDS` or `SECONDS+INCREMENT`; ValueError for other text.

    >>> read_clock("10+0.1")
    ClockSetting(seconds=10.0, increment=0.1, fraction=None)
    """
    found = _CLOCK.fullmatch(text)
    if found is None or not float(found[1]):
        raise ValueError("clock must be SECONDS or SECONDS+INCREMENT, such as 10+0.1")
    parts = None if fraction is None else float(fraction)
    if parts is not None and not parts >= 1:
        raise ValueError("fraction must be a number from 1 on")
    return ClockSetting(float(found[1]), float(found[2] or 0), parts)


class PlayerClock:
    """One player's clock in one game; `left` is in seconds, below 0 once the flag has fallen."""

    def __init__(self, setting: ClockSetting) -> None:
        self.setting = setting
        self.left = setting.seconds

    @property
    def has_fallen(self) -> bool:
        """Whether the time has run out."""
        return self.left < 0

    @property
    def time(self) -> TimeLeft:
        """The time left on the clock, in milliseconds."""
        return TimeLeft(max(0, int(1000 * self.left)), int(1000 * self.setting.increment))

    def find_limits(
        self, variant: Variant, position: Position, limits: Limits | None = None
    ) -> Limits:
        """The limits of a search for an action: those of the clock, and `limits` as well."""
        if self.setting.fraction is not None:
            share = self.left / self.setting.fraction + OF_INCREMENT * self.setting.increment
            return limit_seconds(limits, max(LEAST, min(share, self.left - OVERHEAD / 1000)))
        moves = expect_moves(variant.usual_moves, position.number - 1)
        budget = allot_time(self.time, moves, OVERHEAD)
        return Limits(budget=budget) if limits is None else replace(limits, budget=budget)

    def spend(self, seconds: float) -> None:
        """Subtract the time that an action took."""
        self.left -= seconds

    def press(self) -> None:
        """The turn passes: add the increment."""
        self.left += self.setting.increment
