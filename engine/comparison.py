"""What changes on a board from one position to the next; compiled with `comparison.pxd`.

A board is a byte for each cell, the same for all pieces of a kind.
"""

from __future__ import annotations

from typing import Final

NONE: Final = 255
"""The number of a byte that is no piece, such as that of an empty cell."""
ABSENT: Final = NONE  # as C knows it
END: Final = 0xFFFF
"""Marks the end of each board's changes."""


def add_changes(
    before: bytes, after: bytes, numbers: bytes, counts: bytearray, found: list[int]
) -> None:
    """Add to `found` which pieces have left their cells, and which have come, cell by cell.

    `numbers` has a number for each byte of a board, below the length of `counts`, or NONE. A piece
    with this number on a cell is noted as `cell * len(counts) + number`. `counts` are updated from
    the pieces of `before` to those of `after`. Raises ValueError for boards of different sizes and
    for too few numbers.
    """
    size = len(before)
    many = len(counts)
    if len(after) != size or len(numbers) != 256:
        raise ValueError((size, len(after), len(numbers)))
    old = before
    new = after
    number_of = numbers
    for cell in range(size):
        if old[cell] == new[cell]:
            continue
        gone = number_of[old[cell]]
        come = number_of[new[cell]]
        if gone != ABSENT:
            counts[gone] -= 1
            found.append(cell * many + gone)
        if come != ABSENT:
            counts[come] += 1
            found.append(cell * many + come)


def add_all_changes(
    before: bytes,
    boards: list[bytes],
    numbers: bytes,
    counts: bytearray,
    found: list[int],
    seen: set[bytes],
) -> None:
    """As `add_changes` from each board to the next one, with 0xFFFF after the changes of each.

    The counts at each board are added to `seen`.
    """
    known = b""
    for after in boards:
        add_changes(before, after, numbers, counts, found)
        found.append(END)
        if counts != known:
            known = bytes(counts)
            seen.add(known)
        before = after
