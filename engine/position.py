"""The one interface that every game's kernel has; all else is built on it."""

from __future__ import annotations

from typing import NewType, Protocol, Self

from engine.outcome import Outcome

Action = NewType("Action", int)
"""A legal action, packed into one non-negative integer as the game's kernel says.

Equal actions are equal integers, the same from one position to the next; 0 is never one.
Moves, placements, passes, promotions, reveals, executions, declarations and claims are all
actions; one player may take several in a turn (`Kyan`, then a move).
"""


class Position(Protocol):
    """A position of one game: whose turn it is, what may be done, whether it is over.

    It is mutable for speed and owned by one thread; `copy()` gives an independent one.
    """

    @property
    def side(self) -> int:
        """The side to act, 0 first or 1 second (`engine.side.Side`); kept when the game is over."""

    @property
    def number(self) -> int:
        """The full-move number of the next action, as the last field of the FEN has it."""

    def legal(self) -> list[Action]:
        """The legal actions, ascending, without repetition; empty exactly when the game is over."""

    def is_legal(self, action: Action) -> bool:
        """Whether `action` is among `legal()`; any integer may be asked about."""

    def play(self, action: Action) -> None:
        """Play a legal action for good; there is no limit to how many.

        Raises IllegalAction, and then nothing has changed.
        """

    def make(self, action: Action) -> None:
        """Play an action known to be legal so that `unmake` can take it back.

        At most `engine.position.MAX_DEPTH` deep; IndexError beyond.
        """

    def unmake(self) -> None:
        """Take back the last `make`; IndexError when there is none."""

    def outcome(self) -> Outcome | None:
        """How the game's own rules have ended it here; None while it goes on."""

    def can_win(self, side: int) -> bool:
        """Whether some sequence of legal actions could win the game for `side` (Ruling R36).

        Where that depends on a choice that is not known here, the answer is yes.
        """

    def points(self) -> tuple[int, int] | None:
        """Points of the first and the second side, None in a game that counts none."""

    def perft(self, depth: int) -> int:
        """Count the sequences of `depth` legal actions from here; 1 at depth 0.

        Raises ValueError for a negative depth or one above MAX_DEPTH.
        """

    def copy(self) -> Self:
        """An equal position that shares nothing with this one."""

    def key(self) -> tuple[object, ...]:
        """All that tells this position from another, the number included, as a hashable value."""


MAX_DEPTH = 64
"""How deep `make` and `perft` go from a position."""


def count_turns(position: Position) -> int:
    """A count that goes up by one whenever the turn passes.

    It is twice the number of the full move, plus 1 if the second side acts.
    """
    return 2 * position.number + position.side
