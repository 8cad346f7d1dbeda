"""The terms of the games' evaluations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

from engine.katruji import evaluation as katruji
from engine.kerak import evaluation as kerak
from engine.kerd import evaluation as kerd
from engine.kerd.board import COLOURS, EMPTY, KIND, SQUARES, TURNED, WHITE
from engine.kerd.kernel import Position as Kerd
from engine.kerd.piece_squares import FILES, PIECE_SQUARES, entry
from engine.kerd.terms import DRAFT_SCALE, DRAFT_WEIGHTS, SCALE, WEIGHTS, Term


@dataclass(frozen=True, slots=True)
class PieceSquares:
    """A game's piece-square tables: their current numbers, and the term that sums them up.

    A rank is `files` files long. `count` says how often each number counts in a position, the
    first side's less the second's.
    """

    numbers: Sequence[int]
    files: int
    count: Callable[[Any], list[int]]
    term: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A game's terms, how they are counted in a position, and their current weights.

    The first side's are counted less the second's; `weights` are in hundredths of the unit, which
    is worth 100 in the first term, and `scale` is that of `engine.variant.Variant`.
    """

    names: type[IntEnum]
    count: Callable[[Any], list[int]]
    weights: Sequence[int]
    scale: int
    piece_squares: PieceSquares | None = None


def _count_kerd(position: Kerd) -> list[int]:
    return kerd.terms(position.state)


def _count_kerd_squares(position: Kerd) -> list[int]:
    counted = [0] * len(PIECE_SQUARES)
    for at in SQUARES:
        piece = position.piece_at(at)
        if piece != EMPTY:
            is_white = piece & COLOURS == WHITE
            number = entry(piece & KIND, at if is_white else at ^ TURNED)
            counted[number] += 1 if is_white else -1
    return counted


EVALUATIONS: Final[Mapping[str, Evaluation]] = {
    "katruji": Evaluation(katruji.Term, katruji.terms, katruji.WEIGHTS, katruji.SCALE),
    "kerak": Evaluation(kerak.Term, kerak.terms, kerak.WEIGHTS, kerak.SCALE),
    "kerd": Evaluation(
        Term,
        _count_kerd,
        WEIGHTS,
        SCALE,
        PieceSquares(PIECE_SQUARES, FILES, _count_kerd_squares, Term.ON_SQUARES),
    ),
    "kerd-draft": Evaluation(Term, _count_kerd, DRAFT_WEIGHTS, DRAFT_SCALE),
}
