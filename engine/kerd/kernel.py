"""A position of Kerd or Kerd Draft that is played on; compiled with `kernel.pxd`.

Squares, pieces and choices are the integers of `engine.kerd.board`, actions those of
`engine.kerd.action`. What may be known of a position is decided in `engine.kerd.knowledge`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast

from engine.errors import IllegalAction
from engine.kerd import board as tables
from engine.kerd.attacks import in_check
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
from engine.kerd.generation import has_been_in_check, list_actions, list_moves_to, mover_in_check
from engine.kerd.legality import is_safe, keep_legal, push_if_legal
from engine.kerd.making import pop, push, put_piece
from engine.kerd.moves import ActionList
from engine.kerd.rules import Rules
from engine.kerd.state import State
from engine.outcome import Outcome, Termination
from engine.position import MAX_DEPTH as DEEPEST
from engine.position import Action
from engine.side import Side

MAX_DEPTH: Final[int] = DEEPEST
SQUARES: Final = list(tables.SQUARES)
AS_WRITTEN: Final = list(tables.AS_WRITTEN)
POOL: Final = [colour | kind for colour in (WHITE, BLACK) for kind in BROUGHT_BACK]
LARGEST: Final = 1 << 26


class Position:
    """A position that owns its state. See `engine.position.Position`.

    `engine.kerd.setup.set_up` makes positions from values.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.actions: ActionList = ActionList()  # reused from call to call

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
        """Become the position of these values, which `engine.kerd.setup` has checked."""
        state = self.state
        for at in SQUARES:
            piece = pieces.get(at, EMPTY)
            put_piece(state, at, piece)
            if piece & KIND == KING:
                state.kings[0 if piece & WHITE else 1] = at
        state.side = side
        state.rights = rights
        state.recapture = recapture
        state.choices[0], state.choices[1] = choices
        state.checked = 1 if checked else 2
        for piece, count in pool.items():
            state.pool[piece] = count
        state.number = number

    def copy(self) -> Position:
        """An equal position, with no action to take back."""
        return Position(self.state.copy())

    @property
    def rules(self) -> Rules:
        """The rules that it is played under."""
        return self.state.rules

    @property
    def side(self) -> int:
        """See `engine.position.Position.side`."""
        return self.state.side

    @property
    def number(self) -> int:
        """See `engine.position.Position.number`."""
        return self.state.number

    @property
    def recapture(self) -> int:
        """The square where the last move took a Pawn, else 0."""
        return self.state.recapture

    def key(self) -> tuple[object, ...]:
        """See `engine.position.Position.key`."""
        state = self.state
        return (
            bytes([state.board[at] for at in SQUARES]),
            state.side,
            state.rights,
            state.recapture,
            state.choices[0],
            state.choices[1],
            self.checked,
            tuple(self.pool_of(side, kind) for side in range(2) for kind in BROUGHT_BACK),
            state.number,
            state.rules,
        )

    def pack(self) -> bytes:
        """All that tells this position from another, except the number, choices and rules.

        The first 144 bytes are the pieces in the order in which position strings write them.
        """
        state = self.state
        packed = [0] * 161
        for i in range(144):
            packed[i] = state.board[AS_WRITTEN[i]]
        packed[144] = state.side
        packed[145] = state.rights
        packed[146] = state.recapture
        if state.promotion:
            for i in range(14):
                packed[147 + i] = state.pool[POOL[i]]
        if self.checked:
            packed[144] |= 2
        return bytes(packed[:161])

    def points(self) -> tuple[int, int] | None:
        """None: Kerd counts no points."""
        return None

    def piece_at(self, square: int) -> int:
        """The piece on a square with its `FRESH`, or EMPTY; IndexError beyond the cells."""
        if not 0 <= square < 256:
            raise IndexError(square)
        return self.state.board[square]

    def pool_of(self, side: int, kind: int) -> int:
        """How many removed pieces of a kind the side may bring back; never Kings or Pawns."""
        return self.state.pool[WHITE << side | kind] if self.state.promotion else 0

    def choice_of(self, side: int) -> int:
        """The side's choice of an infiltrator, as far as the engine knows it."""
        return self.state.choices[side]

    def choose(self, side: int, choice: int) -> None:
        """Set what is known of a side's choice, unchecked: a square or a state of `board`."""
        self.state.choices[side] = choice
        self.state.depth = 0

    def is_attacked(self, side: int) -> bool:
        """Whether the side's King is attacked; a captured one is not."""
        return in_check(self.state, side)

    @property
    def castlings(self) -> int:
        """The castlings whose King and Tower have not moved, as bits 1 << n."""
        return self.state.rights

    @property
    def checked(self) -> bool:
        """Whether either King has been in check so far."""
        return bool(has_been_in_check(self.state))

    def legal(self) -> list[Action]:
        """See `engine.position.Position.legal`."""
        state = self.state
        actions = self.actions
        list_actions(state, actions)
        keep_legal(state, actions)
        safe = [actions.items[i] for i in range(actions.count)]
        safe.sort()
        return cast("list[Action]", safe)

    def is_legal(self, action: Action) -> bool:
        """See `engine.position.Position.is_legal`."""
        if not (0 < action < LARGEST and push_if_legal(self.state, action, self.actions)):
            return False
        pop(self.state)
        return True

    def legal_to(self, kind: int, target: int, joint: bool = False) -> list[Action]:
        """The legal moves of one kind of piece to one square, ascending, without castlings.

        With `joint`, the joint advances that take a Commander there instead. None go to a number
        that is no square.
        """
        state = self.state
        actions = self.actions
        list_moves_to(state, kind, target, actions)
        attacked = mover_in_check(state)
        safe: list[int] = []
        for i in range(actions.count):
            action = actions.items[i]
            if (
                (action >> 8) & 255 == target
                and ((action >> 20) & 15 != 0) == joint
                and is_safe(state, action, attacked)
            ):
                safe.append(action)
        safe.sort()
        return cast("list[Action]", safe)

    def can_act(self) -> bool:
        """Whether there is a legal action."""
        state = self.state
        actions = self.actions
        list_actions(state, actions)
        attacked = mover_in_check(state)
        for i in range(actions.count):
            if is_safe(state, actions.items[i], attacked):
                return True
        return False

    def outcome(self) -> Outcome | None:
        """See `engine.position.Position.outcome`."""
        state = self.state
        if state.kings[state.side] == 0:
            return Outcome(Side(1 - state.side), Termination.KING_CAPTURED)
        return None if self.can_act() else self.outcome_without_actions()

    def can_win(self, side: int) -> bool:
        """See `engine.position.Position.can_win`.

        Ruling R36: all but a bare King that has no reveal left.
        """
        return self.has_army(side) or self.may_reveal(side)

    def has_army(self, side: int) -> bool:
        """Whether a side has any piece other than its King."""
        state = self.state
        own: int = WHITE << side
        for at in SQUARES:
            piece = state.board[at]
            if piece & COLOURS == own and piece & KIND != KING:
                return True
        return False

    def may_reveal(self, side: int) -> bool:
        """Whether a side could still reveal an infiltrator, even one that nobody knows."""
        state = self.state
        choice = state.choices[side]
        if choice != UNKNOWN:
            return is_square(choice)
        enemy: int = BLACK >> side
        for at in SQUARES:
            piece = state.board[at]
            if piece & COLOURS == enemy and piece & KIND <= LAST_ELIGIBLE:
                return True
        return False

    def outcome_without_actions(self) -> Outcome:
        """Mate or stalemate: the outcome where the side to move has a King and no legal action."""
        state = self.state
        if not state.king_is_captured and in_check(state, state.side):
            return Outcome(Side(1 - state.side), Termination.MATE)
        return Outcome(None, Termination.STALEMATE)  # Ruling R31

    def play(self, action: Action) -> None:
        """See `engine.position.Position.play`."""
        if not (0 < action < LARGEST and push_if_legal(self.state, action, self.actions)):
            raise IllegalAction(action)
        self.state.depth = 0

    def make(self, action: Action) -> None:
        """See `engine.position.Position.make`."""
        if self.state.depth == MAX_DEPTH:
            raise IndexError(self.state.depth)
        push(self.state, action)

    def unmake(self) -> None:
        """See `engine.position.Position.unmake`."""
        if self.state.depth == 0:
            raise IndexError(self.state.depth)
        pop(self.state)

    def perft(self, depth: int) -> int:
        """See `engine.position.Position.perft`."""
        if not 0 <= depth <= MAX_DEPTH:
            raise ValueError(depth)
        lists = [ActionList() for _ in range(depth)]
        return self.copy().count_nodes(depth, lists) if depth else 1

    def count_nodes(self, depth: int, lists: list[ActionList]) -> int:
        """Perft at a depth of at least 1; there is a list to use for each ply."""
        state = self.state
        actions = lists[depth - 1]
        list_actions(state, actions)
        keep_legal(state, actions)
        if depth == 1:
            return actions.count
        nodes: int = 0
        for i in range(actions.count):
            push(state, actions.items[i])
            nodes += self.count_nodes(depth - 1, lists)
            pop(state)
        return nodes
