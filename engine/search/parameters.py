"""The numbers by which techniques of the search prune and reduce; each game has its own.

`python -m training tune` finds better ones by playing games (`docs/training.md`).
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache
from math import log
from typing import Final

DEPTHS: Final = 32
NUMBERS: Final = 64
"""How many depths and how many numbers of moves have reductions of their own."""

NEVER: Final = 1_000_000
"""A margin that nothing exceeds."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Margins are in hundredths of the game's unit, depths in actions."""

    futility_margin: int = 150
    """By how much quiet actions may improve an evaluation, for each action of depth."""
    futility_depth: int = 3
    """The greatest depth of futility."""
    reverse_margin: int = 150
    """By how much an evaluation may be too high, for each action of depth."""
    reverse_depth: int = 3
    """The greatest depth of reverse futility."""
    razoring_margin: int = 250
    """By how much noisy actions may improve an evaluation, for each action of depth."""
    razoring_depth: int = 2
    """The greatest depth of razoring."""
    null_move_reduction: int = 2
    """By how many actions the search after a null move is less deep."""
    null_move_share: int = 6
    """One action more for every this many actions of depth."""
    null_move_margin: int = 300
    """One action more for every this much by which the evaluation exceeds beta."""
    reduction_base: int = 40
    """Hundredths of an action by which every late action is searched less deep."""
    reduction_divisor: int = 220
    """Hundredths that divide the product of the logarithms of depth and number."""
    reduction_history: int = 6_000
    """One action more, or less, where an action's history is this far below, or above, 0."""
    late_move_base: int = 4
    """How many actions are searched at any depth before quiet ones are passed over."""
    late_move_factor: int = 100
    """Further actions, in hundredths of the square of the depth."""
    late_move_depth: int = 4
    """The greatest depth of late move pruning."""
    history_margin: int = 1_500
    """How far below 0 the history of an action has to be for it to be passed over, for each
    action of depth."""
    history_depth: int = 3
    """The greatest depth of history pruning."""
    internal_depth: int = 4
    """The least depth of internal iterative reductions."""
    exchange_margin: int = 0
    """How much an exchange may lose and still be searched like other captures."""
    delta_margin: int = 100
    """By how much, in quiescence, a capture may improve an evaluation beyond what it takes."""

    def with_value(self, name: str, value: int) -> Parameters:
        """The same except for one; ValueError for an unknown name, or a divisor below 1."""
        if name not in NAMES or (name in DIVISORS and value < 1):
            raise ValueError(name)
        return replace(self, **{name: value})


PARAMETERS: Final = Parameters()
"""The parameters of a game that has none of its own."""
NAMES: Final = tuple(field.name for field in fields(Parameters))
DIVISORS: Final = ("null_move_share", "null_move_margin", "reduction_divisor")


@cache
def list_reductions(base: int, divisor: int) -> list[int]:
    """By how many actions late ones are searched less deep, by depth and number, 64 to a depth.

    >>> list_reductions(40, 220)[4 * NUMBERS + 20]
    2
    """
    return [
        int(base / 100 + log(depth) * log(number) * 100 / divisor) if depth and number else 0
        for depth in range(DEPTHS)
        for number in range(NUMBERS)
    ]
