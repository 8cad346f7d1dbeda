"""A position of Kerd or Kerd Draft that is played on; compiled with `kernel.pxd`.

Squares, pieces and choices are the integers of `engine.kerd.board`, actions those of
`engine.kerd.action`. What may be known of a position is the affair of `engine.kerd.knowledge`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast

from engine.errors import IllegalAction
from engine.kerd import board as tables
from engine.kerd.action import Deed
from engine.kerd.board import (
    BLACK,
    BROUGHT_BACK,
    COLOURS,
    EMPTY,
    KIND,
    KING,
    LAST_ELIGIBLE,
    UNKNOWN,
    WHITE,
    is_square,
)
from engine.kerd.making import Maker
from engine.kerd.moves import Actions
from engine.kerd.rules import Rules
from engine.outcome import Outcome, Termination
from engine.position import MAX_DEPTH as DEEPEST
from engine.position import Action
from engine.side import Side

MAX_DEPTH: Final[int] = DEEPEST
SQUARES: Final = list(tables.SQUARES)
REVEAL: Final = Deed.REVEAL << 24
EXECUTE: Final = Deed.EXECUTE << 24
LARGEST: Final = 1 << 26


class Position(Maker):
    """A position of Kerd under one set of rules, empty at first. See `engine.position.Position`.

    `engine.kerd.setup.set_up` makes real ones.
    """

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.king_is_captured: int = int(rules.king_is_captured)
        # Those that were asked about last.
        self.actions: Actions = Actions()

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

    def points(self) -> tuple[int, int] | None:
        """None: Kerd counts no points."""
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

        Ruling R29: reveals and executions, too. `in_check` is whether the King is attacked now.
        """
        if not self.risks(action, in_check):
            return True
        side = self.side
        self.push(action)
        safe = not self.in_check(side)
        self.pop()
        return safe

    def risks(self, action: int, in_check: bool) -> bool:
        """Whether an action might leave the own King attacked where that makes it illegal."""
        return not self.king_is_captured and (in_check or self.uncovers(action))

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
        actions = self.actions
        self.fill(actions)
        in_check = self.threatened()
        safe: list[int] = []
        for i in range(actions.count):
            if self.is_safe(actions.found[i], in_check):
                safe.append(actions.found[i])
        safe.sort()
        return cast("list[Action]", safe)

    def is_legal(self, action: Action) -> bool:
        """See `engine.position.Position.is_legal`."""
        if not (0 < action < LARGEST and self.attempt(action)):
            return False
        self.pop()
        return True

    def attempt(self, action: int) -> bool:
        """Push an action below LARGEST that is legal; of another, False, and nothing changes."""
        self.fill_like(action, self.actions)
        if not self.actions.holds(action):
            return False
        risky = self.risks(action, self.threatened())
        side = self.side
        self.push(action)
        if risky and self.in_check(side):
            self.pop()
            return False
        return True

    def legal_to(self, kind: int, target: int, joint: bool = False) -> list[Action]:
        """The legal moves of one kind of piece to one square, ascending; castlings are others.

        With `joint` the joint advances that take a Commander there instead. None go to what is
        no square.
        """
        actions = self.actions
        self.fill_to(kind, target, actions)
        in_check = self.threatened()
        safe: list[int] = []
        for i in range(actions.count):
            action = actions.found[i]
            if (
                (action >> 8) & 255 == target
                and ((action >> 20) & 15 != 0) == joint
                and self.is_safe(action, in_check)
            ):
                safe.append(action)
        safe.sort()
        return cast("list[Action]", safe)

    def can_act(self) -> bool:
        """Whether there is a legal action."""
        actions = self.actions
        self.fill(actions)
        in_check = self.threatened()
        for i in range(actions.count):
            if self.is_safe(actions.found[i], in_check):
                return True
        return False

    def can_only_reveal(self) -> bool:
        """Whether there are legal actions and all of them are reveals."""
        legal = self.legal()  # ascending, so what is done is, too
        return len(legal) > 0 and legal[0] >= REVEAL and legal[len(legal) - 1] < EXECUTE

    def outcome(self) -> Outcome | None:
        """See `engine.position.Position.outcome`."""
        if self.kings[self.side] == 0:
            return Outcome(Side(1 - self.side), Termination.KING_CAPTURED)
        return None if self.can_act() else self.ending()

    def can_win(self, side: int) -> bool:
        """See `engine.position.Position.can_win`.

        Ruling R36: all but a bare King that has no reveal left.
        """
        return self.has_army(side) or self.may_reveal(side)

    def has_army(self, side: int) -> bool:
        """Whether a side has another piece than its King."""
        own: int = WHITE << side
        for at in SQUARES:
            piece = self.board[at]
            if piece & COLOURS == own and piece & KIND != KING:
                return True
        return False

    def may_reveal(self, side: int) -> bool:
        """Whether a side could still reveal an infiltrator, if only one that nobody knows of."""
        choice = self.choices[side]
        if choice != UNKNOWN:
            return is_square(choice)
        enemy: int = BLACK >> side
        for at in SQUARES:
            piece = self.board[at]
            if piece & COLOURS == enemy and piece & KIND <= LAST_ELIGIBLE:
                return True
        return False

    def ending(self) -> Outcome:
        """What it means that the side to move, its King on the board, can do nothing."""
        if not self.king_is_captured and self.in_check(self.side):
            return Outcome(Side(1 - self.side), Termination.MATE)
        return Outcome(None, Termination.STALEMATE)  # Ruling R31

    # Playing them.

    def play(self, action: Action) -> None:
        """See `engine.position.Position.play`."""
        if not (0 < action < LARGEST and self.attempt(action)):
            raise IllegalAction(action)
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

    # Counting.

    def perft(self, depth: int) -> int:
        """See `engine.position.Position.perft`."""
        if not 0 <= depth <= MAX_DEPTH:
            raise ValueError(depth)
        return self.copy().count(depth) if depth else 1

    def count(self, depth: int) -> int:
        """Perft at a depth of at least 1."""
        actions = Actions()
        self.fill(actions)
        if depth == 1 and self.king_is_captured:
            return actions.count
        in_check = self.threatened()
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
