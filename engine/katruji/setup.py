"""Positions set up from values instead of played (rules page `notation.md`, FEN)."""

from __future__ import annotations

from collections.abc import Mapping

from engine.errors import InvalidPosition
from engine.katruji.board import ALKA, NOBODY, PRIVATE, YARA_POINTS, hajat, is_move, squares
from engine.katruji.kernel import Position
from engine.phrase import phrase
from engine.position import Action

HIGHEST = 20
"""No side gets more points than this: 18 end the game, and a capture gives at most 3."""
LARGEST = 999_999_999
"""The largest move number and clock; the kernel counts them in 32 bits."""


def set_up(
    pieces: Mapping[int, int],
    *,
    side: int,
    points: tuple[int, int] = (0, 0),
    undo: Action | None = None,
    clock: int = 0,
    declarer: int | None = None,
    claimed: bool = False,
    number: int = 1,
) -> Position:
    """The position of these values.

    `pieces` are codes 1 to 3 by square; `undo` is the crossing move just made, as it was made;
    `clock` counts quiet moves or, once `declarer` (a side) has declared, the timer; `claimed`
    says that Alka has been claimed. A position that the side which just moved has ended by Yara or
    Yemubus is valid. Raises InvalidPosition, its field named as in the FEN.
    """
    _check_points(side, points)
    if not any(hajat(square) == side for square in pieces):
        raise InvalidPosition("placement", "the side to move has no piece in its hajat")
    if undo is not None:
        _check_undo(pieces, side, undo)
    if not 0 <= clock <= LARGEST:
        raise InvalidPosition(
            "clock", phrase("{clock} is not from 0 to {most}", clock=clock, most=LARGEST)
        )
    if not 1 <= number <= LARGEST:
        raise InvalidPosition(
            "move", phrase("{number} is not from 1 to {most}", number=number, most=LARGEST)
        )
    position = Position()
    position.assign(
        pieces, side, points, undo or 0, clock, NOBODY if declarer is None else declarer, number
    )
    if claimed:
        if not position.is_legal(ALKA):
            raise InvalidPosition("clock", "Alka could not have been claimed")
        position.play(ALKA)
    return position


def _check_points(side: int, points: tuple[int, int]) -> None:
    if not all(0 <= count <= HIGHEST for count in points):
        raise InvalidPosition("points", phrase("a side has from 0 to {most} points", most=HIGHEST))
    if points[side] >= YARA_POINTS:
        raise InvalidPosition(
            "points", phrase("the side to move has won with {points}", points=points[side])
        )


def _check_undo(pieces: Mapping[int, int], side: int, undo: Action) -> None:
    """Take the move back and see whether it could be made; a Private stands for what it took."""
    if not is_move(undo):
        raise InvalidPosition("undo", "not a move")
    origin, target = squares(undo)
    if hajat(origin) == side or hajat(target) != side:
        raise InvalidPosition("undo", "not a move into the hajat of the side to move")
    if target not in pieces or origin in pieces:
        raise InvalidPosition("undo", "the piece that moved must stand on its target")
    before = dict(pieces) | {origin: pieces[target], target: PRIVATE}
    position = Position()
    position.assign(before, 1 - side, (0, 0), 0, 0, NOBODY, 1)
    if not position.is_legal(undo):
        raise InvalidPosition("undo", "the piece on its target could not have moved so")
