"""A position as plain text, for a mail or a terminal, with a line for each row of the board."""

from __future__ import annotations

from service.boards.registry import find_board
from service.boards.scene import place_letters


def draw_text(variant: str, fen: str) -> str:
    """The rows of the board, each after the name of its first cell, with a dot for an empty cell.

    Rows of different lengths, as on a hexagonal board, are centred. Raises BadFen.

    >>> print(draw_text("katruji", "4/4/4/P3/O3/4/4/4 s 17-0 - 0 1").splitlines()[4])
    a4  O . . .
    """
    drawn = find_board(variant)
    standing = place_letters(drawn, fen)
    lines = [" ".join(standing.get(cell.name, ".") for cell in row) for row in drawn.rows]
    width = max(map(len, lines))
    labels = max(len(row[0].name) for row in drawn.rows)
    return "\n".join(
        f"{row[0].name:<{labels}}  {line.center(width)}".rstrip()
        for row, line in zip(drawn.rows, lines, strict=True)
    )
