"""Quadrille's board, pieces and actions as the integers that the kernel computes with.

A square is 6 * (rank + 1) + file + 1 with rank and file 0 to 3, so a1 is 7 and d4 is 28; the margin
around the squares is OFF. A piece is its side's bit and its kind, an action origin << 6 | target.
"""

from __future__ import annotations

from typing import Final

EMPTY: Final = 0
PAWN: Final = 1
KING: Final = 2
KIND: Final = 3
WHITE: Final = 4
BLACK: Final = 8
OFF: Final = 64

SQUARES: Final = tuple(6 * rank + file for rank in range(1, 5) for file in range(1, 5))
"""a1 to d1, then a2 to d2, up to d4."""
START: Final = {7: PAWN, 8: PAWN, 9: KING, 10: PAWN}
"""White's first pieces by square; Black's are the same, rotated by 180°."""
