"""A position on the board as JSON values: the same object wherever a client is told of one."""

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
    """How a position came about: after how many actions, and by which in both forms.

    `gains` are the points that the actions have brought, `clocks` what each side had left then, in
    milliseconds, as far as it is known.
    """

    ply: int = 0
    action: str | None = None
    san: str | None = None
    gains: Sequence[Gain] = ()
    clocks: tuple[int | None, int | None] = (None, None)


def describe_position(
    variant: str, position: Position, course: Course | None = None
) -> dict[str, Any]:
    """A position, and what is to be pointed out of it; raises UnknownVariant.

    All that it tells is in the position and its course: a position with a choice that somebody may
    not know is for others.
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
    """The pieces that stand beside the board, a letter for each."""
    pieces = "".join(letter * count for letter, count in tray.pieces)
    return {
        "side": SIDES[tray.side],
        "title": tray.title,
        "pieces": pieces,
        "in_hand": tray.in_hand,
    }
