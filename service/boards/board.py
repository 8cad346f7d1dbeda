"""The interface that each game's board implements, and the values that it returns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.position import Position
from service.boards.fields import Field
from service.boards.gains import Gain
from service.languages.texts import gettext


@dataclass(frozen=True, slots=True)
class Cell:
    """A square or space: its name, its centre and outline in units of the picture.

    `outline` is an SVG path. `look` lists the classes by which the style sheet colours it. `title`
    says what is special about it.
    """

    name: str
    x: float
    y: float
    outline: str
    look: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    """A coordinate at the board's edge, centred."""

    text: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line of the board itself: an SVG path and the classes that style it."""

    path: str
    look: str


@dataclass(frozen=True, slots=True)
class Key:
    """An entry of the legend: a colour or sign, and its meaning; `path` fits 20 by 20 units."""

    look: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Tray:
    """Pieces of a side that stand beside the board.

    `title` says what they are. `pieces` are letters of the position string with their numbers.
    `in_hand` says that they can still be placed.
    """

    side: int
    title: str
    pieces: tuple[tuple[str, int], ...]
    in_hand: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A piece as it is drawn and named: the symbol in the sprite, its side, and its name."""

    symbol: str
    side: int
    name: str

    @property
    def spoken(self) -> str:
        """The name in the reader's language; `name` is the same in all languages."""
        return gettext(self.name)


class Board(Protocol):
    """One game's board as the first side sees it."""

    def __hash__(self) -> int:
        """A game has one board, so that values computed from it can be cached."""

    @property
    def width(self) -> float:
        """The width of the picture in units."""

    @property
    def height(self) -> float:
        """The height of the picture in units."""

    @property
    def span(self) -> float:
        """The size at which a piece is drawn."""

    @property
    def sprite(self) -> str:
        """The file in `pieces/` with the symbols."""

    @property
    def rows(self) -> Sequence[Sequence[Cell]]:
        """The cells in the order in which the position string writes them."""

    @property
    def labels(self) -> Sequence[Label]:
        """The coordinates."""

    @property
    def strokes(self) -> Sequence[Stroke]:
        """The lines drawn over the cells and under the pieces."""

    @property
    def legend(self) -> Sequence[Key]:
        """The legend of the board's colours and signs."""

    @property
    def letters(self) -> str:
        """The letters of pieces in the first field of the position string."""

    @property
    def held_up(self) -> str:
        """The capital letters of the pieces that depend on a region of the board, or empty."""

    @property
    def fields(self) -> Sequence[Field]:
        """The fields of the position string after the pieces, in order."""

    @property
    def words(self) -> Mapping[str, str]:
        """The meanings of the parts of an action's coordinate form that are not squares, in words.

        `unit` is the unit of an evaluation. A game with secret choices has three more words:
        `choice` and `choices` are its names for one and several of them, `choose` says what one
        chooses from.
        """

    @property
    def done(self) -> Mapping[str, str]:
        """The words for a deed that was played, by its key in `words`."""

    def read_figure(self, letter: str, cell: Cell | None) -> Figure:
        """The piece that a letter stands for on a cell, or beside the board."""

    def find_threatened(self, position: Position, standing: Mapping[str, str]) -> Sequence[str]:
        """The cells of pieces that can be captured now and whose capture ends the game.

        `standing` are the letters by cell.
        """

    def fill_trays(
        self, position: Position, standing: Counter[str], gains: Sequence[Gain] = ()
    ) -> Sequence[Tray]:
        """Return the pieces beside the board, by tray; `standing` counts the letters on the board.

        `gains` are the points that the game's actions have brought, if they are known.
        """

    def find_marked(self, position: Position) -> Sequence[str]:
        """Cells whose piece the position string itself singles out (a known choice)."""


def list_counts(pieces: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """The letters that occur, with their numbers."""
    return tuple((letter, count) for letter, count in pieces.items() if count > 0)


def name_lost(side: str) -> str:
    """The title of a tray with the captured pieces of a side."""
    return gettext("%(side)s has lost", side=gettext(side))


def name_captured(side: str) -> str:
    """The title of a tray with the pieces that a side has captured."""
    return gettext("%(side)s has captured", side=gettext(side))


def name_hand(side: str) -> str:
    """The title of a tray with the pieces that a side can still place."""
    return gettext("%(side)s has in hand", side=gettext(side))
