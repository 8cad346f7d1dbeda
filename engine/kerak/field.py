"""Who stands where on Kerak's board, who supports whom, and where a piece may go.

Plain typed Python in flat style; `field.pxd` gives it C types where a compiler is at hand.

A space is an index of `engine.kerak.board`, a set of spaces an integer with one bit each. A piece
is an integer of `engine.kerak.pieces`; a side is named by its bit in it, RED or BLUE.
"""

from __future__ import annotations

from typing import Final

from engine.kerak import board as geometry
from engine.kerak import pieces as table

EMPTY: Final = 0
INFANTRY: Final = 1
ARCHER: Final = 2
CAVALRY: Final = 3
KNIGHT: Final = 4
HERO: Final = 5
CASTLE: Final = 6
KIND: Final = 7
RED: Final = 8
BLUE: Final = 16
BOTH: Final = 24
OFF_BOARD: Final = 32

SPACES: Final = 61

STRENGTH: Final = [*table.STRENGTH, 0]
MOVES: Final = [*table.MOVES, 0]
CASTLE_SUPPORT: Final = table.CASTLE_SUPPORT

TO: Final = list(geometry.STEP_TO)
AHEAD: Final = list(geometry.STEP_AHEAD)
EVERYWHERE: Final = geometry.EVERYWHERE
BIT: Final = [*geometry.BIT, 0, 0, 0]
LOWEST: Final = list(geometry.LOWEST)
NEXT_TO: Final = list(geometry.NEXT_TO)
WITHIN_TWO: Final = list(geometry.WITHIN_TWO)


def first(spaces: int) -> int:
    """The first space of a set that is not empty."""
    return LOWEST[(spaces & -spaces) % 67]


def size(spaces: int) -> int:
    """How many spaces a set has."""
    count = 0
    while spaces:
        spaces &= spaces - 1
        count += 1
    return count


