"""The legal actions that come nearest to a token that means none."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from engine.position import Position
    from notation.dialect import Dialect

LIMIT: Final = 5
"""The most alternatives that an error names."""

_LONGEST: Final = 16


def distance(one: str, other: str) -> int:
    """The edit distance: characters inserted, deleted or replaced to turn `other` into `one`.

    >>> distance("Pb3", "Pxb4"), distance("", "ab")
    (2, 2)
    """
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        diagonal, row[0] = row[0], i
        for j, right in enumerate(other, 1):
            cost = diagonal if left == right else 1 + min(diagonal, row[j], row[j - 1])
            diagonal, row[j] = row[j], cost
    return row[-1]


def find_nearest(dialect: Dialect, position: Position, token: str) -> tuple[str, ...]:
    """The legal actions most like `token` in either form, in SAN, best first, at most LIMIT.

    Decoration (`x`, `+`, `#`) does not count. Of two that are equally like it, the one that ends
    like the token comes first, since the end is where the piece goes.
    """
    wanted = _bare(token[:_LONGEST])

    def unlikeness(forms: tuple[str, str]) -> tuple[int, int, str]:
        bare = [_bare(form) for form in forms]
        alike = max(_common_end(wanted, form) for form in bare)
        return min(distance(wanted, form) for form in bare), -alike, forms[0]

    forms = [
        (dialect.san(position, action), dialect.coordinate(action)) for action in position.legal()
    ]
    return tuple(san for san, _ in sorted(forms, key=unlikeness)[:LIMIT])


def _common_end(one: str, other: str) -> int:
    pairs = zip(reversed(one), reversed(other), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _bare(token: str) -> str:
    return token.rstrip("+#").replace("x", "").partition("=")[0]
