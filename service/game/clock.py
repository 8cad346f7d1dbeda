"""Both players' clocks as values: what each has left, and how an action changes that.

All times are whole milliseconds. What a side has left is the time until its flag falls, with all
stages that it has reached and all periods of byo-yomi that remain; each move's delay comes on top
of it. A side's clock runs when it is that side's turn, but only after its first action, which takes
no time. What the clocks mean for a game is in `timekeeping.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Self

from engine.search.time_management import TimeLeft
from engine.side import Side
from notation.time_control import Stage, TimeControl

SECOND: Final = 1000
MAX_LEFT: Final = 9_999 * 3600 * SECOND
"""The most that a clock shows; increments do not go beyond it."""
MAX_COMPENSATION: Final = 500
"""The most of a client's lag that is not counted for one action, in milliseconds."""
LAG_QUOTA: Final = 2 * SECOND
"""The most of a side's lag that is not counted in a row; its quota at the beginning."""
LAG_REFILL: Final = 100
"""What each action gives back of its side's quota, in milliseconds.

It is more than the lag of most clients. A client that always claims 500 ms gains little more than
that at each action.
"""


@dataclass(frozen=True, slots=True)
class SideClock:
    """One side's clock: the time left, and how many moves it has completed.

    `moves` counts actions that passed the turn; `started` says whether the side has acted yet.
    """

    left: int
    moves: int = 0
    started: bool = False


@dataclass(frozen=True, slots=True)
class Spent:
    """What one action does to its side's clock: lag compensated, time used, time left after it."""

    compensation: int
    used: int
    left: int


