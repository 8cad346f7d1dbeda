"""How an entry of the transposition table is packed into one non-negative integer of 59 bits.

From the lowest bit: an action (26 bits), a score (16, plus `OFFSET`), the depth that it was
searched to (7), which bound the score is (2), and the age of the search (8).
"""

from __future__ import annotations

from typing import Final

ACTION: Final = (1 << 26) - 1
SCORE: Final = 26
DEPTH: Final = 42
BOUND: Final = 49
AGE: Final = 51
OFFSET: Final = 32768

LOWER: Final = 1
UPPER: Final = 2
EXACT: Final = 3