class Field:
    """The pieces on the board, without turn, hands or points."""

    def clear_board(self) -> None:
        self.board: list[int] = [EMPTY] * 61 + [OFF_BOARD] * 3
        self.men: list[int] = [0] * 24
        self.men[EMPTY] = EVERYWHERE

    def put_piece(self, space: int, piece: int) -> int:
        """Replace what stands on a space by a piece or EMPTY; return what stood there."""
        before = self.board[space]
        self.men[before] ^= BIT[space]
        self.men[piece] ^= BIT[space]
        self.board[space] = piece
        return before

    def piece_at(self, space: int) -> int:
        """The piece that stands on a space of the board, EMPTY where none does."""
        if not 0 <= space < SPACES:
            raise IndexError(space)
        return self.board[space]

    # Capturing

    def supporters(self, own: int, near: int, within_two: int) -> int:
        """The pieces of side `own` in `near`, or for Archers in `within_two` (Ruling R14).

        Castles are never among them (Ruling R15).
        """
        men = self.men
        close = men[own | INFANTRY] | men[own | CAVALRY] | men[own | KNIGHT] | men[own | HERO]
        return close & near | men[own | ARCHER] & within_two

    def attack_supporters(self, origin: int, target: int) -> int:
        """The pieces that support the one on `origin` against `target`, its Castle apart."""
        own = self.board[origin] & BOTH
        return self.supporters(own, NEXT_TO[target], WITHIN_TWO[target]) & ~BIT[origin]

    def defence_supporters(self, approach: int, target: int) -> int:
        """The pieces that support the one on `target` against `approach`, its Castle apart.

        Ruling R13: next to both the approach and the target.
        """
        own = self.board[target] & BOTH
        return self.supporters(
            own, NEXT_TO[approach] & NEXT_TO[target], WITHIN_TWO[approach] & WITHIN_TWO[target]
        )

    def castle_support(self, piece: int, space: int) -> int:
        """The Castle's support for a piece on a space, 0 or 1 (Ruling R15)."""
        if piece & KIND <= ARCHER and self.men[piece & BOTH | CASTLE] & NEXT_TO[space]:
            return CASTLE_SUPPORT
        return 0

    def strength(self, spaces: int) -> int:
        """The strength of the pieces on a set of spaces together."""
        men = self.men
        strong = men[RED | KNIGHT] | men[RED | HERO] | men[BLUE | KNIGHT] | men[BLUE | HERO]
        return size(spaces) + size(spaces & strong)

    def attack(self, origin: int, approach: int, target: int) -> int:
        """The strength of the piece on `origin` attacking `target` from `approach` (Ruling R13)."""
        piece = self.board[origin]
        support = self.strength(self.attack_supporters(origin, target))
        return STRENGTH[piece & KIND] + support + self.castle_support(piece, approach)

    def defence(self, approach: int, target: int) -> int:
        """The strength of the piece on `target` against an attack from `approach`."""
        piece = self.board[target]
        support = self.strength(self.defence_supporters(approach, target))
        return STRENGTH[piece & KIND] + support + self.castle_support(piece, target)

    def takes(self, origin: int, approach: int, target: int) -> bool:
        """Whether the capture from `approach` succeeds, provided that a path leads there."""
        if self.board[origin] & KIND > ARCHER:
            victim = self.board[target] & KIND
            if victim == ARCHER:
                return True
            if victim == CASTLE:
                return False
        return self.attack(origin, approach, target) >= self.defence(approach, target)

    # Moving

    def find_targets_after(self, origin: int, approach: int, step: int, steps: int) -> int:
        """The spaces where a path that goes on with `step` may end, `steps` left with that one."""
        space = TO[step]
        piece = self.board[space]
        if piece == EMPTY:
            reached = BIT[space]
            if steps > 1:
                for i in range(3 * step, 3 * step + 3):
                    reached |= self.find_targets_after(origin, space, AHEAD[i], steps - 1)
            return reached
        # Ruling R12: a capture ends the move
        if piece & (self.board[origin] ^ BOTH) & BOTH and self.takes(origin, approach, space):
            return BIT[space]
        return 0

    def find_targets(self, origin: int) -> int:
        """The spaces that the piece on `origin` could go to or capture on in its turn."""
        steps = MOVES[self.board[origin] & KIND]
        reached = 0
        if steps:
            for step in range(6 * origin, 6 * origin + 6):
                reached |= self.find_targets_after(origin, origin, step, steps)
        return reached

    def find_origins(self, piece: int, target: int) -> list[int]:
        """The spaces, ascending, from which such a piece could go to `target` in its turn."""
        origins: list[int] = []
        same = self.men[piece]
        while same:
            origin = first(same)
            same &= same - 1
            if self.find_targets(origin) & BIT[target]:
                origins.append(origin)
        return origins

    def movers(self, own: int) -> int:
        """The pieces of a side, its Castle apart."""
        men = self.men
        slow = men[own | INFANTRY] | men[own | ARCHER]
        return slow | men[own | CAVALRY] | men[own | KNIGHT] | men[own | HERO]

    def list_moves(self, own: int) -> list[int]:
        """The moves a side has when it is its turn: `origin << 6 | target`, ascending."""
        moves: list[int] = []
        movers = self.movers(own)
        while movers:
            origin = first(movers)
            movers &= movers - 1
            targets = self.find_targets(origin)
            while targets:
                moves.append(origin << 6 | first(targets))
                targets &= targets - 1
        return moves

    def list_moves_to(self, own: int, among: int, found: list[int], last: int) -> int:
        """Put a side's moves to the spaces `among` into `found` from `last` on; return the end.

        They are those of `moves`, in the same order.
        """
        movers = self.movers(own)
        while movers:
            origin = first(movers)
            movers &= movers - 1
            targets = self.find_targets(origin) & among
            while targets:
                found[last] = origin << 6 | first(targets)
                last += 1
                targets &= targets - 1
        return last

    def is_castle_attacked(self, own: int) -> bool:
        """Whether the other side could capture this side's Castle in its turn."""
        castle = self.men[own | CASTLE]
        if not castle:
            return False
        target = first(castle)
        enemy = own ^ BOTH
        # Infantry and Archers have one step: where they stand is their approach.
        captors = (self.men[enemy | INFANTRY] | self.men[enemy | ARCHER]) & NEXT_TO[target]
        while captors:
            origin = first(captors)
            captors &= captors - 1
            if self.takes(origin, origin, target):
                return True
        return False

    def count_moves(self, own: int) -> int:
        """How many moves a side has."""
        count = 0
        movers = self.movers(own)
        while movers:
            count += size(self.find_targets(first(movers)))
            movers &= movers - 1
        return count

    def is_stuck(self, own: int) -> bool:
        """Whether no piece of this side has a legal move."""
        movers = self.movers(own)
        while movers:
            if self.find_targets(first(movers)):
                return False
            movers &= movers - 1
        return True

    def has_captor(self, own: int) -> bool:
        """Whether this side can still capture a Castle (Ruling R17)."""
        movers = self.movers(own)
        captors = self.men[own | INFANTRY] | self.men[own | ARCHER]
        return captors != 0 and movers & (movers - 1) != 0
