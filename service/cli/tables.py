"""Tables of text, for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from unicodedata import east_asian_width


def format_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows under a header, in columns; columns of numbers are right-aligned.

    >>> print(format_table(["name", "points"], [["Ada", 2], ["Bo", 10]]))
    name  points
    Ada        2
    Bo        10
    """
    lines = [[_format_cell(cell) for cell in row] for row in rows]
    columns = list(zip(header, *lines, strict=True))
    right = [all(_is_number(cell) for cell in column[1:]) for column in columns]
    widths = [max(map(_measure, column)) for column in columns]
    return "\n".join(
        "  ".join(
            _pad(cell, width, to_right)
            for cell, width, to_right in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in [list(header), *lines]
    )


def _format_cell(cell: object) -> str:
    return "" if cell is None else str(cell)


def _is_number(text: str) -> bool:
    return not text.strip("-.0123456789")


def _measure(text: str) -> int:
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def _pad(text: str, width: int, to_right: bool) -> str:
    blanks = " " * (width - _measure(text))
    return blanks + text if to_right else text + blanks
