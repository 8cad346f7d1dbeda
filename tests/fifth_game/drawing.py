"""Quadrille's board as it is drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from engine.position import Position
from service.boards.board import Cell, Figure, Key, Label, Stroke, Tray, list_counts
from service.boards.fields import MOVE, Field, make_side
from service.boards.gains import Gain
from tests.fifth_game.board import KIND, KING, SQUARES
from tests.fifth_game.dialect import NAMES
from tests.fifth_game.kernel import Position as Quadrille

CELL: Final = 54.0
MARGIN: Final = 20.0
SPOKEN: Final = {"P": "White Pawn", "K": "White King", "p": "Black Pawn", "k": "Black King"}


class QuadrilleBoard:
    """See `service.boards.board.Board`."""

    width = 4 * CELL + 2 * MARGIN
    height = 4 * CELL + 2 * MARGIN
    span = 46.0
    sprite = "quadrille.svg"
    letters = "".join(SPOKEN)
    legend: Sequence[Key] = ()
    strokes: Sequence[Stroke] = ()
    words: Mapping[str, str] = {}
    fields: Sequence[Field] = (make_side("wb", ("White", "Black")), MOVE)

    @property
    def rows(self) -> Sequence[Sequence[Cell]]:
        """Ranks 4 to 1."""
        cells = [_make_cell(at) for at in SQUARES]
        return [cells[4 * rank : 4 * rank + 4] for rank in reversed(range(4))]

    @property
    def labels(self) -> Sequence[Label]:
        """Files below, ranks on the left."""
        files = [
            Label("abcd"[n], MARGIN + (n + 0.5) * CELL, self.height - MARGIN / 2) for n in range(4)
        ]
        return files + [Label(row[0].name[1:], MARGIN / 2, row[0].y) for row in self.rows]

    def read_figure(self, letter: str, cell: Cell | None) -> Figure:
        """A piece by its letter; White's are capitals."""
        side = int(letter.islower())
        return Figure(f"quadrille-{letter}", side, SPOKEN[letter])

    def find_threatened(self, position: Position, standing: Mapping[str, str]) -> Sequence[str]:
        """The King of the side that has moved, if it can be captured."""
        if not isinstance(position, Quadrille):
            raise TypeError(position)
        targets = {action & 63 for action in position.legal()}
        return [NAMES[at] for at in targets if position.piece_at(at) & KIND == KING]

    def fill_trays(
        self, position: Position, standing: Counter[str], gains: Sequence[Gain] = ()
    ) -> Sequence[Tray]:
        """The Pawns that each side has captured."""
        taken = [{"p": 3 - standing["p"]}, {"P": 3 - standing["P"]}]
        names = ("White", "Black")
        return [
            Tray(side, f"{names[side]} has captured", list_counts(taken[side]))
            for side in range(2)
            if list_counts(taken[side])
        ]

    def find_marked(self, position: Position) -> Sequence[str]:
        """Nothing: there are no secrets."""
        return ()


def _make_cell(at: int) -> Cell:
    x, y = MARGIN + (at % 6 - 1) * CELL, MARGIN + (4 - at // 6) * CELL
    shade = "dark" if (at // 6 + at % 6) % 2 == 0 else "light"
    outline = f"M{x:g} {y:g}h{CELL:g}v{CELL:g}h-{CELL:g}z"
    return Cell(NAMES[at], x + CELL / 2, y + CELL / 2, outline, shade)
