"""The numbers by which the tables know games: in the order in which games were created.

A number has 63 bits: milliseconds since 2020 in 41 bits, then the first 22 bits of the id, which
are random. So games of one millisecond are sorted by their ids.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from sqlalchemy import Connection, select

from service.projection.database.chunks import select_in
from service.projection.database.tables import GAME, HELD_GAME

EPOCH: Final = 1_577_836_800_000
"""The beginning of 2020 in milliseconds since 1970."""
TIME_BITS: Final = 41
ID_BITS: Final = 22
DIGITS: Final = "234567abcdefghijklmnopqrstuvwxyz"
"""The characters of ids in the order of their codes: five bits each."""
_LEADING: Final = -(-ID_BITS // 5)
_VALUES: Final = {digit: value for value, digit in enumerate(DIGITS)}


def number_of(created_at: int, id: str) -> int:
    """The number that a game has unless it is taken; `created_at` is milliseconds since 1970 UTC.

    >>> number_of(1_700_000_000_000, "zzzz") < number_of(1_700_000_000_001, "a5x7") < 2**63
    True
    >>> number_of(1_700_000_000_000, "7aaa") < number_of(1_700_000_000_000, "a777")
    True
    """
    since = min(max(created_at - EPOCH, 0), 2**TIME_BITS - 1)
    leading = 0
    for digit in id[:_LEADING].ljust(_LEADING, DIGITS[0]):
        leading = leading * len(DIGITS) + _VALUES.get(digit, 0)
    number: int = since * 2**ID_BITS + leading // 2 ** (5 * _LEADING - ID_BITS)
    return number


def assign_numbers(connection: Connection, new: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Numbers for games that have none, given by id and time of creation.

    A game whose number is taken gets the next free one.
    """
    wanted = {id: number_of(created_at, id) for id, created_at in new}
    taken = _find_taken(connection, wanted.values())
    found: dict[str, int] = {}
    for id, number in wanted.items():
        while number in taken:
            number += 1
            taken |= _find_taken(connection, [number])
        found[id] = number
        taken.add(number)
    return found


def _find_taken(connection: Connection, numbers: Collection[int]) -> set[int]:
    """Those of these numbers that are taken, including those of games that are held back."""
    return {
        number
        for at in (GAME.c.number, HELD_GAME.c.number)
        for number in select_in(connection, select(at), at, numbers)
    }
