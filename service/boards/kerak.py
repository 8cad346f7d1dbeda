"""Kerak's board: hexagons, letters and numbers along the diagonals (Rulings R10 and R11)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import cos, pi, sin, sqrt
from typing import Final

from engine.kerak.action import is_move, target_of
from engine.kerak.board import BOARD, HOME
from engine.kerak.kernel import Position as Kerak
from engine.kerak.pieces import NUMBER, PieceKind, piece
from engine.position import Position
from notation.kerak.token import LETTERS, PIECE_OF, SPACE_OF
from service.boards.board import (
    Cell,
    Figure,
    Key,
    Label,
    Stroke,
    Tray,
    list_counts,
    name_hand,
    name_lost,
)
from service.boards.fields import MOVE, Field, make_counts, make_points, make_side
from service.boards.gains import Gain
from service.languages.texts import mark

RADIUS: Final = 27.0
"""The distance from a space's centre to its corners."""
MARGIN: Final = 20.0
_ACROSS: Final = sqrt(3) * RADIUS
_DOWN: Final = 1.5 * RADIUS
_SIDES: Final = (mark("Red"), mark("Blue"))
_LABEL_AT: Final = 0.74
"""The distance of a coordinate from the last space of its line, in steps."""


class KerakBoard:
    """See `service.boards.board.Board`."""

    width = max(BOARD.row_lengths) * _ACROSS + 2 * MARGIN
    height = (len(BOARD.row_lengths) - 1) * _DOWN + 2 * RADIUS + 2 * MARGIN
    span = 42.0
    sprite = "kerak.svg"
    letters = "".join(PIECE_OF)
    held_up = ""
    words: Mapping[str, str] = {
        "unit": mark("points"),
        "--": mark("Pass"),
        **{
            letter: f"Place {kind.title} on"
            for letter, kind in zip(LETTERS, PieceKind, strict=True)
        },
    }
    done: Mapping[str, str] = {"--": mark("Passed")}

    @cached_property
    def rows(self) -> Sequence[Sequence[Cell]]:
        """Blue's nearest row first."""
        return [[self._make_cell(space) for space in row] for row in BOARD.rows[::-1]]

    def _find_centre(self, letter: float, number: float) -> tuple[float, float]:
        """The centre of a space, or of the place where a space would be beyond the edge."""
        middle = (len(BOARD.row_lengths) + 1) / 2
        right, up = (letter - number) / 2, letter + number - 2 * middle
        return self.width / 2 + right * _ACROSS, self.height / 2 - up * _DOWN

    def _make_cell(self, space: int) -> Cell:
        letter, number = BOARD.coordinates[space]
        x, y = self._find_centre(letter, number)
        corners = [(x + RADIUS * sin(pi / 3 * n), y - RADIUS * cos(pi / 3 * n)) for n in range(6)]
        outline = "M" + "L".join(f"{right:.1f} {down:.1f}" for right, down in corners) + "z"
        shade = ("light", "middle", "dark")[(letter - number) % 3]
        home = next((f" home{side}" for side in range(2) if HOME[side] >> space & 1), "")
        return Cell(BOARD.names[space], round(x, 2), round(y, 2), outline, f"hex {shade}{home}")

    @cached_property
    def labels(self) -> Sequence[Label]:
        """Letters below their diagonals, numbers above theirs."""
        found = []
        for n in range(1, len(BOARD.row_lengths) + 1):
            lowest = min(number for letter, number in BOARD.coordinates if letter == n)
            furthest = max(letter for letter, number in BOARD.coordinates if number == n)
            letter = self._find_centre(n, lowest - _LABEL_AT)
            number = self._find_centre(furthest + _LABEL_AT, n)
            found += [Label(chr(ord("a") + n - 1), *letter), Label(str(n), *number)]
        return [Label(one.text, round(one.x, 1), round(one.y, 1)) for one in found]

    strokes: Sequence[Stroke] = ()
    fields: Sequence[Field] = (
        make_side("rb", _SIDES),
        make_counts("hand", mark("In hand"), letters),
        make_points(_SIDES),
        MOVE,
    )
    legend: Sequence[Key] = ()

    def read_figure(self, letter: str, cell: Cell | None) -> Figure:
        """A piece; capitals are Red's."""
        side = int(letter.islower())
        kind = PieceKind(LETTERS.index(letter.upper()) + 1)
        return Figure(f"kerak-{letter.upper()}", side, f"{_SIDES[side]} {kind.title}")

    def find_threatened(self, position: Position, standing: Mapping[str, str]) -> Sequence[str]:
        """The Castles that the opponent could capture, or could if it were the opponent's turn."""
        kerak = _kerak(position)
        castles = [name for name, letter in standing.items() if letter in "Cc"]
        if kerak.building or len(castles) < 2:
            return ()
        pieces = {SPACE_OF[name]: PIECE_OF[letter] for name, letter in standing.items()}
        found = []
        for side in range(2):
            turned = Kerak(pieces, side, {}, kerak.points(), kerak.number)
            aims = {BOARD.names[target_of(move)] for move in turned.legal() if is_move(move)}
            found += [name for name in castles if name in aims]
        return found

    def fill_trays(
        self, position: Position, standing: Counter[str], gains: Sequence[Gain] = ()
    ) -> Sequence[Tray]:
        """Return the pieces still to be placed, and those captured."""
        kerak = _kerak(position)
        found = []
        for side in range(2):
            letters = [one.lower() if side else one for one in LETTERS]
            hand = {
                letter: kerak.in_hand(piece(side, kind))
                for letter, kind in zip(letters, PieceKind, strict=True)
            }
            lost = {
                letter: NUMBER[kind] - hand[letter] - standing[letter]
                for letter, kind in zip(letters, PieceKind, strict=True)
            }
            if list_counts(hand):
                found.append(Tray(side, name_hand(_SIDES[side]), list_counts(hand), True))
            if list_counts(lost) and not kerak.building:
                found.append(Tray(side, name_lost(_SIDES[side]), list_counts(lost)))
        return found

    def find_marked(self, position: Position) -> Sequence[str]:
        """Nothing: there are no secrets."""
        return ()


def _kerak(position: Position) -> Kerak:
    if not isinstance(position, Kerak):
        raise TypeError(f"not a position of Kerak: {position!r}")
    return position
