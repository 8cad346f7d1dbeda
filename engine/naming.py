"""How notation and a game's kernel exchange actions that are named by only a part of them.

A *reading* is what a token says of an action, whatever the position: one integer. A negative
reading names all of the action: it is the action with a minus. A positive one names a piece's move
by these parts:

- bits 0 to 3, the kind of piece that moves; 0 for any piece on an origin that is named in full;
- from MADE on, four bits for the piece that a promotion makes; 0 where none is named;
- from TARGET on, eight bits for the target;
- from FROM_FILE and FROM_RANK on, four bits each for the origin's file and rank, numbered above 0
  as the kernel says; 0 where they are not named;
- from PARTNER on, four bits for what moves with it, as the kernel of a game with such moves says.

Where a game has castlings, the kinds SHORT and LONG are the whole reading.

A token that has no reading known to the kernel, or several, is read as 0.

A *description* (called `told` in code) is all that notation writes of an action that was found:
the action itself in the bits below TOLD, which no action exceeds; then the kind of piece that moves
and what a promotion makes of it, as in a reading, and the flags below.
"""

from __future__ import annotations

from typing import Final

KIND: Final = 15
"""The bits of a kind of piece."""
MADE: Final = 4
TARGET: Final = 8
FROM_FILE: Final = 16
FROM_RANK: Final = 20
PARTNER: Final = 24
SHORT: Final = 14
LONG: Final = 15

CAPTURE: Final = 1 << 8
FILE: Final = 1 << 9
"""The origin's file tells the move from those of other pieces of its kind to its target."""
RANK: Final = 1 << 10
"""The origin's rank does so; with FILE set too, both are needed."""
CHECK: Final = 1 << 11
"""The action attacks the enemy King."""
END: Final = 1 << 12
"""The action captures the enemy's King or Castle, or mates."""
TOLD: Final = 26
ACTION: Final = (1 << TOLD) - 1
"""The bits of the action."""

SEVERAL: Final = -1
"""Returned in place of an action where several fit a reading."""
