"""How a game ended: the winner and the termination, always together."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from engine.side import Side


class Termination(StrEnum):
    """Why a game ended, in the words of the `Termination` tag (rules page `notation.md`)."""

    MATE = "mate"
    STALEMATE = "stalemate"
    KING_CAPTURED = "king captured"
    CASTLE_CAPTURED = "castle captured"
    NO_CAPTOR_LEFT = "no captor left"
    NO_MOVE = "no move"
    YARA = "yara"
    YEMUBUS = "yemubus"
    ALKA = "alka"
    POINTS = "points"
    RESIGNATION = "resignation"
    AGREEMENT = "agreement"
    ADJUDICATION = "adjudication"
    TIME_FORFEIT = "time forfeit"
    FORFEIT = "forfeit"
    RULES_INFRACTION = "rules infraction"
    ABANDONED = "abandoned"
    UNTERMINATED = "unterminated"


COMMON_TERMINATIONS: Final = frozenset(
    {
        Termination.POINTS,
        Termination.RESIGNATION,
        Termination.AGREEMENT,
        Termination.ADJUDICATION,
        Termination.TIME_FORFEIT,
        Termination.FORFEIT,
        Termination.RULES_INFRACTION,
        Termination.ABANDONED,
        Termination.UNTERMINATED,
    }
)
"""The terminations that players, arbiters and clocks bring about in every game.

All others come from the rules of some game, whose `Variant` lists them.
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: `winner` is None for a draw."""

    winner: Side | None
    termination: Termination

    @property
    def result(self) -> str:
        """The result as records write it, from the first side's point of view.

        >>> Outcome(Side.SECOND, Termination.YARA).result
        '0-1'
        """
        if self.winner is None:
            return "1/2-1/2"
        return "1-0" if self.winner is Side.FIRST else "0-1"


def decide_by_points(outcome: Outcome, points: tuple[int, int]) -> Outcome:
    """Award a draw to the side with more points, where the players agreed on it (`DrawByPoints`).

    A won game and a draw at equal points stay as they are (rules page `kerak.md`, Points).

    >>> decide_by_points(Outcome(None, Termination.AGREEMENT), (3, 5)).result
    '0-1'
    """
    first, second = points
    if outcome.winner is not None or first == second:
        return outcome
    return Outcome(Side.FIRST if first > second else Side.SECOND, Termination.POINTS)
