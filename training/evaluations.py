"""The terms of the games' evaluations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

from engine.katruji import evaluation as katruji
from engine.kerak import evaluation as kerak
from engine.kerd import evaluation as kerd
from engine.kerd.kernel import Position as Kerd
from engine.kerd.terms import SCALE, WEIGHTS, Term


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A game's terms, how they are counted in a position, and what they are worth by now.

    The first side's are counted less the second's; `weights` are in hundredths of the unit, which
    is worth 100 in the first term, and `scale` is that of `engine.variant.Variant`.
    """

    names: type[IntEnum]
    count: Callable[[Any], list[int]]
    weights: Sequence[int]
    scale: int


def _count_kerd(position: Kerd) -> list[int]:
    return kerd.terms(position.state)


EVALUATIONS: Final[Mapping[str, Evaluation]] = {
    "katruji": Evaluation(katruji.Term, katruji.terms, katruji.WEIGHTS, katruji.SCALE),
    "kerak": Evaluation(kerak.Term, kerak.terms, kerak.WEIGHTS, kerak.SCALE),
    "kerd": Evaluation(Term, _count_kerd, WEIGHTS, SCALE),
    "kerd-draft": Evaluation(Term, _count_kerd, WEIGHTS, SCALE),
}
