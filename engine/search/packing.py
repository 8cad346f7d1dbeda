"""How an entry of the transposition table is packed into one non-negative integer of 59 bits.

From the lowest bit: a move (26 bits), a score (16, plus `SCORE_OFFSET`), the depth that it was
searched to (7), which kind of bound the score is (2), and the generation of the search (8).
"""

from __future__ import annotations

from typing import Final

MOVE_MASK: Final = (1 << 26) - 1
SCORE_SHIFT: Final = 26
DEPTH_SHIFT: Final = 42
BOUND_SHIFT: Final = 49
GENERATION_SHIFT: Final = 51
SCORE_OFFSET: Final = 32768
SCORE_MASK: Final = 0xFFFF
DEPTH_MASK: Final = 127

LOWER: Final = 1
UPPER: Final = 2
EXACT: Final = 3