@dataclass(frozen=True, slots=True)
class Clock:
    """Both sides' clocks; `running` has run since `since` (milliseconds since 1970 UTC).

    `credit` is the part of that time for which the service was down. `credited_to` is the end of
    the last outage that was credited, 0 before any. `lag_quotas` say how much of each side's lag
    may still be compensated.
    """

    control: TimeControl
    sides: tuple[SideClock, SideClock]
    running: Side | None = None
    since: int = 0
    credit: int = 0
    credited_to: int = 0
    lag_quotas: tuple[int, int] = (LAG_QUOTA, LAG_QUOTA)

    @classmethod
    def set_up(cls, control: TimeControl) -> Self:
        """The clocks before the game."""
        side = SideClock(first_left(control))
        return cls(control, (side, side))

    @property
    def due(self) -> int | None:
        """When the running clock's flag falls; None if neither clock runs."""
        if self.running is None:
            return None
        side = self.sides[self.running]
        return self.since + self.credit + find_delay(self.control, side.moves) + side.left

    def left(self, side: Side, at: int) -> int:
        """The time that a side has left at time `at`, without the delay of the move."""
        known = self.sides[side]
        if self.running is not side:
            return known.left
        spent = max(0, at - self.since - self.credit - find_delay(self.control, known.moves))
        return max(0, known.left - spent)

    def begin_turn(self, side: Side | None, at: int) -> Self:
        """The clocks when a side's turn begins (None: nobody's); its clock runs if it has acted."""
        running = side if side is not None and self.sides[side].started else None
        return replace(self, running=running, since=at if running is not None else 0, credit=0)

    def stop(self, at: int) -> Self:
        """The clocks when the game is over: the running clock keeps what it has left."""
        if self.running is None:
            return self
        side = replace(self.sides[self.running], left=self.left(self.running, at))
        return replace(self.set_side(self.running, side), running=None, since=0, credit=0)

    def spend(self, side: Side, received: int, lag: int, *, passes: bool) -> Spent:
        """What an action does that was received at this time from a client with this lag.

        `passes` says whether the action passes the turn: one that does not takes time, but
        completes no move. The action is assumed to be in time (`is_out_of_time`).
        """
        known = self.sides[side]
        if self.running is not side:
            return Spent(0, 0, self._complete(known, known.left) if passes else known.left)
        taken = max(0, received - self.since - self.credit)
        compensation = min(max(0, lag), MAX_COMPENSATION, taken)
        used = taken - compensation
        delay = find_delay(self.control, known.moves)
        left = max(0, known.left - max(0, used - delay))
        if passes:
            stage = find_stage(self.control, known.moves)
            left = self._complete(known, left + stage.increment * SECOND)
        return Spent(compensation, used, left)

    def admit_lag(self, side: Side, lag: int) -> int:
        """The part of a client's lag that its side's quota still covers."""
        return min(lag, self.lag_quotas[side])

    def charge_lag(self, side: Side, compensation: int) -> Self:
        """The clocks after an action with this compensation was taken from its side's quota."""
        left = max(0, self.lag_quotas[side] - compensation)
        quota = min(LAG_QUOTA, left + LAG_REFILL)
        first, second = self.lag_quotas
        return replace(self, lag_quotas=(quota, second) if side is Side.FIRST else (first, quota))

    def is_out_of_time(self, at: int) -> bool:
        """Whether the running clock has nothing left at time `at`."""
        return self.due is not None and at >= self.due

    def act(self, side: Side, left: int, *, passes: bool) -> Self:
        """The clocks after an action of a side that then has `left`; neither runs."""
        moves = self.sides[side].moves + passes
        after = replace(self, running=None, since=0, credit=0)
        return after.set_side(side, SideClock(left, moves, True))

    def set_side(self, side: Side, clock: SideClock) -> Self:
        """The clocks with one side's clock replaced."""
        first, second = self.sides
        return replace(self, sides=(clock, second) if side is Side.FIRST else (first, clock))

    def add_credit(self, milliseconds: int, to: int) -> Self:
        """The clocks after an outage that ended at `to` was credited to the running one."""
        return replace(self, credit=self.credit + milliseconds, credited_to=to)

    def find_credit(self, begun: int, ended: int) -> int:
        """The milliseconds of an outage that fall within the running turn."""
        return 0 if self.running is None else max(0, ended - max(begun, self.since))

    def _complete(self, side: SideClock, left: int) -> int:
        """The time left when a move is completed with `left`, in its last period or before."""
        control, made = self.control, side.moves + 1
        if control.days_a_move:
            return control.stages[0].seconds * SECOND
        stage = find_stage(control, side.moves)
        if stage.periods and left < stage.periods * stage.period * SECOND:
            # A period that was begun is restored in full; those that ran out are gone.
            period = stage.period * SECOND
            left = -(-left // period) * period
        return min(MAX_LEFT, left + added_time(control, made))


def find_stage(control: TimeControl, made: int) -> Stage:
    """The stage in which the move after `made` moves is made; the last one is repeated."""
    for stage in control.stages:
        if stage.moves is None or made < stage.moves:
            return stage
        made -= stage.moves
    return control.stages[-1]


def find_delay(control: TimeControl, made: int) -> int:
    """The delay of the move after `made` moves, in milliseconds."""
    return find_stage(control, made).delay * SECOND


def find_time_left(control: TimeControl, made: int, left: int) -> TimeLeft:
    """What `left` on the clock, without the delay, means for the move after `made` moves."""
    stage = find_stage(control, made)
    return TimeLeft(
        left,
        stage.increment * SECOND,
        stage.delay * SECOND,
        stage.period * SECOND,
        stage.periods,
        count_moves_to_go(control, made),
    )


def count_moves_to_go(control: TimeControl, made: int) -> int | None:
    """The moves from the one after `made` moves until a stage adds time; None if none will."""
    for stage in control.stages:
        if stage.moves is None:
            return None
        if made < stage.moves:
            return stage.moves - made
        made -= stage.moves
    repeated = control.stages[-1].moves
    return None if repeated is None else repeated - made % repeated


def first_left(control: TimeControl) -> int:
    """What each side has left at the beginning."""
    return _stage_time(control.stages[0])


def added_time(control: TimeControl, made: int) -> int:
    """The time added by the stage that begins after `made` moves; 0 if none begins."""
    reached = 0
    for number, stage in enumerate(control.stages, 1):
        if stage.moves is None:
            return 0
        if number == len(control.stages):
            past = made - reached
            return _stage_time(stage) if past > 0 and past % stage.moves == 0 else 0
        reached += stage.moves
        if made == reached:
            return _stage_time(control.stages[number])
    return 0


def _stage_time(stage: Stage) -> int:
    return (stage.seconds + stage.periods * stage.period) * SECOND
