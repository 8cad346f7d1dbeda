"""The two sides of a game, named by the order in which they act."""

from __future__ import annotations

from enum import IntEnum


class Side(IntEnum):
    """A side; the players' name for it is in `engine.variant.Variant.sides`."""

    FIRST = 0
    SECOND = 1

    @property
    def other(self) -> Side:
        """The opponent.

        >>> Side.FIRST.other
        <Side.SECOND: 1>
        """
        return Side(1 - self)
