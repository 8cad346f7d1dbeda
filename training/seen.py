"""What the games' networks see of a position."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.katruji import evaluation as katruji_evaluation
from engine.katruji import features as katruji
from engine.kerak import evaluation as kerak_evaluation
from engine.kerak import layout as kerak
from engine.kerak.features import features as kerak_features


@dataclass(frozen=True, slots=True)
class Seen:
    """What a game's network sees, from its `features` module.

    `mirror` has each feature's number on the board mirrored left to right, for games whose rules
    are the same there; `material` is the score that the network is added to.
    """

    layout: str
    features: int
    most: int
    list_features: Callable[[Any, int], list[int]]
    mirror: Sequence[int]
    material: Callable[[Any], int]


def _katruji_mirror() -> list[int]:
    mirror = list(range(katruji.FEATURES))
    for piece in range(3):
        for square in range(32):
            mirror[32 * piece + square] = 32 * piece + (square ^ 3)
    return mirror


SEEN: Final[Mapping[str, Seen]] = {
    "katruji": Seen(
        katruji.LAYOUT,
        katruji.FEATURES,
        katruji.MOST,
        katruji.features,
        _katruji_mirror(),
        katruji_evaluation.material,
    ),
    "kerak": Seen(
        kerak.LAYOUT,
        kerak.FEATURES,
        kerak.MOST,
        kerak_features,
        kerak.mirror(),
        kerak_evaluation.material,
    ),
}
