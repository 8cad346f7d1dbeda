"""A position on the board as JSON values: the same object everywhere in the API."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.position import Position
from notation.registry import find_dialect
from service.boards.board import Tray
from service.boards.described_actions import name_deed
from service.boards.gains import Gain
from service.boards.scene import show_position
from service.boards.svg import SIDES


@dataclass(frozen=True, slots=True)
class Course:
    """How a position came about: the number of actions, and the last one in both forms.

    `gains` are the points that the actions have brought, `clocks` the time that each side had left
    then, in milliseconds, as far as they are known.
    """

    ply: int = 0
    action: str | None = None
    san: str | None = None
    gains: Sequence[Gain] = ()
    clocks: tuple[int | None, int | None] = (None, None)


def describe_position(
    variant: str, position: Position, course: Course | None = None
) -> dict[str, Any]:
    """A position, and what to point out in it; raises UnknownVariant.

    Everything shown comes from the position and its course. Somebody who may not know a choice must
    be given a position without it.
    """
    course = course or Course()
    scene = show_position(variant, position, course.action, course.gains)
    played = course.action and (name_deed(variant, course.action) or course.san)
    return {
        "ply": course.ply,
        "action": course.action,
        "san": course.san,
        "fen": find_dialect(variant).write_fen(position),
        "last": list(scene.last),
        "threatened": list(scene.threatened),
        "marked": list(scene.marked),
        "points": scene.points and list(scene.points),
        "trays": list(map(describe_tray, scene.trays)),
        "to_act": None if scene.outcome else SIDES[scene.side],
        "number": scene.number,
        "turn": scene.turn,
        "played": played,
        "said": f"{played}. {scene.turn}" if played else scene.turn,
        "clocks_ms": None if course.clocks == (None, None) else list(course.clocks),
    }


def describe_tray(tray: Tray) -> dict[str, Any]:
    """The pieces beside the board, with a letter for each."""
    pieces = "".join(letter * count for letter, count in tray.pieces)
    return {
        "side": SIDES[tray.side],
        "title": tray.title,
        "pieces": pieces,
        "in_hand": tray.in_hand,
    }
