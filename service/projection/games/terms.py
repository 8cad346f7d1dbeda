"""What a game's tags tell of the conditions it was played under: ratings, programs, speed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from engine.registry import find_variant

PROGRAM: Final = "program"
MOVES: Final = 40
"""Moves for which a game's time is reckoned."""
HIGHEST: Final = 9999
"""Rating that is taken for one at most."""
_RATING: Final = re.compile(r"[0-9]{1,4}")
_STAGE: Final = re.compile(r"(?:([1-9][0-9]{0,3})/)?([0-9]{1,6})(?:\+([0-9]{1,5}))?")
_DAYS: Final = re.compile(r"1/([0-9]{5,8})")


class Speed(StrEnum):
    """How fast a game is, by the seconds that a player has for 40 moves."""

    BULLET = "bullet"
    BLITZ = "blitz"
    RAPID = "rapid"
    CLASSICAL = "classical"
    CORRESPONDENCE = "correspondence"


SPEEDS: Final = ((180, Speed.BULLET), (480, Speed.BLITZ), (1500, Speed.RAPID))
"""The fewest seconds that a speed does not have any more."""
DAY: Final = 86_400


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
    """Whether a program played, by side, as the tags tell (`WhiteType`)."""
    first, second = (tags.get(f"{side}Type") for side in find_variant(variant).sides)
    return first == PROGRAM, second == PROGRAM


def read_speed(tags: Mapping[str, str]) -> Speed | None:
    """The speed that the `TimeControl` tag makes; None without a clock or where none is told.

    >>> read_speed({"TimeControl": "180+2"}), read_speed({"TimeControl": "40/5400+30:1800+30"})
    (<Speed.BLITZ: 'blitz'>, <Speed.CLASSICAL: 'classical'>)
    """
    text = tags.get("TimeControl", "")
    if (days := _DAYS.fullmatch(text)) and int(days[1]) >= DAY:
        return Speed.CORRESPONDENCE
    stages = [_STAGE.fullmatch(part) for part in text.split(":")]
    seconds, left = 0, MOVES
    for stage in stages:
        if stage is None:
            return None
        moves = min(left, int(stage[1] or left))
        seconds += int(stage[2]) + moves * int(stage[3] or 0)
        left -= moves
        if left == 0:
            break
    return next((speed for bound, speed in SPEEDS if seconds < bound), Speed.CLASSICAL)


def _rating(text: str) -> int | None:
    return int(text) if _RATING.fullmatch(text) and 0 < int(text) <= HIGHEST else None
