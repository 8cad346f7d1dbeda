"""A position of Kerd or Kerd Draft that is played on; compiled with `kernel.pxd`.

Squares, pieces and choices are the integers of `engine.kerd.board`, actions those of
`engine.kerd.action`. What may be known of a position is the affair of `engine.kerd.knowledge`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast

from engine.errors import IllegalAction
from engine.kerd import board as tables
from engine.kerd.board import (
    BROUGHT_BACK,
    EMPTY,
    KIND,
    KING,
    PAWN,
    PIECE,
    REVEALED,
    VOID,
    WHITE,
)
from engine.kerd.generation import Generator
from engine.kerd.rules import Rules
from engine.outcome import Outcome, Termination
from engine.position import MAX_DEPTH as DEEPEST
from engine.position import Action
from engine.side import Side

MAX_DEPTH: Final[int] = DEEPEST
SQUARES: Final = list(tables.SQUARES)
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
CASTLE: Final = 1
REVEAL: Final = 2
EXECUTE: Final = 3
LARGEST: Final = 1 << 26


class Position(Generator):
    """A position of Kerd under one set of rules, empty at first. See `engine.position.Position`.

    `engine.kerd.setup.set_up` makes real ones.
    """

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.king_is_captured: int = int(rules.king_is_captured)
        self.commander_avenged: int = int(rules.commander_avenged)
        self.number: int = 1
        # What `unmake` needs of each of the `depth` actions made.
        self.depth: int = 0
        self.made: list[int] = [0] * 64
        self.moved: list[int] = [0] * 64
        self.stood: list[int] = [0] * 64
        self.partners: list[int] = [0] * 64
        self.recaptures: list[int] = [0] * 64
        self.rights_before: list[int] = [0] * 64
        self.choices_before: list[int] = [0] * 128
        self.alarms: list[int] = [0] * 64

    def assign(
        self,
        pieces: Mapping[int, int],
        side: int,
        rights: int,
        recapture: int,
        choices: Sequence[int],
        checked: bool,
        pool: Mapping[int, int],
        number: int,
    ) -> None:
        """Become the position of these values, which `engine.kerd.setup` judges."""
        for at in SQUARES:
            piece = pieces.get(at, EMPTY)
            self.board[at] = piece
            if piece & KIND == KING:
                self.kings[0 if piece & WHITE else 1] = at
        self.side = side
        self.rights = rights
        self.recapture = recapture
        self.choices[0], self.choices[1] = choices
        self.alarm = 1 if checked else 2
        for piece, count in pool.items():
            self.pool[piece] = count
        self.number = number

    def copy(self) -> Position:
        """An equal position, with no action to take back."""
        twin = Position(self.rules)
        twin.board[:] = self.board
        twin.kings[:] = self.kings
        twin.choices[:] = self.choices
        twin.pool[:] = self.pool
        twin.side = self.side
        twin.rights = self.rights
        twin.recapture = self.recapture
        twin.alarm = self.alarm
        twin.number = self.number
        return twin

    def key(self) -> tuple[object, ...]:
        """See `engine.position.Position.key`."""
        return (
            bytes([self.board[at] for at in SQUARES]),
            self.side,
            self.rights,
            self.recapture,
            self.choices[0],
            self.choices[1],
            self.checked,
            tuple(self.pool_of(side, kind) for side in range(2) for kind in BROUGHT_BACK),
            self.number,
            self.rules,
        )

    def points(self) -> None:
        """Kerd counts no points."""
        return None

    def piece_at(self, square: int) -> int:
        """The piece on a square with its `FRESH`, or EMPTY; IndexError for what is no cell."""
        if not 0 <= square < 256:
            raise IndexError(square)
        return self.board[square]

    def pool_of(self, side: int, kind: int) -> int:
        """How many removed pieces of a kind the side may bring back; no King, no Pawn."""
        return self.pool[WHITE << side | kind] if self.promotion else 0

    def choice_of(self, side: int) -> int:
        """The side's choice of an infiltrator, to the engine's knowledge."""
        return self.choices[side]

    def choose(self, side: int, choice: int) -> None:
        """Set what is known of a side's choice; the caller answers for what it says."""
        self.choices[side] = choice
        self.depth = 0

    def is_attacked(self, side: int) -> bool:
        """Whether the side's King stands attacked; a captured one does not."""
        return self.in_check(side)

    @property
    def castlings(self) -> int:
        """The castlings whose King and Tower have not moved, as bits 1 << n."""
        return self.rights

    @property
    def checked(self) -> bool:
        """Whether either King has been in check so far."""
        return bool(self.has_checked())

    # The legal actions.

    def is_safe(self, action: int, in_check: bool) -> bool:
        """Whether an action, pseudo-legal here, is legal: it leaves the own King unattacked.

        `in_check` is whether the King is attacked now.
        """
        if self.king_is_captured or not (in_check or self.uncovers(action)):
            return True
        side = self.side
        self.push(action)
        safe = not self.in_check(side)
        self.pop()
        return safe

    def uncovers(self, action: int) -> bool:
        """Whether an action might leave a King attacked that is not attacked now.

        A piece that stands on no line with its King covers nothing, and where it arrives it
        only stands in the way; steps and leaps towards the King cannot be covered at all.
        """
        king = self.kings[self.side]
        origin = action & 255
        across = (origin & 15) - (king & 15)
        along = (origin >> 4) - (king >> 4)
        return across == 0 or along == 0 or across in (along, -along) or (action >> 20) & 15 != 0

    def legal(self) -> list[Action]:
        """See `engine.position.Position.legal`."""
        actions = self.generate()
        in_check = self.in_check(self.side)
        safe: list[int] = []
        for i in range(actions.count):
            if self.is_safe(actions.found[i], in_check):
                safe.append(actions.found[i])
        safe.sort()
        return cast("list[Action]", safe)

    def is_legal(self, action: Action) -> bool:
        """See `engine.position.Position.is_legal`."""
        return 0 < action < LARGEST and self.allows(action)

    def allows(self, action: int) -> bool:
        """Whether an action below LARGEST is legal."""
        actions = self.generate()
        for i in range(actions.count):
            if actions.found[i] == action:
                return self.is_safe(action, self.in_check(self.side))
        return False

    def legal_to(self, kind: int, target: int) -> list[Action]:
        """The legal moves of one kind of piece to one square, no castling or joint advance."""
        own = WHITE << self.side
        actions = self.generate()
        in_check = self.in_check(self.side)
        safe: list[int] = []
        for i in range(actions.count):
            action = actions.found[i]
            if (
                action >> 20 == 0
                and (action >> 8) & 255 == target
                and self.board[action & 255] & PIECE == own | kind
                and self.is_safe(action, in_check)
            ):
                safe.append(action)
        safe.sort()
        return cast("list[Action]", safe)

    def can_act(self) -> bool:
        """Whether there is a legal action."""
        actions = self.generate()
        in_check = self.in_check(self.side)
        for i in range(actions.count):
            if self.is_safe(actions.found[i], in_check):
                return True
        return False

    def can_only_reveal(self) -> bool:
        """Whether there are legal actions and all of them are reveals."""
        actions = self.generate()
        in_check = self.in_check(self.side)
        reveals = False
        for i in range(actions.count):
            action = actions.found[i]
            if self.is_safe(action, in_check):
                if action >> 24 != REVEAL:
                    return False
                reveals = True
        return reveals

    def outcome(self) -> Outcome | None:
        """See `engine.position.Position.outcome`."""
        if self.kings[self.side] == 0:
            return Outcome(Side(1 - self.side), Termination.KING_CAPTURED)
        return None if self.can_act() else self.ending()

    def ending(self) -> Outcome:
        """What it means that the side to move, its King on the board, can do nothing."""
        if not self.king_is_captured and self.in_check(self.side):
            return Outcome(Side(1 - self.side), Termination.MATE)
        return Outcome(None, Termination.STALEMATE)  # Ruling R31

    # Playing them.

    def play(self, action: Action) -> None:
        """See `engine.position.Position.play`."""
        if not self.is_legal(action):
            raise IllegalAction(action)
        self.depth = 0
        self.push(action)
        self.depth = 0

    def make(self, action: Action) -> None:
        """See `engine.position.Position.make`."""
        if self.depth == MAX_DEPTH:
            raise IndexError(self.depth)
        self.push(action)

    def unmake(self) -> None:
        """See `engine.position.Position.unmake`."""
        if self.depth == 0:
            raise IndexError(self.depth)
        self.pop()

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
        """Put a piece of the side to move on its target, or one brought back in its stead."""
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

    # Counting.

    def perft(self, depth: int) -> int:
        """See `engine.position.Position.perft`."""
        if not 0 <= depth <= MAX_DEPTH:
            raise ValueError(depth)
        return self.copy().count(depth) if depth else 1

    def count(self, depth: int) -> int:
        """Perft at a depth of at least 1."""
        actions = self.generate()
        if depth == 1 and self.king_is_captured:
            return actions.count
        in_check = self.in_check(self.side)
        nodes: int = 0
        for i in range(actions.count):
            action = actions.found[i]
            if self.is_safe(action, in_check):
                if depth == 1:
                    nodes += 1
                else:
                    self.push(action)
                    nodes += self.count(depth - 1)
                    self.pop()
        return nodes
