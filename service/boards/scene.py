"""A position ready to be drawn: the pieces by cell, with marks and names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from engine.outcome import Outcome
from engine.position import Position
from engine.variant import Variant
from notation.dialect import Dialect
from notation.fen import read_rows
from notation.registry import find_dialect
from service.boards.board import Board, Cell, Figure, Tray
from service.boards.gains import Gain
from service.boards.registry import find_board
from service.languages.texts import get_language, gettext

EMPTY: Final = " "
"""The sign for an empty cell where a position's cells are written one after the other."""
_CELL: Final = re.compile(r"[a-l][0-9]{1,2}")


@dataclass(frozen=True, slots=True)
class Scene:
    """A position and what to point out in it; cells are given by name.

    `letters` are those of the pieces. `number` is that of the move, `side` the one to act, `last`
    the cells where the last action began and ended. `threatened` are the cells of pieces whose
    capture would end the game, `marked` those that the position string singles out.
    """

    variant: Variant
    board: Board
    letters: Mapping[str, str]
    side: int
    number: int
    points: tuple[int, int] | None
    outcome: Outcome | None
    trays: Sequence[Tray]
    last: Sequence[str]
    threatened: Sequence[str]
    marked: Sequence[str]

    @property
    def standing(self) -> dict[str, Figure]:
        """The pieces by the cell they stand on, as they are drawn; computed again at each call."""
        cells, read = map_cells(self.board), self.board.read_figure
        return {name: read(letter, cells[name]) for name, letter in self.letters.items()}

    @property
    def title(self) -> str:
        """The game's name and whose turn it is, in words."""
        return f"{self.variant.name.replace('-', ' ').title()}: {self.turn}"

    @property
    def turn(self) -> str:
        """Whose turn it is, or how the game has ended by the rules, in words.

        For example `South to act, move 12`.
        """
        if self.outcome is None:
            side = gettext(self.variant.sides[self.side])
            return gettext("%(side)s to act, move %(number)s", side=side, number=self.number)
        winner, termination = self.outcome.winner, self.outcome.termination
        if winner is None:
            return gettext("draw: %(reason)s", reason=gettext(termination.value))
        side = gettext(self.variant.sides[winner])
        return gettext("%(side)s has won: %(reason)s", side=side, reason=gettext(termination.value))

    @property
    def description(self) -> str:
        """Every piece with its cell, by kind."""
        found: dict[str, list[str]] = {}
        for cell, figure in self.standing.items():
            found.setdefault(figure.spoken, []).append(cell)
        said = [f"{name} {', '.join(cells)}" for name, cells in sorted(found.items())]
        if self.threatened:
            said.append(gettext("threatened: %(cells)s", cells=", ".join(self.threatened)))
        return "; ".join(said) or gettext("empty board")


def make_scene(
    variant: str, fen: str, last: str | None = None, gains: Sequence[Gain] = ()
) -> Scene:
    """Make the scene of a position string; see `show_position`. Raises BadFen, UnknownVariant."""
    return show_position(variant, find_dialect(variant).read_fen(fen), last, gains)


def show_position(
    variant: str, position: Position, last: str | None = None, gains: Sequence[Gain] = ()
) -> Scene:
    """Make the scene that shows a position; `last` is the action that led to it.

    The action is in coordinate form. `gains` are the points that the game's actions have brought,
    if they are known. Raises UnknownVariant.
    """
    written, drawn = find_dialect(variant), find_board(variant)
    cells = map_cells(drawn)
    letters = read_letters(written, drawn, position)
    return Scene(
        variant=written.variant,
        board=drawn,
        letters=letters,
        side=position.side,
        number=position.number,
        points=position.points(),
        outcome=position.outcome(),
        trays=drawn.fill_trays(position, Counter(letters.values()), gains),
        last=[name for name in find_cells(last or "") if name in cells],
        threatened=drawn.find_threatened(position, letters),
        marked=drawn.find_marked(position),
    )


def find_cells(action: str) -> list[str]:
    """The cells that an action in coordinate form names, in order.

    >>> find_cells("f2f4&e2e4"), find_cells("I@c3"), find_cells("Kyan")
    (['f2', 'f4', 'e2', 'e4'], ['c3'], [])
    """
    return _CELL.findall(action)


def map_cells(drawn: Board) -> Mapping[str, Cell]:
    """The cells of a board by their names, in the order of the position string.

    Their titles are in the reader's language.
    """
    return _map_cells(drawn, get_language())


@cache
def _map_cells(drawn: Board, language: str) -> Mapping[str, Cell]:
    return {cell.name: cell for row in drawn.rows for cell in row}


def read_letters(written: Dialect, drawn: Board, position: Position) -> dict[str, str]:
    """The letters of a position's pieces by the cell they stand on."""
    letters = written.cells(written.identify(position)).decode()
    return {
        name: letter
        for name, letter in zip(map_cells(drawn), letters, strict=True)
        if letter != EMPTY
    }


def place_letters(drawn: Board, fen: str) -> dict[str, str]:
    """The letters of a position string by the cell they stand on; raises BadFen."""
    widths = [len(row) for row in drawn.rows]
    rows = read_rows(fen.partition(" ")[0], widths, drawn.letters)
    return {
        cell.name: letter
        for cells, letters in zip(drawn.rows, rows, strict=True)
        for cell, letter in zip(cells, letters, strict=True)
        if letter
    }
