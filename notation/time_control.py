"""Time controls: PGN's `TimeControl` tag as a value, and back.

Stages are separated by `:`. Each is `MOVES/SECONDS`, or `SECONDS` for the rest of the game, and may
be followed by what is added or spared at each move:

    180+2        Fischer: 2 seconds are added to the clock after each move
    180d2        delay: the clock stands still for the first 2 seconds of each move
    600+0+30(5)  byo-yomi: after 600 seconds, five periods of 30; one is lost when it runs out
    1/259200     days a move: three days for each move, where the seconds are a day or more
    -            no clock

`40/5400+30:1800+30` has two stages. A last stage with a number of moves is repeated. PGN itself has
no form for delays and byo-yomi: `d` is the US Chess Federation's, periods are as lishogi writes
them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from engine.phrase import phrase
from notation.errors import BadTimeControl, UnplayableTimeControl

TIME_CONTROL: Final = "TimeControl"
"""The tag that holds a time control."""
NO_CLOCK: Final = "-"
DAY: Final = 86_400
MAX_STAGES: Final = 8
MAX_SECONDS: Final = 366 * DAY
"""The most seconds that a stage can have in a game with clocks."""
MAX_BONUS: Final = 3600
"""The most seconds of an increment, a delay or a period in a game with clocks."""
_STAGE: Final = re.compile(
    r"(?:([1-9][0-9]{0,3})/)?([0-9]{1,8})"
    r"(?:\+([0-9]{1,5})(?:\+([0-9]{1,5})\(([1-9][0-9]{0,2})\))?|d([0-9]{1,5}))?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a time control, in seconds; `moves` is None for the rest of the game.

    `increment` is added after each move, `delay` passes at each move before the clock runs, and
    `periods` of `period` seconds follow when the stage's own time is spent (byo-yomi).
    """

    moves: int | None
    seconds: int
    increment: int = 0
    delay: int = 0
    period: int = 0
    periods: int = 0

    def __str__(self) -> str:
        text = str(self.seconds) if self.moves is None else f"{self.moves}/{self.seconds}"
        if self.periods:
            return f"{text}+{self.increment}+{self.period}({self.periods})"
        if self.delay:
            return f"{text}d{self.delay}"
        return f"{text}+{self.increment}" if self.increment else text


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The stages of a time control, none in a game without a clock; `str` is the tag's value."""

    stages: tuple[Stage, ...]

    def __str__(self) -> str:
        return ":".join(map(str, self.stages)) or NO_CLOCK

    @property
    def days_a_move(self) -> bool:
        """Whether each move has its own number of days, none of which are saved for later."""
        (first, *others) = self.stages or (Stage(None, 0),)
        bonus = first.increment or first.delay or first.periods
        return not others and first.moves == 1 and first.seconds >= DAY and not bonus


def parse_time_control(text: str) -> TimeControl:
    """Read a `TimeControl` tag; raises BadTimeControl.

    >>> str(parse_time_control("40/5400+30:1800+0"))
    '40/5400+30:1800'
    """
    if text == NO_CLOCK:
        return TimeControl(())
    parts = text.split(":")
    if len(parts) > MAX_STAGES:
        raise BadTimeControl(text[:80], phrase("has more than {most} stages", most=MAX_STAGES))
    return TimeControl(tuple(_parse_stage(part) for part in parts))


def _parse_stage(text: str) -> Stage:
    found = _STAGE.fullmatch(text)
    if found is None:
        raise BadTimeControl(
            text[:80], "is not a stage such as 300, 180+2, 40/5400+30, 300d5, 600+0+30(5), 1/259200"
        )
    moves, *others = found.groups()
    seconds, increment, period, periods, delay = (int(number or 0) for number in others)
    return Stage(int(moves) if moves else None, seconds, increment, delay, period, periods)


def check_playable(control: TimeControl) -> None:
    """Raise UnplayableTimeControl unless a game can be played on clocks with this control."""
    text = str(control)
    if not control.stages:
        raise UnplayableTimeControl(text, "leave the time control out for a game without clocks")
    for number, stage in enumerate(control.stages, 1):
        last = number == len(control.stages)
        if not last and stage.moves is None:
            raise UnplayableTimeControl(
                text, phrase("stage {number} never ends: give it a number of moves", number=number)
            )
        if stage.periods:
            _check_byo_yomi(text, stage, last)
        if stage.seconds > MAX_SECONDS or max(stage.increment, stage.delay) > MAX_BONUS:
            raise UnplayableTimeControl(
                text,
                phrase(
                    "at most {seconds} seconds a stage and {most} of increment or delay",
                    seconds=MAX_SECONDS,
                    most=MAX_BONUS,
                ),
            )
    if not (control.stages[0].seconds or control.stages[0].delay or control.stages[0].period):
        raise UnplayableTimeControl(text, "there is no time for the first move")


def _check_byo_yomi(text: str, stage: Stage, last: bool) -> None:
    if not 0 < stage.period <= MAX_BONUS:
        raise UnplayableTimeControl(
            text, phrase("a period has 1 to {most} seconds", most=MAX_BONUS)
        )
    if stage.increment or stage.moves is not None or not last:
        raise UnplayableTimeControl(
            text, "periods follow the last stage, which has no increment and no number of moves"
        )
