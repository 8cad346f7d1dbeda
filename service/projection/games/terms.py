"""The conditions a game was played under, as its tags state them: ratings, programs, speed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from engine.registry import find_variant
from notation.errors import BadTimeControl
from notation.time_control import NO_CLOCK, TIME_CONTROL, parse_time_control
from service.computer.program_tags import PROGRAM

MOVES: Final = 40
"""The number of moves for which a game's time is computed."""
HIGHEST: Final = 9999
"""The highest number that is taken for a rating."""
_RATING: Final = re.compile(r"[0-9]{1,4}")


class Speed(StrEnum):
    """How fast a game is, by the seconds that a player has for 40 moves."""

    BULLET = "bullet"
    BLITZ = "blitz"
    RAPID = "rapid"
    CLASSICAL = "classical"
    CORRESPONDENCE = "correspondence"


UNTIMED: Final = "untimed"
"""The speed class of games without a time control, which have ratings of their own."""
SPEED_CLASSES: Final = (*(speed.value for speed in Speed), UNTIMED)
"""The classes by which ratings are kept apart, besides the variant."""
SPEEDS: Final = ((180, Speed.BULLET), (480, Speed.BLITZ), (1500, Speed.RAPID))
"""The number of seconds below which a game has the speed."""


def read_ratings(variant: str, tags: Mapping[str, str]) -> tuple[int | None, int | None]:
    """The ratings of the players in a record's tags (`WhiteElo`), None where there is none."""
    first, second = (tags.get(f"{side}Elo", "") for side in find_variant(variant).sides)
    return _rating(first), _rating(second)


def mean_rating(ratings: tuple[int | None, int | None]) -> int:
    """The mean of the ratings that are known, rounded down; 0 where none is.

    >>> mean_rating((1501, None)), mean_rating((None, None))
    (1501, 0)
    """
    known = [rating for rating in ratings if rating is not None]
    return sum(known) // len(known) if known else 0


def find_programs(variant: str, tags: Mapping[str, str]) -> tuple[bool, bool]:
    """Whether a program played each side, as the tags say (`WhiteType`)."""
    first, second = (tags.get(f"{side}Type") for side in find_variant(variant).sides)
    return first == PROGRAM, second == PROGRAM


def read_speed(tags: Mapping[str, str]) -> Speed | None:
    """The speed that the `TimeControl` tag gives; None without a clock or without information.

    >>> read_speed({"TimeControl": "180+2"}), read_speed({"TimeControl": "40/5400+30:1800+30"})
    (<Speed.BLITZ: 'blitz'>, <Speed.CLASSICAL: 'classical'>)
    """
    try:
        control = parse_time_control(tags.get(TIME_CONTROL, NO_CLOCK))
    except BadTimeControl:
        return None
    if control.days_a_move:
        return Speed.CORRESPONDENCE
    if not control.stages:
        return None
    seconds, remaining = 0, MOVES
    for stage in control.stages:
        moves = min(remaining, stage.moves or remaining)
        seconds += stage.seconds + moves * max(stage.increment, stage.delay, stage.period)
        remaining -= moves
        if remaining == 0:
            break
    return next((speed for bound, speed in SPEEDS if seconds < bound), Speed.CLASSICAL)


def find_speed_class(tags: Mapping[str, str]) -> str:
    """The speed class that a game's ratings belong to.

    >>> find_speed_class({"TimeControl": "180+2"}), find_speed_class({})
    ('blitz', 'untimed')
    """
    speed = read_speed(tags)
    return UNTIMED if speed is None else speed.value


def _rating(text: str) -> int | None:
    return int(text) if _RATING.fullmatch(text) and 0 < int(text) <= HIGHEST else None
