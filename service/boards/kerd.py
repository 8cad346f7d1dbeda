"""Kerd's board, which shows regions, promotion squares and castling (Ruling R37).

The regions are coloured; air squares have a cross. A promotion square has a corner in its side's
colour, and the squares of castling have a line at the edge of the board.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from engine.kerd.board import (
    AIR_REGION,
    FULL_SET,
    KING_CASTLED,
    LAND_REGION,
    SQUARES,
    TOWER_CASTLED,
    WATER_REGION,
    file_of,
    is_square,
    promotes_on,
    rank_of,
    region,
)
from engine.kerd.kernel import Position as Kerd
from engine.kerd.rules import Rules
from engine.position import Position
from notation.kerd.names import KIND_OF, LETTERS, NAMES, SPOKEN
from service.boards.board import Cell, Figure, Key, Label, Stroke, Tray, list_counts, name_lost
from service.boards.fields import Field
from service.boards.gains import Gain
from service.boards.kerd_fields import list_fields
from service.languages.texts import get_language, gettext, mark

CHOICE: Final = (mark("infiltrator"), mark("infiltrators"))
"""The names of the secret choices, collected for translation."""
CELL: Final = 40.0
MARGIN: Final = 20.0
SIGN: Final = 11
"""The size of the signs of promotion and castling."""
EDGE: Final = 2.5
"""The distance of the signs of castling from the edge of the board."""
_LOOKS: Final = {WATER_REGION: "water", LAND_REGION: "land", AIR_REGION: "air"}
_SIDES: Final = ("White", "Black")
_OWN: Final = ("first", "second")
_REGIONS: Final = (
    Key("cell water light", "M0 0h20v20h-20z", mark("water")),
    Key("cell land light", "M0 0h20v20h-20z", mark("land")),
    Key("cell air light", "M0 0h20v20h-20z", mark("air")),
)
_PROMOTION: Final = (
    Key("promotion first", "M4 4h12v12z", mark("White's Pawns promote here")),
    Key("promotion second", "M16 16h-12v-12z", mark("Black's Pawns promote here")),
)
_CASTLING: Final = (Key("castling", "M4 10h12", mark("King and Tower castle to here")),)


class KerdBoard:
    """See `service.boards.board.Board`; `rules` say whether there are promotion and castling."""

    width = height = 12 * CELL + 2 * MARGIN
    span = CELL
    sprite = "kerd.svg"
    letters = "".join(LETTERS.values()) + "".join(LETTERS.values()).lower()
    held_up = "BHJ"
    words: Mapping[str, str] = {
        "unit": mark("Pawns"),
        "choice": mark("infiltrator"),
        "choices": mark("infiltrators"),
        "choose": mark(
            "Pick the infiltrator: an enemy Pawn, Commander, Bishop, Hussar or Jumper. "
            "Nobody else learns it before you reveal it."
        ),
        "R": mark("Reveal the infiltrator on"),
        "X": mark("Execute the piece on"),
        "&": mark("Together with the Pawn on"),
        "&-": mark("The Commander alone"),
        "=": mark("Bring nothing back"),
        **{f"={letter}": f"Bring back a {SPOKEN[kind]}" for letter, kind in KIND_OF.items()},
    }
    done: Mapping[str, str] = {
        "R": mark("Infiltrator revealed on"),
        "X": mark("Piece executed on"),
    }

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._rows: dict[str, Sequence[Sequence[Cell]]] = {}

    @cached_property
    def legend(self) -> Sequence[Key]:
        """The regions, and the other signs that the variant has."""
        promotion = _PROMOTION if self.rules.promotion else ()
        castling = _CASTLING if self.rules.castling else ()
        return [*_REGIONS, *promotion, *castling]

    @cached_property
    def fields(self) -> Sequence[Field]:
        """Castling and bringing back, as far as the variant has them."""
        return list_fields(self.rules)

    @property
    def rows(self) -> Sequence[Sequence[Cell]]:
        """Ranks 12 to 1, with descriptions of the squares in the reader's language."""
        language = get_language()
        if language not in self._rows:
            cells = [self._make_cell(at) for at in SQUARES]
            rows = [cells[12 * rank : 12 * rank + 12] for rank in reversed(range(12))]
            self._rows[language] = rows
        return self._rows[language]

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
        """The shores, where one region borders on another, and the other signs."""
        edges = []
        for at in SQUARES:
            x, y = _find_corner(at)
            if file_of(at) < 11 and region(at) != region(at + 1):
                edges.append(f"M{x + CELL:g} {y:g}v{CELL:g}")
            if rank_of(at) < 11 and region(at) != region(at + 16):
                edges.append(f"M{x:g} {y:g}h{CELL:g}")
        return [Stroke("".join(edges), "shore"), *self._draw_promotion(), *self._draw_castling()]

    def _draw_promotion(self) -> Iterator[Stroke]:
        """A corner of each square on which a side promotes, ahead of its Pawns."""
        for side in range(2) if self.rules.promotion else ():
            corner = f"h{SIGN}v{SIGN}z" if side == 0 else f"h-{SIGN}v-{SIGN}z"
            far = (CELL - SIGN, 0.0) if side == 0 else (SIGN, CELL)
            corners = [
                f"M{x + far[0]:g} {y + far[1]:g}{corner}"
                for x, y in (_find_corner(at) for at in SQUARES if promotes_on(side, at))
            ]
            yield Stroke("".join(corners), f"promotion {_OWN[side]}")

    def _draw_castling(self) -> Iterator[Stroke]:
        """A line at the edge of the board below the squares to which King and Tower castle."""
        if self.rules.castling:
            lines = []
            for at in (*KING_CASTLED, *TOWER_CASTLED):
                x, y = _find_corner(at)
                edge = CELL - EDGE if rank_of(at) == 0 else EDGE
                lines.append(f"M{x + CELL / 2 - SIGN / 2:g} {y + edge:g}h{SIGN}")
            yield Stroke("".join(lines), "castling")

    def _make_cell(self, at: int) -> Cell:
        x, y = _find_corner(at)
        shade = "dark" if (file_of(at) + rank_of(at)) % 2 == 0 else "light"
        outline = f"M{x:g} {y:g}h{CELL:g}v{CELL:g}h-{CELL:g}z"
        look = f"{_LOOKS[region(at)]} {shade}"
        return Cell(NAMES[at], x + CELL / 2, y + CELL / 2, outline, look, self._describe_square(at))

    def _describe_square(self, at: int) -> str:
        """Describe what is special about a square, in words."""
        said = []
        if self.rules.promotion:
            said += [gettext(_PROMOTION[s].text) for s in range(2) if promotes_on(s, at)]
        if self.rules.castling and at in KING_CASTLED:
            said.append(gettext("the King castles to here"))
        if self.rules.castling and at in TOWER_CASTLED:
            said.append(gettext("the Tower castles to here"))
        return f"{NAMES[at]}, {gettext(_LOOKS[region(at)])}: {', '.join(said)}" if said else ""

    def read_figure(self, letter: str, cell: Cell | None) -> Figure:
        """A piece; capitals are White's."""
        side = int(letter.islower())
        kind = SPOKEN[KIND_OF[letter.upper()]]
        return Figure(f"kerd-{letter.upper()}", side, f"{_SIDES[side]} {kind}")

    def find_threatened(self, position: Position, standing: Mapping[str, str]) -> Sequence[str]:
        """The Kings that are attacked."""
        kerd = _kerd(position)
        return [
            name
            for name, letter in standing.items()
            if letter in "Kk" and kerd.is_attacked(int(letter == "k"))
        ]

    def fill_trays(
        self, position: Position, standing: Counter[str], gains: Sequence[Gain] = ()
    ) -> Sequence[Tray]:
        """Return the pieces off the board, by the side they belonged to.

        A piece that has changed sides is one too many for its new side, and does not count as
        missing.
        """
        lost: list[dict[str, int]] = [{}, {}]
        for kind in sorted(FULL_SET, reverse=True):
            own = LETTERS[kind], LETTERS[kind].lower()
            off = [FULL_SET[kind] - standing[letter] for letter in own]
            for side in range(2):
                turned = max(0, -off[1 - side])
                lost[side][own[side]] = off[side] - turned
        return [
            Tray(side, name_lost(_SIDES[side]), list_counts(lost[side]))
            for side in range(2)
            if list_counts(lost[side])
        ]

    def find_marked(self, position: Position) -> Sequence[str]:
        """The infiltrators that the position string names."""
        kerd = _kerd(position)
        choices = [kerd.choice_of(side) for side in range(2)]
        return [NAMES[choice] for choice in choices if is_square(choice)]


def _kerd(position: Position) -> Kerd:
    if not isinstance(position, Kerd):
        raise TypeError(f"not a position of Kerd: {position!r}")
    return position


def _find_corner(at: int) -> tuple[float, float]:
    """The upper left corner of a square."""
    return MARGIN + file_of(at) * CELL, MARGIN + (11 - rank_of(at)) * CELL
