"""The drawings of a game's pieces in the tables of its rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from markdown_it.token import Token

from service.boards.board import Figure
from service.boards.registry import find_board
from service.boards.svg import load_symbols, use

COLUMN = "piece"
"""The heading of the column in which pieces are named, in English."""
SPAN = 40


def load_drawings(variant: str) -> str:
    """An invisible element with the drawings of all pieces, to which `<use>` refers."""
    symbols = load_symbols(find_board(variant).sprite).values()
    return f'<svg class="unseen" aria-hidden="true"><defs>{"".join(symbols)}</defs></svg>'


def find_pieces(variant: str, english: Sequence[Token]) -> dict[int, list[Figure]]:
    """The pieces named in the tables of an English page, by their cells' numbers in the page."""
    return {
        number: find_figures(variant, cell.content)
        for number, (column, cell) in enumerate(_find_cells(english))
        if column == COLUMN
    }


def add_pictures(
    variant: str, tokens: Sequence[Token], pieces: Mapping[int, Sequence[Figure]]
) -> None:
    """Put drawings before the names of pieces, whatever these are in the page's language."""
    for number, (_, cell) in enumerate(_find_cells(tokens)):
        pictures = "".join(_draw(variant, figure) for figure in pieces.get(number, ()))
        if cell.children and pictures:
            drawn = Token("html_inline", "", 0, content=f'<span class="drawn">{pictures}</span> ')
            cell.children.insert(0, drawn)


def find_figures(variant: str, name: str) -> list[Figure]:
    """The piece with this name as drawn for each side, or once if it is the same for both."""
    board = find_board(variant)
    figures = [board.read_figure(letter, None) for letter in board.letters]
    return [one for one in figures if one.name == name or one.name.endswith(f" {name}")]


def _find_cells(tokens: Sequence[Token]) -> Iterator[tuple[str, Token]]:
    """The cells of all tables: the heading of the column, and the contents."""
    columns: list[str] = []
    at = 0
    for token, inner in pairwise(tokens):
        if token.type == "table_open":
            columns = []
        elif token.type == "tr_open":
            at = 0
        elif token.type == "th_open":
            columns.append(inner.content)
        elif token.type == "td_open":
            yield columns[at], inner
            at += 1


def _draw(variant: str, figure: Figure) -> str:
    picture = use(figure, SPAN / 2, SPAN / 2, SPAN)
    box = f'viewBox="0 0 {SPAN} {SPAN}" aria-hidden="true"'
    return f'<svg class="board {variant}" {box}>{picture}</svg>'
