"""Making actions and taking them back; compiled with `making.pxd`."""

from __future__ import annotations

from typing import Final

from engine.kerd import board as tables
from engine.kerd.action import Deed
from engine.kerd.board import EMPTY, KIND, KING, PAWN, PIECE, REVEALED, VOID, WHITE
from engine.kerd.generation import Generator
from engine.kerd.rules import Rules

AROUND: Final = list(tables.AROUND)
TOWER_HOME: Final = list(tables.TOWER_HOME)
TOWER_CASTLED: Final = list(tables.TOWER_CASTLED)
KING_CASTLED: Final = list(tables.KING_CASTLED)
# The castlings that a move from or to a square leaves possible.
KEEPS: Final = [
    sum(
        1 << n
        for n in range(tables.CASTLING_SIDES)
        if cell not in (tables.KING_HOME[n], tables.TOWER_HOME[n])
    )
    for cell in range(256)
]
CASTLE: Final = int(Deed.CASTLE)
REVEAL: Final = int(Deed.REVEAL)
EXECUTE: Final = int(Deed.EXECUTE)


class Maker(Generator):
    """A position that actions change; `number` is the full-move number of the next one."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.commander_avenged: int = int(rules.commander_avenged)
        self.number: int = 1
        # What `unmake` needs of each of the `depth` actions made, and of one more on trial.
        self.depth: int = 0
        self.made: list[int] = [0] * 65
        self.moved: list[int] = [0] * 65
        self.stood: list[int] = [0] * 65
        self.partners: list[int] = [0] * 65
        self.recaptures: list[int] = [0] * 65
        self.rights_before: list[int] = [0] * 65
        self.choices_before: list[int] = [0] * 130
        self.alarms: list[int] = [0] * 65

    def push(self, action: int) -> None:
        """`make` without the check of the depth."""
        side = self.side
        depth = self.depth
        origin = action & 255
        target = (action >> 8) & 255
        self.made[depth] = action
        self.moved[depth] = self.board[origin]
        self.stood[depth] = self.board[target]
        self.recaptures[depth] = self.recapture
        self.rights_before[depth] = self.rights
        self.choices_before[2 * depth] = self.choices[0]
        self.choices_before[2 * depth + 1] = self.choices[1]
        checked = self.has_checked()
        self.alarms[depth] = self.alarm
        self.alarm = 1 if checked else 2
        self.depth = depth + 1
        self.recapture = 0
        deed = action >> 24
        if deed == EXECUTE:
            self.remove(target, self.board[target])
            self.board[target] = EMPTY
        elif deed == REVEAL:
            # Ruling R21: it loses its first move, as any piece that is put anew on the board.
            self.board[target] = self.board[target] & KIND | WHITE << side
            self.choices[side] = REVEALED
        else:
            self.move(action, origin, target)
            if deed == CASTLE:
                self.move_tower(target)
            self.rights &= KEEPS[origin] & KEEPS[target]
        self.side = 1 - side
        self.number += side

    def move(self, action: int, origin: int, target: int) -> None:
        """Move a piece, with its partner and its promotion, and take what it captures."""
        board = self.board
        piece = board[origin]
        captured = board[target]
        partner = (action >> 20) & 15
        back = (action >> 16) & 15
        board[origin] = EMPTY
        if partner:
            beside = origin + AROUND[partner - 1]
            self.partners[self.depth - 1] = board[beside]
            board[beside] = EMPTY
            self.land(beside, beside + target - origin, PAWN, back)
        elif captured:
            self.remove(target, captured)
            if captured & KIND <= PAWN + self.commander_avenged:
                self.recapture = target
        if piece & KIND == KING:
            self.kings[self.side] = target
        self.land(origin, target, piece & KIND, 0 if partner else back)

    def land(self, origin: int, target: int, kind: int, back: int) -> None:
        """Put a piece of the side to move on its target, or one brought back in its stead.

        Ruling R23: the Pawn that is replaced goes where removed Pawns go, and counts no more.
        """
        other = 1 - self.side
        own = WHITE << self.side
        if back:
            self.pool[own | back] -= 1
        self.board[target] = own | (back if back else kind)
        # As it was: in a joint advance one piece may land where the other stood.
        if self.choices_before[2 * self.depth - 2 + other] == origin:
            self.choices[other] = VOID if back else target

    def remove(self, at: int, piece: int) -> None:
        """Count a piece that leaves the board, and void the choice that it was."""
        self.pool[piece & PIECE] += 1
        if self.choices[0] == at:
            self.choices[0] = VOID
        if self.choices[1] == at:
            self.choices[1] = VOID
        if piece & KIND == KING:
            self.kings[1 - self.side] = 0

    def move_tower(self, target: int) -> None:
        """The Tower's half of a castling whose King goes to the target."""
        for n in range(4):
            if KING_CASTLED[n] == target:
                self.board[TOWER_CASTLED[n]] = self.board[TOWER_HOME[n]]
                self.board[TOWER_HOME[n]] = EMPTY

    def pop(self) -> None:
        """`unmake` without the check of the depth."""
        board = self.board
        depth = self.depth - 1
        side = 1 - self.side
        action = self.made[depth]
        origin = action & 255
        target = (action >> 8) & 255
        captured = self.stood[depth]
        self.depth = depth
        self.side = side
        self.number -= side
        self.recapture = self.recaptures[depth]
        self.rights = self.rights_before[depth]
        self.choices[0] = self.choices_before[2 * depth]
        self.choices[1] = self.choices_before[2 * depth + 1]
        self.alarm = self.alarms[depth]
        if action >> 24 == EXECUTE:
            self.pool[captured & PIECE] -= 1
        elif action >> 24 != REVEAL:
            self.move_back(action, origin, target)
        board[target] = captured
        board[origin] = self.moved[depth]

    def move_back(self, action: int, origin: int, target: int) -> None:
        """Undo of `move` and `move_tower` what the pieces on origin and target are not part of."""
        board = self.board
        depth = self.depth
        captured = self.stood[depth]
        partner = (action >> 20) & 15
        back = (action >> 16) & 15
        if back:
            self.pool[WHITE << self.side | back] += 1
        if partner:
            beside = origin + AROUND[partner - 1]
            board[beside + target - origin] = EMPTY
            board[beside] = self.partners[depth]
        elif captured:
            self.pool[captured & PIECE] -= 1
            if captured & KIND == KING:
                self.kings[1 - self.side] = target
        if self.moved[depth] & KIND == KING:
            self.kings[self.side] = origin
            if action >> 24 == CASTLE:
                for n in range(4):
                    if KING_CASTLED[n] == target:
                        board[TOWER_HOME[n]] = board[TOWER_CASTLED[n]]
                        board[TOWER_CASTLED[n]] = EMPTY
