"""How good the actions of a game were, judged by the winning chance they lost. Pure.

An action loses the difference between the winning chance of the side to act with best play, and its
chance after the action. The best action found loses nothing. `docs/analysis.md` has the formulas.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from engine.search.chance import winning_chance
from engine.side import Side
from engine.variant import Variant
from service.analysis.finding import Finding

INACCURACY: Final = 0.05
MISTAKE: Final = 0.10
BLUNDER: Final = 0.20
"""The least losses of winning chance, 0 to 1, at which an action gets each judgement."""

THRESHOLDS: Final = {"blunder": BLUNDER, "mistake": MISTAKE, "inaccuracy": INACCURACY}
"""The judgements, the gravest first."""

GLYPHS: Final = {"inaccuracy": 6, "mistake": 2, "blunder": 4}
"""The numeric annotation glyph of each judgement (PGN standard, 10)."""

HALVED_BY: Final = 0.10
"""The loss of winning chance that halves the accuracy of an action."""


@dataclass(frozen=True, slots=True)
class Judged:
    """An action of a side: the winning chance it lost, and the judgement of that, if any."""

    side: Side
    loss: float
    judgement: str | None


def judge(before: Finding | None, after: Finding | None) -> Judged | None:
    """Judge the action between two positions; None if one is unknown, or there was no choice."""
    if before is None or after is None or before.choices < 2:
        return None
    side = Side(before.side)
    is_best = bool(before.lines) and before.lines[0].actions[:1] == (before.played,)
    gained = after.chance - before.chance
    loss = 0.0 if is_best else max(0.0, -gained if side is Side.FIRST else gained)
    # Chances are kept to a few digits; a threshold reached by rounding counts as reached.
    loss = round(loss, 4)
    called = next((name for name, least in THRESHOLDS.items() if loss >= least), None)
    return Judged(side, loss, called)


def is_only_action(variant: Variant, before: Finding) -> bool:
    """Whether the action played was the only one that would not have been a mistake.

    That is known if at least two lines were searched in a position without unknown choices.
    """
    if before.choices < 2 or len(before.lines) < 2 or before.worlds > 1:
        return False
    best, second = before.lines[:2]
    if best.actions[:1] != (before.played,):
        return False
    gap = winning_chance(variant, best.score) - winning_chance(variant, second.score)
    return (gap if before.side == Side.FIRST else -gap) >= MISTAKE


def judge_all(findings: Sequence[Finding | None]) -> list[Judged | None]:
    """Judge every action between consecutive positions."""
    return [judge(*pair) for pair in pairwise(findings)]


def compute_accuracy(judged: Iterable[Judged | None], side: Side) -> float | None:
    """Return a side's accuracy, 0 to 100: the mean over its actions, or None without any.

    An action that loses nothing counts 100, and half as much for each `HALVED_BY` it loses.

    >>> judged = [Judged(Side.FIRST, 0.0, None), Judged(Side.FIRST, 0.1, "mistake")]
    >>> compute_accuracy(judged, Side.FIRST)
    75.0
    """
    values = [100 * 0.5 ** (one.loss / HALVED_BY) for one in judged if one and one.side is side]
    return round(sum(values) / len(values), 1) if values else None
