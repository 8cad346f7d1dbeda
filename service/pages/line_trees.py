"""Lines of records with their variations, as the analysis board keeps them in its tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.position import Position
from notation.dialect import Dialect
from notation.game import Move


def describe_line(
    written: Dialect, position: Position, line: Sequence[Move]
) -> list[dict[str, Any]]:
    """The actions of a line, each with what stands beside it; the position is played on.

    `variations` are lines of the same form that replace the action.
    """
    found = []
    for move in line:
        one: dict[str, Any] = {
            "action": written.coordinate(move.action),
            "san": written.san(position, move.action),
            "number": position.number,
            "side": ("first", "second")[position.side],
            "nags": list(move.nags),
            "comments": [*move.before, *move.after],
            "variations": [
                describe_line(written, position.copy(), other) for other in move.variations
            ],
        }
        found.append(one)
        position.play(move.action)
    return found
