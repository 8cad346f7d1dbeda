"""Kerak's positions: whose turn it is, what may be done, how it ends (rules page `kerak.md`).

Plain typed Python in flat style; `kernel.pxd` gives it C types where a compiler is at hand.

Actions are integers as `engine.kerak.action` packs them; spaces, sets of spaces and pieces are as
`engine.kerak.field` has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

from engine import bits
from engine.errors import IllegalAction
from engine.kerak import action as packing
from engine.kerak import board as geometry
from engine.kerak import pieces as table
from engine.kerak.field import Field
from engine.kerak.validity import FULL_HAND, check_values
from engine.outcome import Outcome, Termination
from engine.position import MAX_DEPTH, Action
from engine.side import Side

EMPTY: Final = table.EMPTY
RED: Final = table.RED
BLUE: Final = table.BLUE
BOTH: Final = RED | BLUE
INFANTRY: Final = int(table.PieceKind.INFANTRY)
CASTLE: Final = int(table.PieceKind.CASTLE)
KIND: Final = 7
SPACES: Final = geometry.SPACES
PASS: Final = int(packing.PASS)
DEEPEST: Final = MAX_DEPTH

VALUE: Final = [*table.VALUE, 0]
HOME: Final = list(geometry.HOME)
AS_WRITTEN: Final = list(geometry.AS_WRITTEN)


class Position(Field):
    """A position of Kerak (`engine.position.Position`)."""

    def __init__(
        self,
        placement: Mapping[int, int],
        side: int = 0,
        hand: Mapping[int, int] = {},
        points: tuple[int, int] = (0, 0),
        number: int = 1,
    ) -> None:
        """The position of these values, described in `engine.kerak.validity.check_values`.

        Raises InvalidPosition.
        """
        check_values(placement, side, hand, points, number)
        self.clear()
        self.side: int = side
        self.number: int = number
        for space, piece in placement.items():
            self.put_piece(space, piece)
        for piece, count in hand.items():
            self.hand[piece] = count
            self.unplaced[piece & BLUE != 0] += count
        self.score[0] = points[0]
        self.score[1] = points[1]

    def clear(self) -> None:
        self.clear_board()
        self.hand: list[int] = [0] * 24
        self.unplaced: list[int] = [0] * 2
        self.score: list[int] = [0] * 2
        self.made: list[int] = [0] * 64
        self.depth: int = 0

    def copy(self) -> Position:
        """An equal position that shares nothing with this one and has nothing to unmake."""
        other = Position.__new__(Position)
        other.clear()
        other.side = self.side
        other.number = self.number
        for i in range(SPACES):
            other.board[i] = self.board[i]
        for i in range(24):
            other.men[i] = self.men[i]
            other.hand[i] = self.hand[i]
        for i in range(3):
            other.armies[i] = self.armies[i]
        for i in range(2):
            other.unplaced[i] = self.unplaced[i]
            other.score[i] = self.score[i]
        return other

    def key(self) -> tuple[object, ...]:
        """All that tells this position from another, as a hashable value."""
        board = tuple([self.board[i] for i in range(SPACES)])
        hand = tuple([self.hand[i] for i in range(24)])
        return (self.side, self.number, self.points(), board, hand)

    def pack(self) -> bytes:
        """All that tells this position from another, except the number.

        The first 61 bytes are the pieces in the order in which position strings write them.
        """
        packed = [0] * 94
        for i in range(SPACES):
            packed[i] = self.board[AS_WRITTEN[i]]
        for i in range(24):
            packed[61 + i] = self.hand[i]
        packed[85] = self.side
        for i in range(4):
            packed[86 + i] = self.score[0] >> 8 * i & 255
            packed[90 + i] = self.score[1] >> 8 * i & 255
        return bytes(packed[:94])

    def points(self) -> tuple[int, int]:
        """The values of the pieces that Red and that Blue have captured."""
        return (self.score[0], self.score[1])

    def in_hand(self, piece: int) -> int:
        """How many of these pieces are still to place."""
        return self.hand[piece] if 0 <= piece < 24 else 0

    @property
    def building(self) -> bool:
        """Whether pieces are still to be placed."""
        return self.unplaced[0] + self.unplaced[1] > 0

    # Ending

    def is_decided(self) -> bool:
        """Whether the game has ended other than by `no move`; called only when all are placed."""
        if not self.men[RED << self.side | CASTLE]:
            return True
        return not (self.has_captor(RED) or self.has_captor(BLUE))

    def outcome(self) -> Outcome | None:
        """See `engine.position.Position.outcome`; the checks are in the rules' order."""
        if self.building:
            return None
        if not self.men[RED << self.side | CASTLE]:
            return Outcome(Side(1 - self.side), Termination.CASTLE_CAPTURED)
        if self.is_decided():
            return Outcome(None, Termination.NO_CAPTOR_LEFT)
        # Ruling R16. No position of the set has it: a group of pieces touches at least three other
        # spaces, and two Castles can't fill them.
        if self.is_stuck(RED) and self.is_stuck(BLUE):
            return Outcome(None, Termination.NO_MOVE)
        return None

    def can_win(self, side: int) -> bool:
        """See `engine.position.Position.can_win`; Ruling R36: a side with a captor (Ruling R17).

        A side with pieces in hand will have a whole army.
        """
        return self.unplaced[side] > 0 or self.has_captor(RED << side)

    # Actions

    def legal(self) -> list[Action]:
        """The legal actions, ascending; empty exactly when the game is over."""
        own = RED << self.side
        actions: list[int] = []
        if self.unplaced[self.side]:
            actions = self.list_placements()
        elif not self.is_decided():
            actions = self.list_moves(own)
            if not actions and not self.is_stuck(own ^ BOTH):
                actions.append(PASS)  # Ruling R16
        return cast("list[Action]", actions)

    def list_placements(self) -> list[int]:
        actions: list[int] = []
        own = RED << self.side
        for kind in range(INFANTRY, CASTLE + 1):
            if self.hand[own | kind]:
                places = self.placement_spaces()
                while places:
                    actions.append(kind << 12 | bits.first(places))
                    places &= places - 1
        return actions

    def count_placements(self) -> int:
        own = RED << self.side
        kinds = 0
        for kind in range(INFANTRY, CASTLE + 1):
            if self.hand[own | kind]:
                kinds += 1
        return kinds * bits.size(self.placement_spaces())

    def placement_spaces(self) -> int:
        """The empty spaces of the mover's own three rows."""
        return HOME[self.side] & self.men[EMPTY]

    def count_actions(self) -> int:
        """How many legal actions there are."""
        own = RED << self.side
        if self.unplaced[self.side]:
            return self.count_placements()
        if self.is_decided():
            return 0
        count = self.count_moves(own)
        if count == 0 and not self.is_stuck(own ^ BOTH):
            return 1
        return count

    def legal_to(self, kind: int, target: int) -> list[Action]:
        """The legal moves of the mover's pieces of one kind to a space, ascending."""
        if self.unplaced[self.side] or self.is_decided():
            return []
        own = RED << self.side
        moves = [origin << 6 | target for origin in self.find_origins(own | kind, target)]
        return cast("list[Action]", moves)

    def is_legal(self, action: Action) -> bool:
        """Whether `action` is among `legal()`; any integer may be asked about."""
        return 0 < action <= PASS and self.is_allowed(action)

    def is_allowed(self, action: int) -> bool:
        own = RED << self.side
        kind = action >> 12
        origin = action >> 6 & 63
        target = action & 63
        if self.unplaced[self.side]:
            if origin or not 0 < kind <= CASTLE or not self.hand[own | kind]:
                return False
            return self.placement_spaces() >> target & 1 != 0
        if self.is_decided():
            return False
        if action == PASS:
            return self.is_stuck(own) and not self.is_stuck(own ^ BOTH)
        return (
            kind == 0
            and self.board[origin] & own != 0
            and self.find_targets(origin) >> target & 1 != 0
        )

    def play(self, action: Action) -> None:
        """Play a legal action for good; otherwise IllegalAction, and nothing changes."""
        if not self.is_legal(action):
            raise IllegalAction(action)
        self.push(action)
        self.depth = 0

    def make(self, action: Action) -> None:
        """Play an action known to be legal so that `unmake` works; IndexError beyond MAX_DEPTH."""
        if self.depth == DEEPEST:
            raise IndexError(self.depth)
        self.made[self.depth] = action << 5 | self.push(action)
        self.depth += 1

    def unmake(self) -> None:
        """Take back the last `make`; IndexError when there is none."""
        if self.depth == 0:
            raise IndexError(0)
        self.depth -= 1
        self.pop(self.made[self.depth] >> 5, self.made[self.depth] & 31)

    def push(self, action: int) -> int:
        """Play a legal action; return the piece it captured, or EMPTY."""
        side = self.side
        own = RED << side
        target = action & 63
        captured = EMPTY
        if action < 1 << 12:
            captured = self.put_piece(target, self.put_piece(action >> 6, EMPTY))
            self.score[side] += VALUE[captured & KIND]
        elif action != PASS:
            piece = own | action >> 12
            self.hand[piece] -= 1
            self.unplaced[side] -= 1
            self.put_piece(target, piece)
        self.number += side
        self.side = 1 - side
        return captured

    def pop(self, action: int, captured: int) -> None:
        """Take back the last action pushed, given with the piece it captured."""
        side = 1 - self.side
        target = action & 63
        self.side = side
        self.number -= side
        if action == PASS:
            return
        piece = self.put_piece(target, captured)
        if action < 1 << 12:
            self.put_piece(action >> 6, piece)
            self.score[side] -= VALUE[captured & KIND]
        else:
            self.hand[piece] += 1
            self.unplaced[side] += 1

    def perft(self, depth: int) -> int:
        """Count the sequences of `depth` legal actions from here; 1 at depth 0.

        Raises ValueError for a negative depth or one above MAX_DEPTH.
        """
        if not 0 <= depth <= DEEPEST:
            raise ValueError(depth)
        return self.count_nodes(depth) if depth else 1

    def count_nodes(self, depth: int) -> int:
        if depth == 1:
            return self.count_actions()
        nodes = 0
        for action in self.legal():
            captured = self.push(action)
            nodes += self.count_nodes(depth - 1)
            self.pop(action, captured)
        return nodes


def start() -> Position:
    """The empty board, both armies in hand, Red to place."""
    return Position({}, 0, FULL_HAND)
