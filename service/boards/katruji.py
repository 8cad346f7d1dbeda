"""Katruji's board: two hajats and the uczuda between them (rules page `katruji.md`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from engine.katruji.board import PRIVATE, SQUARES, hajat
from engine.position import Position
from notation.katruji.token import PIECES, SPOKEN, WORDS
from service.boards.board import Cell, Figure, Key, Label, Stroke, Tray, list_counts, name_captured
from service.boards.fields import EMPTY, MOVE, Field, Option, Part, make_points, make_side
from service.boards.gains import Gain
from service.languages.texts import mark

CELL: Final = 54.0
MARGIN: Final = 20.0
UCZUDA: Final = 8.0
"""The width of the canal between the hajats."""
_SIDES: Final = (mark("South"), mark("North"))
_DECLARED: Final = (
    Option("", mark("Not declared")),
    Option("s", mark("Declared by South")),
    Option("n", mark("Declared by North")),
)
_SPOKEN: Final = dict(zip(PIECES[PRIVATE:], SPOKEN[PRIVATE:], strict=True))
_WORTH: Final = dict(enumerate(_SPOKEN, PRIVATE))
"""The letters by the points that a capture brings, which are also the kinds' numbers."""


class KatrujiBoard:
    """See `service.boards.board.Board`."""

    width = 4 * CELL + 2 * MARGIN
    height = 8 * CELL + 2 * MARGIN + UCZUDA
    span = 46.0
    sprite = "katruji.svg"
    letters = "".join(_SPOKEN)
    held_up = ""
    legend: Sequence[Key] = ()
    fields: Sequence[Field] = (
        make_side("sn", _SIDES),
        make_points(_SIDES),
        Field(
            "undo",
            mark("The crossing move that may not be taken back"),
            [
                Part("cell", mark("From"), [Option("", mark("none"))], EMPTY),
                Part("cell", mark("To"), [Option("", mark("none"))], letters),
            ],
            "(?:-|([a-d][1-8])([a-d][1-8]))",
        ),
        Field(
            "clock",
            mark("Counter"),
            [
                Part("choice", mark("Kyan-A-Alka"), _DECLARED),
                Part("number", mark("Quiet moves, or the timer")),
                Part("several", mark("Word"), [Option("!", mark("Alka has been claimed"))]),
            ],
            r"([sn]?)(\d+)(!?)",
        ),
        MOVE,
    )
    words: Mapping[str, str] = {"unit": "points"} | {
        word: {"Kyan": "Declare Kyan-A-Alka", "Alka": "Claim Alka"}[word] for word in WORDS
    }
    done: Mapping[str, str] = {
        word: {"Kyan": "Kyan-A-Alka declared", "Alka": "Alka claimed"}[word] for word in WORDS
    }

    @cached_property
    def rows(self) -> Sequence[Sequence[Cell]]:
        """Ranks 8 to 1."""
        cells = [_make_cell(square) for square in SQUARES]
        return [cells[4 * rank : 4 * rank + 4] for rank in reversed(range(8))]

    @cached_property
    def labels(self) -> Sequence[Label]:
        """Files below and above, ranks at both sides."""
        right, bottom = self.width - MARGIN / 2, self.height - MARGIN / 2
        files = [
            Label("abcd"[n], MARGIN + (n + 0.5) * CELL, y)
            for n in range(4)
            for y in (MARGIN / 2, bottom)
        ]
        ranks = [
            Label(row[0].name[1:], x, row[0].y) for row in self.rows for x in (MARGIN / 2, right)
        ]
        return files + ranks

    @property
    def strokes(self) -> Sequence[Stroke]:
        """The uczuda."""
        top = MARGIN + 4 * CELL
        path = f"M{MARGIN:g} {top:g}h{4 * CELL:g}v{UCZUDA:g}h-{4 * CELL:g}z"
        return [Stroke(path, "uczuda")]

    def read_figure(self, letter: str, cell: Cell | None) -> Figure:
        """A piece, controlled by the side in whose hajat it stands."""
        side = int(cell is not None and "north" in cell.look)
        owner = f"{_SIDES[side]}'s " if cell else ""
        return Figure(f"katruji-{letter}", side, owner + _SPOKEN[letter])

    def find_threatened(self, position: Position, standing: Mapping[str, str]) -> Sequence[str]:
        """Nothing: no piece's capture ends the game."""
        return ()

    def fill_trays(
        self, position: Position, standing: Counter[str], gains: Sequence[Gain] = ()
    ) -> Sequence[Tray]:
        """Return the pieces that each side has captured in this game.

        The position alone does not say, since a promotion makes one piece of two. Each capture
        brings as many points as the piece is worth, and nothing else brings points.
        """
        letters: tuple[list[str], list[str]] = ([], [])
        for gain in gains:
            letters[gain.side].append(_WORTH[gain.points])
        return [
            Tray(side, name_captured(_SIDES[side]), list_counts(Counter(sorted(letters[side]))))
            for side in range(2)
            if letters[side]
        ]

    def find_marked(self, position: Position) -> Sequence[str]:
        """Nothing: there are no secrets."""
        return ()


def _make_cell(square: int) -> Cell:
    rank, file = divmod(square, 8)
    x = MARGIN + file * CELL
    y = MARGIN + (7 - rank) * CELL + (0 if hajat(square) else UCZUDA)
    shade = "dark" if (rank + file) % 2 == 0 else "light"
    outline = f"M{x:g} {y:g}h{CELL:g}v{CELL:g}h-{CELL:g}z"
    name = "abcd"[file] + str(rank + 1)
    return Cell(
        name, x + CELL / 2, y + CELL / 2, outline, f"{('south', 'north')[hajat(square)]} {shade}"
    )
