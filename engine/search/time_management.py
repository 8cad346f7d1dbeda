"""How long to search for an action in a game on clocks; pure arithmetic over what a clock leaves.

As chess engines do: a clock gives an optimum, what the action is worth on average, and a maximum
that it never costs more than. `TimeManager` moves between them while the search goes on: less than
the optimum where the best action stays the same, more where it changes or its score drops.

Times on a clock are whole milliseconds, as clocks have them; those of a search are seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, inf
from typing import TYPE_CHECKING, Final

from engine.search.score import is_decided

if TYPE_CHECKING:
    from engine.search.limits import Limits

FEWEST_MOVES: Final = 0.3
"""The share of a usual game's moves for which time is always kept, however late in the game."""
MOST_TIMES: Final = 4.0
"""The maximum is at most this many times the optimum."""
MOST_SHARE: Final = 0.6
"""The largest share of the time left that one action may take."""
MOST_OF_STAGE: Final = 0.9
"""The same for the last move before a stage adds time."""
OF_PERIOD: Final = 0.8
"""The optimum as a share of a byo-yomi period, which is available again at each move."""
SURE: Final = 0.95
"""The share of a period or a delay that is safe to use."""
LEAST: Final = 0.001
"""The least seconds that a search has."""

SPARE_MOVES: Final = 30
"""Moves beyond those expected whose overhead is kept where nothing is ever added to a clock."""

STILL: Final = 0.75
"""The share of the optimum for an action that has never changed."""
UNREST: Final = 0.6
"""What each change of the best action adds to that share."""
FADING: Final = 0.5
"""The share of that addition that is left after another iteration."""
DROP: Final = 4.0
"""How many times the optimum the search is longer for a drop of 1 in the winning chance."""
DROPPED: Final = 0.04
"""The drop in winning chance within an iteration that lets it go on until the maximum."""
NEXT_BEGINS: Final = 0.6
"""The share of the time after which no deeper iteration is begun."""
NEXT_ENDS: Final = 1.5
"""An iteration that was begun may last until this many times that time."""


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """What a clock leaves a side from now on, in milliseconds.

    `left` is the time until its flag falls, all `periods` of byo-yomi that have not run out
    included, but not the `delay` for which the clock still stands still. Each move gains
    `increment`. The stage ends after `moves_to_go` moves, this one included, and the next adds
    time; None where none follows.
    """

    left: int
    increment: int = 0
    delay: int = 0
    period: int = 0
    periods: int = 0
    moves_to_go: int | None = None

    def share(self, games: int) -> TimeLeft:
        """The part of one of `games` games whose moves are searched in turn."""
        return TimeLeft(
            self.left // games,
            self.increment // games,
            self.delay // games,
            self.period // games,
            self.periods,
            self.moves_to_go,
        )

    @property
    def is_added_to(self) -> bool:
        """Whether time is added at each move, or later."""
        return bool(self.increment or self.delay or self.period or self.moves_to_go)

    @property
    def main(self) -> int:
        """What is left before byo-yomi."""
        return max(0, self.left - self.period * self.periods)

    @property
    def rest_of_period(self) -> int:
        """What is left of the period that runs, or of the next one to run; 0 without byo-yomi."""
        if not (self.period and self.periods):
            return 0
        begun = min(self.periods, ceil(self.left / self.period))
        return max(0, min(self.period, self.left - self.period * (begun - 1)))


@dataclass(frozen=True, slots=True)
class TimeBudget:
    """Seconds for an action: usually about `optimum`, never more than `maximum`."""

    optimum: float
    maximum: float


def expect_moves(usual: int, made: int) -> int:
    """How many moves a side has to keep time for after `made`, in a game of usually `usual`.

    >>> expect_moves(80, 10), expect_moves(80, 200)
    (70, 24)
    """
    return max(usual - made, round(FEWEST_MOVES * usual), 1)


def allot_time(time: TimeLeft, moves: int, overhead: int = 0) -> TimeBudget:
    """Divide what a clock leaves among about `moves` moves.

    `overhead` is what is lost at each move on the way to the clock, in milliseconds. The maximum
    plus the overhead is always below what is left.

    >>> allot_time(TimeLeft(60_000, increment=1_000), 20)
    TimeBudget(optimum=3.95, maximum=15.8)
    """
    to_go = moves if time.moves_to_go is None else max(1, min(moves, time.moves_to_go))
    lost = overhead * (time.moves_to_go or (to_go if time.is_added_to else to_go + SPARE_MOVES))
    spare = max(0, time.main + time.increment * (to_go - 1) - lost)
    optimum = max(spare / to_go + time.delay, OF_PERIOD * time.period * (time.periods > 0))
    usable = MOST_OF_STAGE if time.moves_to_go == 1 else MOST_SHARE
    most = usable * time.main + SURE * (time.delay + time.rest_of_period) - overhead
    maximum = max(LEAST, min(MOST_TIMES * optimum, most) / 1000)
    return TimeBudget(max(LEAST, min(optimum / 1000, maximum)), maximum)


class TimeManager:
    """Decides when one search is to end, by its limits of time and what the search finds.

    `winning_chance` turns scores into chances. With only a limit of seconds `deadline` is always
    that limit, and no iteration is ever enough.
    """

    def __init__(self, limits: Limits, winning_chance: Callable[[int], float]) -> None:
        budget = limits.budget
        self.maximum = min(limits.seconds or inf, budget.maximum if budget else inf)
        self.deadline = self.maximum
        """The seconds from the search's beginning at which it has to end."""
        self._optimum = budget.optimum if budget else inf
        self._winning_chance = winning_chance
        self._latest = self.maximum
        self._unrest = 0.0
        self._best: object = None
        self._chance: float | None = None

    @property
    def is_limited(self) -> bool:
        """Whether time plays a part at all."""
        return self.maximum < inf

    def note_score(self, score: int) -> None:
        """Note the best score so far in a running iteration: a bad one gives it more time."""
        lost = 0.0 if self._chance is None else self._chance - self._winning_chance(score)
        self.deadline = self.maximum if lost > DROPPED else self._latest

    def note_iteration(self, best: object, score: int, seconds: float, choices: int) -> bool:
        """Note a finished iteration; returns whether the search may end.

        `best` is the best of `choices` actions, `seconds` count from the search's beginning.
        """
        if self._optimum == inf:
            return False
        if choices == 1 or is_decided(score):
            return True
        chance = self._winning_chance(score)
        before = chance if self._chance is None else self._chance
        changed = self._best is not None and best != self._best
        self._unrest = FADING * self._unrest + changed
        self._best, self._chance = best, chance
        wanted = self._optimum * (STILL + UNREST * self._unrest + DROP * max(0.0, before - chance))
        self.deadline = self._latest = min(self.maximum, NEXT_ENDS * wanted)
        return seconds >= NEXT_BEGINS * min(self.maximum, wanted)
