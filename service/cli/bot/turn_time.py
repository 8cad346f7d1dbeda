"""The time a bot has left on the clock of a game; pure, with times in seconds of the bot's clock.

A bot plays all its games with one engine, one action after the other, so that the clocks of its
other games may run while it thinks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from engine.search.time_management import TimeLeft
from notation.time_control import TimeControl, parse_time_control
from service.game.clock import find_time_left

OF_OTHERS: Final = 4
"""A turn's time is at most the least time in any other game, divided by this."""


@dataclass(frozen=True, slots=True)
class OwnClock:
    """The player's clock in one game: `left` milliseconds at `began`, the turn's beginning.

    It `runs` when it is the player's turn, but not at the first action.
    """

    control: TimeControl
    left: int
    runs: bool
    began: float

    def find_time(self, made: int, now: float) -> TimeLeft:
        """The time that it leaves for the move after `made` moves."""
        time = find_time_left(self.control, made, self.left)
        if not self.runs:
            return time
        spent = max(0, round(1000 * (now - self.began)))
        left = max(0, time.left - max(0, spent - time.delay))
        return replace(time, left=left, delay=max(0, time.delay - spent))


def read_own_clock(message: dict[str, Any], began: float) -> OwnClock | None:
    """The player's clock in a message of its stream, or None if no clock limits the turn.

    It is None also if each move has days: then only fixed limits apply to an action.
    """
    told, side = message.get("clocks"), message.get("side")
    if told is None or side is None:
        return None
    control = parse_time_control(told["time_control"])
    if control.days_a_move:
        return None
    return OwnClock(control, told[f"{side}_ms"], told["running"] == side, began)


def share_time(time: TimeLeft, waiting: int, others: Iterable[int]) -> TimeLeft:
    """The time for a turn while `waiting` games wait for an action, this one included.

    `others` are the milliseconds left in the player's other games.
    """
    shared = time.share(waiting)
    least = min(others, default=None)
    return shared if least is None else replace(shared, left=min(shared.left, least // OF_OTHERS))


def keep_overhead(time: TimeLeft, overhead: float, moves: int) -> TimeLeft:
    """The time, less what this action and the next `moves` moves lose beside thinking.

    `overhead` is what one action loses, in seconds; what a move gains makes up for its own.
    """
    lost = round(1000 * overhead)
    gained = time.increment + time.delay + time.period
    kept = lost + max(0, lost - gained) * (time.moves_to_go or moves)
    return replace(time, left=max(0, time.left - kept))
