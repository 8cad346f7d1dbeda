"""What the players agreed before a game about its end (rules page `README.md`, Ruling R0)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

from engine.outcome import Outcome, Termination, decide_by_points
from engine.position import Position
from engine.side import Side
from engine.variant import Variant
from notation.errors import BadAnnotation

_LIMIT: Final = re.compile(r"[1-9][0-9]{0,8}")


@dataclass(frozen=True, slots=True)
class Agreement:
    """A limit of plies (tag `PlyLimit`) and the tie-break by points (tag `DrawByPoints`).

    A ply is an action that passes the turn: placements count, `Kyan` does not.
    """

    ply_limit: int | None = None
    draw_by_points: bool = False

    @classmethod
    def from_tags(cls, variant: Variant, tags: Mapping[str, str]) -> Self:
        """The agreement of a game with these tags; BadAnnotation for a limit that is not a number.

        >>> from engine.registry import find_variant
        >>> Agreement.from_tags(find_variant("katruji"), {"PlyLimit": "80", "DrawByPoints": "yes"})
        Agreement(ply_limit=80, draw_by_points=False)
        """
        limit = tags.get("PlyLimit")
        if limit is not None and not _LIMIT.fullmatch(limit):
            raise BadAnnotation("PlyLimit", "is not a whole number from 1 to 999999999")
        by_points = variant.draw_by_points and tags.get("DrawByPoints") == "yes"
        return cls(None if limit is None else int(limit), by_points)

    def outcome(self, position: Position, plies: int) -> Outcome | None:
        """The outcome of a game at `position` after `plies` plies, None if it goes on.

        The game's own rules come first, then the limit (Ruling R0). A draw by either goes to the
        side with more points where that was agreed.
        """
        outcome = position.outcome()
        if outcome is None and self.ply_limit is not None and plies >= self.ply_limit:
            outcome = Outcome(None, Termination.ADJUDICATION)
        return None if outcome is None else self.settle_draw(outcome, position.points())

    def settle_draw(self, outcome: Outcome, points: tuple[int, int] | None) -> Outcome:
        """The outcome under the agreement: a draw may go to the side with more points."""
        if not self.draw_by_points or points is None:
            return outcome
        return decide_by_points(outcome, points)


def lost_on_time(position: Position, side: Side) -> Outcome:
    """The outcome of a game in which a side has run out of time, before any agreement on draws.

    Ruling R36: the other side wins, unless it could not by any sequence of legal actions.
    """
    winner = side.other if position.can_win(side.other) else None
    return Outcome(winner, Termination.TIME_FORFEIT)
