"""The numbers that the command line's options take; anything else is refused with a reason."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from math import inf


def read_natural(text: str) -> int:
    """A whole number, 0 or more.

    >>> read_natural("0")
    0
    """
    return _read_whole(text, 0)


def read_count(text: str) -> int:
    """A whole number, 1 or more.

    >>> read_count("1000")
    1000
    """
    return _read_whole(text, 1)


def read_games(text: str) -> int:
    """The number of games of a match, which are pairs: an even number, 2 or more.

    >>> read_games("400")
    400
    """
    games = _read_whole(text, 2)
    if games % 2:
        raise ArgumentTypeError(f"{text!r} is not an even number")
    return games


def read_share(text: str) -> float:
    """A number from 0 to 1, such as λ.

    >>> read_share("0.9")
    0.9
    """
    return _read_number(text, lambda share: 0 <= share <= 1, "from 0 to 1")


def read_chance(text: str) -> float:
    """The greater of two winning chances: above one half, at most 1.

    >>> read_chance("0.65")
    0.65
    """
    return _read_number(text, lambda chance: 0.5 < chance <= 1, "above 0.5 and at most 1")


def read_rate(text: str) -> float:
    """A finite number above 0.

    >>> read_rate("0.002")
    0.002
    """
    return _read_number(text, lambda rate: 0 < rate < inf, "above 0 and finite")


def read_decay(text: str) -> float:
    """A finite number, 0 or more.

    >>> read_decay("0")
    0.0
    """
    return _read_number(text, lambda decay: 0 <= decay < inf, "0 or more and finite")


def _read_whole(text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is not a whole number") from error
    if number < least:
        raise ArgumentTypeError(f"{text!r} is less than {least}")
    return number


def _read_number(text: str, fits: Callable[[float], bool], range: str) -> float:
    """A number that `fits` a `range`, which is told where it does not."""
    try:
        number = float(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is not a number") from error
    if not fits(number):
        raise ArgumentTypeError(f"{text!r} is not {range}")
    return number
