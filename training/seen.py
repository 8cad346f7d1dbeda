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
from engine.kerd import evaluation as kerd_evaluation
from engine.kerd import layout as kerd
from engine.kerd.features import features as kerd_features


@dataclass(frozen=True, slots=True)
class Seen:
    """What a game's network sees, from its `features` module.

    `mirror` has each feature's number on the board mirrored left to right, for games whose rules
    are the same there. The network is added to the score `base`, which is the material if it
    `replaces_terms`.
    """

    layout: str
    features: int
    most: int
    list_features: Callable[[Any, int], list[int]]
    mirror: Sequence[int]
    base: Callable[[Any], int]
    replaces_terms: bool = True


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
    "kerd": Seen(
        kerd.LAYOUT,
        kerd.FEATURES,
        kerd.MOST,
        kerd_features,
        kerd.mirror(),
        lambda position: kerd_evaluation.evaluate(position.state),
        replaces_terms=False,
    ),
}
