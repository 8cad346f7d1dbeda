"""Kerd's board: three regions in colour, the air a cross (rules page `kerd.md`, Regions)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from engine.kerd.board import (
    FULL_SET,
    LAND_REGION,
    SQUARES,
    WATER_REGION,
    file_of,
    is_square,
    rank_of,
    region,
)
from engine.kerd.kernel import Position as Kerd
from engine.position import Position
from notation.kerd.names import KIND_OF, LETTERS, NAMES, SPOKEN
from service.boards.board import Cell, Figure, Label, Stroke, Tray, counted
from service.boards.past import Past

CELL: Final = 40.0
MARGIN: Final = 20.0
_LOOKS: Final = {WATER_REGION: "water", LAND_REGION: "land"}
_SIDES: Final = ("White", "Black")


class KerdBoard:
    """See `service.boards.board.Board`."""

    width = height = 12 * CELL + 2 * MARGIN
    span = CELL
    sprite = "kerd.svg"
    letters = "".join(LETTERS.values()) + "".join(LETTERS.values()).lower()
    words: Mapping[str, str] = {
        "choice": "infiltrator",
        "choose": "Pick the infiltrator: an enemy Pawn, Commander, Bishop, Hussar or Jumper. "
        "Nobody else learns it before you reveal it.",
        "R": "Reveal the infiltrator on",
        "X": "Execute the piece on",
        **{f"={letter}": f"Bring back a {SPOKEN[kind]}" for letter, kind in KIND_OF.items()},
    }

    @cached_property
    def rows(self) -> Sequence[Sequence[Cell]]:
        """Ranks 12 to 1."""
        cells = [_cell(at) for at in SQUARES]
        return [cells[12 * rank : 12 * rank + 12] for rank in reversed(range(12))]

    @cached_property
    def labels(self) -> Sequence[Label]:
        """Files below and above, ranks at both sides."""
        far = self.width - MARGIN / 2
        found = []
        for n in range(12):
            at = MARGIN + (n + 0.5) * CELL
            found += [Label("abcdefghijkl"[n], at, y) for y in (far, MARGIN / 2)]
            found += [Label(str(n + 1), x, self.height - at) for x in (MARGIN / 2, far)]
        return found

    @cached_property
    def strokes(self) -> Sequence[Stroke]:
        """The shores: where one region ends and another begins."""
        edges = []
        for at in SQUARES:
            x, y = _corner(at)
            if file_of(at) < 11 and region(at) != region(at + 1):
                edges.append(f"M{x + CELL:g} {y:g}v{CELL:g}")
            if rank_of(at) < 11 and region(at) != region(at + 16):
                edges.append(f"M{x:g} {y:g}h{CELL:g}")
        return [Stroke("".join(edges), "shore")]

    def figure(self, letter: str, cell: Cell | None) -> Figure:
        """A piece; capitals are White's."""
        side = int(letter.islower())
        kind = SPOKEN[KIND_OF[letter.upper()]]
        return Figure(f"kerd-{letter.upper()}", side, f"{_SIDES[side]} {kind}")

    def threatened(self, position: Position, standing: Mapping[str, str]) -> Sequence[str]:
        """The Kings that are attacked."""
        kerd = _kerd(position)
        return [
            name
            for name, letter in standing.items()
            if letter in "Kk" and kerd.is_attacked(int(letter == "k"))
        ]

    def trays(
        self, position: Position, standing: Counter[str], past: Past | None = None
    ) -> Sequence[Tray]:
        """What is off the board, by the side that the pieces belonged to.

        A piece that has changed sides makes one too many of the other side's, and is not missing.
        """
        lost: list[dict[str, int]] = [{}, {}]
        for kind in sorted(FULL_SET, reverse=True):
            own = LETTERS[kind], LETTERS[kind].lower()
            off = [FULL_SET[kind] - standing[letter] for letter in own]
            for side in range(2):
                turned = max(0, -off[1 - side])
                lost[side][own[side]] = off[side] - turned
        return [
            Tray(side, f"{_SIDES[side]} has lost", counted(lost[side]))
            for side in range(2)
            if counted(lost[side])
        ]

    def marked(self, position: Position) -> Sequence[str]:
        """The infiltrators that the position string names."""
        kerd = _kerd(position)
        choices = [kerd.choice_of(side) for side in range(2)]
        return [NAMES[choice] for choice in choices if is_square(choice)]


def _kerd(position: Position) -> Kerd:
    if not isinstance(position, Kerd):
        raise TypeError(f"not a position of Kerd: {position!r}")
    return position


def _corner(at: int) -> tuple[float, float]:
    """The upper left corner of a square."""
    return MARGIN + file_of(at) * CELL, MARGIN + (11 - rank_of(at)) * CELL


def _cell(at: int) -> Cell:
    x, y = _corner(at)
    shade = "dark" if (file_of(at) + rank_of(at)) % 2 == 0 else "light"
    outline = f"M{x:g} {y:g}h{CELL:g}v{CELL:g}h-{CELL:g}z"
    look = f"{_LOOKS.get(region(at), 'air')} {shade}"
    return Cell(NAMES[at], x + CELL / 2, y + CELL / 2, outline, look)
