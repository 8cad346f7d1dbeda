"""Katruji's position strings (rules page `notation.md`, FEN)."""

from __future__ import annotations

import re
from typing import Final

from engine.errors import InvalidPosition
from engine.katruji.board import AS_WRITTEN, NOBODY, move, squares
from engine.katruji.kernel import Position
from engine.katruji.setup import set_up
from engine.phrase import phrase
from engine.position import Action
from notation.errors import BadFen
from notation.fen import (
    quote_text,
    read_choice,
    read_number,
    read_points,
    read_rows,
    split_fields,
    write_rows,
)
from notation.katruji.token import NAMES, PIECES, SQUARE_OF

FIELDS: Final = ("placement", "side", "points", "undo", "clock", "move")

_ROWS: Final = [AS_WRITTEN[start : start + 4] for start in range(0, len(AS_WRITTEN), 4)]
_CELLS: Final = b" PSO".ljust(256)
"""The character of a row for each piece."""
_SIDES: Final = "sn"
_UNDO: Final = re.compile(r"([a-d][1-8])([a-d][1-8])")


def read_fen(text: str) -> Position:
    """The position a canonical FEN describes; raises BadFen."""
    placement, side, points, undo, clock, number = split_fields(text, FIELDS)
    pieces = _read_pieces(placement)
    turn = read_choice(side, "side", _SIDES)
    score = read_points(points)
    crossing = _read_undo(undo)
    timer, declarer, claimed = _read_clock(clock)
    try:
        return set_up(
            pieces,
            side=turn,
            points=score,
            undo=crossing,
            clock=timer,
            declarer=declarer,
            claimed=claimed,
            number=read_number(number, "move", least=1),
        )
    except InvalidPosition as why:
        raise BadFen(why.field, why.reason) from why


def write_fen(katruji: Position) -> str:
    """The canonical FEN of a position."""
    cells = write_cells(katruji.pack()).decode()
    rows = [cells[start : start + 4] for start in range(0, 32, 4)]
    south, north = katruji.points()
    undo = _write_undo(katruji.crossing)
    clock = str(katruji.clock)
    if katruji.declarer != NOBODY:
        clock = _SIDES[katruji.declarer] + clock + "!" * katruji.claimed
    side = _SIDES[katruji.side]
    return f"{write_rows(rows)} {side} {south}-{north} {undo} {clock} {katruji.number}"


def write_cells(identity: bytes) -> bytes:
    """The cells of a packed position: a piece's letter each, or a blank."""
    return identity[: len(AS_WRITTEN)].translate(_CELLS)


def _read_pieces(placement: str) -> dict[int, int]:
    """The pieces by square."""
    rows = read_rows(placement, [4] * 8, "PSO")
    return {
        square: PIECES.index(cell)
        for squares_of_row, cells in zip(_ROWS, rows, strict=True)
        for square, cell in zip(squares_of_row, cells, strict=True)
        if cell
    }


def _read_clock(text: str) -> tuple[int, int | None, bool]:
    """The count, the declarer, and whether Alka has been claimed."""
    if text[0] not in _SIDES:
        return read_number(text, "clock"), None, False
    claimed = text.endswith("!")
    count = read_number(text[1:].removesuffix("!"), "clock")
    return count, _SIDES.index(text[0]), claimed


def _read_undo(text: str) -> Action | None:
    if text == "-":
        return None
    match = _UNDO.fullmatch(text)
    if match is None:
        raise BadFen(
            "undo",
            phrase("{text} is neither '-' nor a move in coordinate form", text=quote_text(text)),
        )
    origin, target = match.groups()
    return move(SQUARE_OF[origin], SQUARE_OF[target])


def _write_undo(crossing: int) -> str:
    if not crossing:
        return "-"
    origin, target = squares(Action(crossing))
    return NAMES[origin] + NAMES[target]
