"""Which piece stands where on Kerak's board, which supports which, and where a piece may go.

Plain typed Python in flat style; `field.pxd` gives it C types where a compiler is at hand.

A space is an index of `engine.kerak.board`, a set of spaces an integer with one bit each. A piece
is an integer of `engine.kerak.pieces`; a side is named by its bit in it, RED or BLUE.
"""

from __future__ import annotations

from typing import Final

from engine import bits
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
# The spaces that the steps ahead of each step lead to.
ENDS: Final = [
    sum(geometry.BIT[TO[e]] for e in AHEAD[3 * step : 3 * step + 3] if TO[e] != geometry.OFF)
    for step in range(len(TO))
]
EVERYWHERE: Final = geometry.EVERYWHERE
BIT: Final = [*geometry.BIT, 0, 0, 0]
NEXT_TO: Final = list(geometry.NEXT_TO)
WITHIN_TWO: Final = list(geometry.WITHIN_TWO)


class Field:
    """The pieces on the board, without turn, hands or points.

    - `board`: the pieces by space;
    - `men`: the spaces of each piece, and the empty ones;
    - `armies`: the empty spaces, Red's and Blue's, Castles included.
    """

    def clear_board(self) -> None:
        self.board: list[int] = [EMPTY] * 61 + [OFF_BOARD] * 3
        self.men: list[int] = [0] * 24
        self.men[EMPTY] = EVERYWHERE
        self.armies: list[int] = [EVERYWHERE, 0, 0]

    def put_piece(self, space: int, piece: int) -> int:
        """Replace what stands on a space by a piece or EMPTY; return what stood there."""
        before = self.board[space]
        bit = BIT[space]
        self.men[before] ^= bit
        self.men[piece] ^= bit
        self.armies[before >> 3] ^= bit
        self.armies[piece >> 3] ^= bit
        self.board[space] = piece
        return before

    def piece_at(self, space: int) -> int:
        """The piece that stands on a space of the board, EMPTY where none does."""
        if not 0 <= space < SPACES:
            raise IndexError(space)
        return self.board[space]

    def find_taken(self, origin: int, approach: int, targets: int) -> int:
        """The enemies on `targets` that the piece on `origin` takes from `approach`."""
        taken = 0
        while targets:
            target = bits.first(targets)
            targets &= targets - 1
            if takes(self, origin, approach, target):
                taken |= BIT[target]
        return taken

    def find_targets(self, origin: int) -> int:
        """The spaces that the piece on `origin` could go to or capture on in its turn.

        Ruling R12: a capture ends the move.
        """
        piece = self.board[origin]
        steps = MOVES[piece & KIND]
        if steps == 0:
            return 0
        empty = self.armies[0]
        enemies = self.armies[(piece ^ BOTH) >> 3]
        reached = NEXT_TO[origin] & empty
        targets = NEXT_TO[origin] & enemies
        if targets:
            reached |= self.find_taken(origin, origin, targets)
        if steps > 1:
            for step in range(6 * origin, 6 * origin + 6):
                if self.board[TO[step]] == EMPTY:
                    reached |= self.find_targets_ahead(origin, step, steps - 1, reached)
        return reached

    def find_targets_ahead(self, origin: int, step: int, steps: int, known: int) -> int:
        """The spaces where a path that goes on after `step`, to an empty space, may end.

        `steps`, 1 or 2, are left after it; enemies `known` to be taken are not looked at again.
        """
        empty = self.armies[0]
        enemies = self.armies[(self.board[origin] ^ BOTH) >> 3]
        reached = ENDS[step] & empty
        targets = ENDS[step] & enemies & ~known
        if targets:
            reached |= self.find_taken(origin, TO[step], targets)
        if steps > 1:
            for i in range(3 * step, 3 * step + 3):
                ahead = AHEAD[i]
                if self.board[TO[ahead]] == EMPTY:
                    reached |= ENDS[ahead] & empty
                    targets = ENDS[ahead] & enemies & ~(known | reached)
                    if targets:
                        reached |= self.find_taken(origin, TO[ahead], targets)
        return reached

    def find_origins(self, piece: int, target: int) -> list[int]:
        """The spaces, ascending, from which a `piece` could go to `target` in its turn."""
        origins: list[int] = []
        same = self.men[piece]
        while same:
            origin = bits.first(same)
            same &= same - 1
            if self.find_targets(origin) & BIT[target]:
                origins.append(origin)
        return origins

    def movers(self, own: int) -> int:
        """The pieces of a side, except its Castle."""
        return self.armies[own >> 3] & ~self.men[own | CASTLE]

    def list_moves(self, own: int) -> list[int]:
        """The moves a side has when it is its turn: `origin << 6 | target`, ascending."""
        moves: list[int] = []
        movers = self.movers(own)
        while movers:
            origin = bits.first(movers)
            movers &= movers - 1
            targets = self.find_targets(origin)
            while targets:
                moves.append(origin << 6 | bits.first(targets))
                targets &= targets - 1
        return moves

    def list_moves_to(self, own: int, among: int, found: list[int], last: int) -> int:
        """Put a side's moves to the spaces `among` into `found` from `last` on; return the end.

        They are those of `moves`, in the same order.
        """
        movers = self.movers(own)
        while movers:
            origin = bits.first(movers)
            movers &= movers - 1
            targets = self.find_targets(origin) & among
            while targets:
                found[last] = origin << 6 | bits.first(targets)
                last += 1
                targets &= targets - 1
        return last

    def is_castle_attacked(self, own: int) -> bool:
        """Whether the other side could capture this side's Castle in its turn."""
        castle = self.men[own | CASTLE]
        if not castle:
            return False
        target = bits.first(castle)
        enemy = own ^ BOTH
        # Infantry and Archers have one step: where they stand is their approach.
        captors = (self.men[enemy | INFANTRY] | self.men[enemy | ARCHER]) & NEXT_TO[target]
        while captors:
            origin = bits.first(captors)
            captors &= captors - 1
            if takes(self, origin, origin, target):
                return True
        return False

    def count_moves(self, own: int) -> int:
        """How many moves a side has."""
        count = 0
        movers = self.movers(own)
        while movers:
            count += bits.size(self.find_targets(bits.first(movers)))
            movers &= movers - 1
        return count

    def is_stuck(self, own: int) -> bool:
        """Whether no piece of this side has a legal move."""
        movers = self.movers(own)
        while movers:
            if self.find_targets(bits.first(movers)):
                return False
            movers &= movers - 1
        return True

    def has_captor(self, own: int) -> bool:
        """Whether this side can still capture a Castle (Ruling R17)."""
        movers = self.movers(own)
        captors = self.men[own | INFANTRY] | self.men[own | ARCHER]
        return captors != 0 and movers & (movers - 1) != 0


