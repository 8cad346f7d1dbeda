"""The rules of Katruji (rules page `katruji.md`): one flat class, compiled with `kernel.pxd`.

It is longer than other files because methods call each other directly only within one final class.

Squares, pieces and actions are the integers of `engine.katruji.board`. The rest of a position:

- `crossing`: the last move, if it took a piece over the uczuda, else 0; it may not be undone;
- `clock`: moves since the last capture or the start; after the declaration the timer, that is
  moves since the later of the last capture and the declaration;
- `declarer`: the side that declared Kyan-A-Alka, or `NOBODY`;
- `ending`: how the game ended, `ONGOING` while it goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

from engine.errors import IllegalAction
from engine.katruji import board as packing
from engine.outcome import Outcome, Termination
from engine.position import MAX_DEPTH as DEEPEST
from engine.position import Action
from engine.side import Side

EMPTY: Final[int] = packing.EMPTY
PRIVATE: Final[int] = packing.PRIVATE
SERGEANT: Final[int] = packing.SERGEANT
KYAN: Final[int] = packing.KYAN
ALKA: Final[int] = packing.ALKA
YARA_POINTS: Final[int] = packing.YARA_POINTS
NOBODY: Final[int] = packing.NOBODY
MAX_DEPTH: Final[int] = DEEPEST

ONGOING: Final = 0
YARA: Final = 1
YEMUBUS: Final = 2
CLAIMED: Final = 3
TERMINATIONS: Final = (Termination.YARA, Termination.YEMUBUS, Termination.ALKA)

QUIET: Final[int] = packing.QUIET
TIMER: Final[int] = packing.TIMER
OUTSIDE: Final[int] = packing.OUTSIDE
HAJAT: Final = list(packing.HAJAT)
AS_WRITTEN: Final = list(packing.AS_WRITTEN)

STEPS: Final = list(packing.STEPS)
FIRST: Final = list(packing.FIRST_STEP)
LAST: Final = list(packing.LAST_STEP)
REACH: Final = list(packing.REACH)

OPENING: Final = [packing.START.get(square, EMPTY) for square in range(64)]


class ActionList:
    """The actions found in one position.

    There is room for 128, and there are at most 126: at most one piece can reach a square from a
    given direction, which makes 84 pairs of neighbours within the own hajat and 40 that enter
    a square of the other one from behind, plus `KYAN` or `ALKA`.
    """

    def __init__(self) -> None:
        self.items: list[int] = [0] * 128
        self.count: int = 0


class Position:
    """A position of Katruji; `Position()` is the first. See `engine.position.Position`."""

    def __init__(self) -> None:
        self.board: list[int] = [EMPTY] * 64
        self.score: list[int] = [0] * 2
        self.side: int = 0
        self.number: int = 1
        self.crossing: int = 0
        self.clock: int = 0
        self.declarer: int = NOBODY
        self.ending: int = ONGOING
        # What `unmake` needs of each of the `depth` actions made.
        self.depth: int = 0
        self.made: list[int] = [0] * 64
        self.moved: list[int] = [0] * 64
        self.stood: list[int] = [0] * 64
        self.crossings: list[int] = [0] * 64
        self.clocks: list[int] = [0] * 64
        self.actions: ActionList = ActionList()  # reused from call to call
        self.board[:] = OPENING

    def assign(
        self,
        pieces: Mapping[int, int],
        side: int,
        score: tuple[int, int],
        crossing: int,
        clock: int,
        declarer: int,
        number: int,
    ) -> None:
        """Become the position of these values, which `engine.katruji.setup` has checked."""
        self.board[:] = [EMPTY] * 64
        for square, piece in pieces.items():
            self.board[square] = piece
        self.side = side
        self.score[0], self.score[1] = score
        self.crossing = crossing
        self.clock = clock
        self.declarer = declarer
        self.number = number
        self.depth = 0
        self.ending = ONGOING
        self.detect_end(1 - side)

    def copy(self) -> Position:
        """An equal position, with no action to take back."""
        twin = Position()
        twin.board[:] = self.board
        twin.score[:] = self.score
        twin.side = self.side
        twin.number = self.number
        twin.crossing = self.crossing
        twin.clock = self.clock
        twin.declarer = self.declarer
        twin.ending = self.ending
        return twin

    def key(self) -> tuple[object, ...]:
        """See `engine.position.Position.key`."""
        return (
            bytes([self.board[square] for square in packing.SQUARES]),
            self.side,
            self.score[0],
            self.score[1],
            self.crossing,
            self.clock,
            self.declarer,
            self.ending,
            self.number,
        )

    def pack(self) -> bytes:
        """All that tells this position from another, except the number and the clock.

        The first 32 bytes are the pieces in the order in which position strings write them.
        """
        packed = [0] * 43
        for i in range(32):
            packed[i] = self.board[AS_WRITTEN[i]]
        packed[32] = self.side
        for i in range(4):
            packed[33 + i] = self.score[0] >> 8 * i & 255
            packed[37 + i] = self.score[1] >> 8 * i & 255
        packed[41] = self.crossing & 255
        packed[42] = self.crossing >> 8
        return bytes(packed[:43])

    def points(self) -> tuple[int, int]:
        """South's points and North's."""
        return self.score[0], self.score[1]

    @property
    def claimed(self) -> bool:
        """Whether Alka has been claimed."""
        return self.ending == CLAIMED

    def outcome(self) -> Outcome | None:
        """Who won and how, or None while the game goes on."""
        if self.ending == ONGOING:
            return None
        return Outcome(Side(self.winner()), TERMINATIONS[self.ending - 1])

    def can_win(self, side: int) -> bool:
        """See `engine.position.Position.can_win`; Ruling R36: running out of time always loses."""
        return True

    def winner(self) -> int:
        """The side that has won, or NOBODY while the game goes on."""
        if self.ending == ONGOING:
            return NOBODY
        last = 1 - self.side  # the claimant of Alka keeps the turn
        if self.ending == YARA:
            return last
        if self.score[0] != self.score[1]:
            return 0 if self.score[0] > self.score[1] else 1
        return last if self.ending == YEMUBUS else self.declarer

    # The legal actions.

    def may_declare(self) -> bool:
        """Ruling R4: seven quiet moves, once a game."""
        return self.declarer == NOBODY and self.clock >= QUIET

    def may_claim(self) -> bool:
        """Ruling R5: from three quiet moves on, until a capture."""
        return self.declarer != NOBODY and self.clock >= TIMER

    def has_sergeant(self) -> bool:
        """Whether the hajat of the side to move holds a Sergeant."""
        board = self.board
        shift = self.side << 5
        for home in HAJAT[:16]:
            if board[home | shift] == SERGEANT:
                return True
        return False

    def promotes(self, piece: int, onto: int) -> bool:
        """Whether the mover's `piece` may move onto its own piece `onto` (Ruling R2)."""
        if onto != PRIVATE:
            return False
        return piece == SERGEANT or (piece == PRIVATE and not self.has_sergeant())

    def list_moves_from(self, origin: int, actions: ActionList) -> None:
        """Add the legal moves of the mover's piece on `origin`, while the game is on."""
        board = self.board
        items = actions.items
        count = actions.count
        side = self.side
        piece = board[origin]
        undone = (self.crossing & 63) << 6 | self.crossing >> 6
        for way in range(FIRST[piece], LAST[piece]):
            step = STEPS[way]
            target = origin
            for _ in range(REACH[piece]):
                target += step
                if target & OUTSIDE:
                    break
                stands = board[target]
                if stands == EMPTY or target >> 5 != side or self.promotes(piece, stands):
                    action = origin << 6 | target
                    if action != undone:
                        items[count] = action
                        count += 1
                if stands != EMPTY:
                    break
        actions.count = count

    def generate(self) -> ActionList:
        """All legal actions, in no order."""
        actions = ActionList()
        self.list_actions(actions)
        return actions

    def list_actions(self, actions: ActionList) -> None:
        """Replace the contents of the list by all legal actions, in no order."""
        actions.count = 0
        if self.ending != ONGOING:
            return
        shift = self.side << 5
        for home in HAJAT[:16]:
            if self.board[home | shift] != EMPTY:
                self.list_moves_from(home | shift, actions)
        if self.may_declare():
            actions.items[actions.count] = KYAN
            actions.count += 1
        elif self.may_claim():
            actions.items[actions.count] = ALKA
            actions.count += 1

    def is_allowed(self, action: int) -> bool:
        """Whether an action between 0 and ALKA is legal."""
        if self.ending != ONGOING:
            return False
        if action == KYAN:
            return self.may_declare()
        if action == ALKA:
            return self.may_claim()
        origin = action >> 6
        if origin >> 5 != self.side or self.board[origin] == EMPTY:
            return False
        actions = self.actions
        actions.count = 0
        self.list_moves_from(origin, actions)
        for i in range(actions.count):
            if actions.items[i] == action:
                return True
        return False

    def is_legal(self, action: Action) -> bool:
        """See `engine.position.Position.is_legal`."""
        return 0 <= action <= ALKA and self.is_allowed(action)

    def legal(self) -> list[Action]:
        """See `engine.position.Position.legal`."""
        actions = self.generate()
        return cast("list[Action]", sorted([actions.items[i] for i in range(actions.count)]))

    def legal_to(self, piece: int, target: int) -> list[Action]:
        """The legal moves of one kind of piece to one square, ascending."""
        actions = self.actions
        self.list_moves_to(piece, target, actions)
        return cast("list[Action]", sorted([actions.items[i] for i in range(actions.count)]))

    def list_moves_to(self, piece: int, target: int, actions: ActionList) -> None:
        """Put the legal moves of one kind of piece to one square, in no order, on a list."""
        actions.count = 0
        if self.ending != ONGOING:
            return
        shift = self.side << 5
        for home in HAJAT[:16]:
            if self.board[home | shift] == piece:
                self.list_moves_from(home | shift, actions)
        items = actions.items
        count = 0
        for i in range(actions.count):
            if items[i] & 63 == target:
                items[count] = items[i]
                count += 1
        actions.count = count

    def piece_at(self, square: int) -> int:
        """The piece on a square, or EMPTY; IndexError for a number that is no square."""
        if not 0 <= square < 64:
            raise IndexError(square)
        return self.board[square]

    def is_capture(self, action: int) -> bool:
        """Whether a legal action of this position captures."""
        target = action & 63
        return action < KYAN and target >> 5 != self.side and self.board[target] != EMPTY

    def promotion(self, action: int) -> int:
        """The piece that a legal action of this position makes by promotion, else EMPTY."""
        target = action & 63
        if action >= KYAN or target >> 5 != self.side or self.board[target] == EMPTY:
            return EMPTY
        return self.board[action >> 6] + 1

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
        """Play a legal action, so that `pop` can take it back."""
        board = self.board
        depth = self.depth
        self.made[depth] = action
        self.crossings[depth] = self.crossing
        self.clocks[depth] = self.clock
        self.depth = depth + 1
        if action == KYAN:
            self.declarer = self.side
            self.clock = 0
            return
        if action == ALKA:
            self.ending = CLAIMED
            return
        side = self.side
        origin = action >> 6
        target = action & 63
        piece = board[origin]
        stood = board[target]
        self.moved[depth] = piece
        self.stood[depth] = stood
        board[origin] = EMPTY
        self.clock += 1
        if target >> 5 == side:
            board[target] = piece if stood == EMPTY else piece + 1
            self.crossing = 0
        else:
            board[target] = piece
            self.crossing = action
            if stood != EMPTY:
                self.score[side] += stood
                self.clock = 0
            self.detect_end(side)
        self.side = 1 - side
        self.number += side

    def pop(self) -> None:
        """Take back the last action pushed."""
        board = self.board
        depth = self.depth - 1
        action = self.made[depth]
        self.depth = depth
        self.crossing = self.crossings[depth]
        self.clock = self.clocks[depth]
        self.ending = ONGOING
        if action == KYAN:
            self.declarer = NOBODY
            return
        if action == ALKA:
            return
        side = 1 - self.side
        target = action & 63
        stood = self.stood[depth]
        board[action >> 6] = self.moved[depth]
        board[target] = stood
        if target >> 5 != side:
            self.score[side] -= stood
        self.side = side
        self.number -= side

    def detect_end(self, mover: int) -> None:
        """Set `ending` where the last move, by side `mover`, has brought about Yara or Yemubus."""
        if self.score[mover] >= YARA_POINTS:
            self.ending = YARA
            return
        board = self.board
        shift = mover << 5
        for home in HAJAT[:16]:
            if board[home | shift] != EMPTY:
                return
        self.ending = YEMUBUS

    # Counting.

    def perft(self, depth: int) -> int:
        """See `engine.position.Position.perft`."""
        if not 0 <= depth <= MAX_DEPTH:
            raise ValueError(depth)
        return self.copy().count_nodes(depth) if depth else 1

    def count_nodes(self, depth: int) -> int:
        """Perft at a depth of at least 1; the last ply is counted, not played."""
        actions = self.generate()
        if depth == 1:
            return actions.count
        nodes: int = 0
        for i in range(actions.count):
            self.push(actions.items[i])
            nodes += self.count_nodes(depth - 1)
            self.pop()
        return nodes
