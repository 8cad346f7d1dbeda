"""What a position of Kerd consists of; compiled with `state.pxd`.

The modules beside this one are functions over it: `attacks`, `moves` and `generation` read it,
`making` changes it, and `legality` does both. `kernel` has the position built from them.
"""

from __future__ import annotations

from typing import Final

from engine.kerd.board import EMPTY, OFF, SQUARES
from engine.kerd.rules import Rules

EMPTY_BOARD: Final = [EMPTY if cell in SQUARES else OFF for cell in range(256)]


class State:
    """The pieces and all else that actions depend on, empty at first.

    - `board`: the pieces by square; `kings`: the Kings' squares, 0 for a lost one;
    - `occupied`: where White's pieces stand, at index 4 and after, and Black's, at index 8 and
      after: four numbers each, with one bit for each of 64 squares;
    - `side`: the side to move; `number`: the full-move number of the next action;
    - `recapture`: the square where the last move took a Pawn, else 0;
    - `pool`: how many pieces were removed, by colour and kind;
    - `choices`: the sides' choices of an infiltrator;
    - `rights`: the castlings whose King and Tower have not moved, one bit each;
    - `checked`: whether a King has been in check: 0 no, 1 yes, 2 yes if the mover's King is in
      check now, else no;
    - the `rules`, one number each.

    The other lists hold what `engine.kerd.making.pop` needs of each of the `depth` actions made,
    and of one more on trial.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.king_is_captured: int = int(rules.king_is_captured)
        self.captures_only: int = int(rules.region_binds_captures_only)
        self.commander_avenged: int = int(rules.commander_avenged)
        self.executions: int = int(rules.executions)
        self.promotion: int = int(rules.promotion)
        self.clear()

    def clear(self) -> None:
        """Empty the board and reset all else, except the rules."""
        self.board: list[int] = [OFF] * 256
        self.occupied: list[int] = [0] * 12
        self.kings: list[int] = [0] * 2
        self.pool: list[int] = [0] * 64
        self.choices: list[int] = [0] * 2
        self.side: int = 0
        self.number: int = 1
        self.recapture: int = 0
        self.rights: int = 0
        self.checked: int = 2
        self.depth: int = 0
        self.made: list[int] = [0] * 65
        self.moved: list[int] = [0] * 65
        self.stood: list[int] = [0] * 65
        self.partners: list[int] = [0] * 65
        self.recapture_before: list[int] = [0] * 65
        self.rights_before: list[int] = [0] * 65
        self.choices_before: list[int] = [0] * 130
        self.checked_before: list[int] = [0] * 65
        self.board[:] = EMPTY_BOARD

    def copy(self) -> State:
        """An equal state, with no action to take back."""
        twin = State.__new__(State)  # reading the rules again would take most of the time
        twin.rules = self.rules
        twin.king_is_captured = self.king_is_captured
        twin.captures_only = self.captures_only
        twin.commander_avenged = self.commander_avenged
        twin.executions = self.executions
        twin.promotion = self.promotion
        twin.clear()
        twin.board[:] = self.board
        twin.occupied[:] = self.occupied
        twin.kings[:] = self.kings
        twin.choices[:] = self.choices
        twin.pool[:] = self.pool
        twin.side = self.side
        twin.rights = self.rights
        twin.recapture = self.recapture
        twin.checked = self.checked
        twin.number = self.number
        return twin