# Capturing


def supporters(field: Field, own: int, near: int, within_two: int) -> int:
    """The pieces of side `own` in `near`, or for Archers in `within_two` (Ruling R14).

    Castles are never among them (Ruling R15).
    """
    return field.movers(own) & near | field.men[own | ARCHER] & within_two


def attack_supporters(field: Field, origin: int, target: int) -> int:
    """The pieces that support the one on `origin` against `target`, except its Castle."""
    own = field.board[origin] & BOTH
    return supporters(field, own, NEXT_TO[target], WITHIN_TWO[target]) & ~BIT[origin]


def defence_supporters(field: Field, approach: int, target: int) -> int:
    """The pieces that support the one on `target` against `approach`, except its Castle.

    Ruling R13: next to both the approach and the target.
    """
    own = field.board[target] & BOTH
    return supporters(
        field, own, NEXT_TO[approach] & NEXT_TO[target], WITHIN_TWO[approach] & WITHIN_TWO[target]
    )


def castle_support(field: Field, piece: int, space: int) -> int:
    """The Castle's support for a piece on a space, 0 or 1 (Ruling R15)."""
    if piece & KIND <= ARCHER and field.men[piece & BOTH | CASTLE] & NEXT_TO[space]:
        return CASTLE_SUPPORT
    return 0


def strength(field: Field, spaces: int) -> int:
    """The strength of the pieces on a set of spaces together."""
    men = field.men
    strong = men[RED | KNIGHT] | men[RED | HERO] | men[BLUE | KNIGHT] | men[BLUE | HERO]
    return bits.size(spaces) + bits.size(spaces & strong)


def attack(field: Field, origin: int, approach: int, target: int) -> int:
    """The strength of the piece on `origin` attacking `target` from `approach` (Ruling R13)."""
    piece = field.board[origin]
    support = strength(field, attack_supporters(field, origin, target))
    return STRENGTH[piece & KIND] + support + castle_support(field, piece, approach)


def defence(field: Field, approach: int, target: int) -> int:
    """The strength of the piece on `target` against an attack from `approach`."""
    piece = field.board[target]
    support = strength(field, defence_supporters(field, approach, target))
    return STRENGTH[piece & KIND] + support + castle_support(field, piece, target)


def takes(field: Field, origin: int, approach: int, target: int) -> bool:
    """Whether the capture from `approach` succeeds, provided that a path leads there."""
    if field.board[origin] & KIND > ARCHER:
        victim = field.board[target] & KIND
        if victim == ARCHER:
            return True
        if victim == CASTLE:
            return False
    return attack(field, origin, approach, target) >= defence(field, approach, target)
