"""What a bot remembers about a game from one action to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from engine.position import Position
from engine.registry import find_variant
from engine.side import Side
from notation.agreement import Agreement
from notation.registry import find_dialect


@dataclass(slots=True)
class GameMemory:
    """What a bot remembers about a game.

    `first` is the position in which it began, None if it is not needed. `quiet_since` is the ply at
    which `pieces` pieces were first on the board. `answered` is the version that the bot last
    answered with an action.
    """

    first: Position | None
    draw_by_points: bool
    pieces: int
    quiet_since: int
    answered: int = 0

    @classmethod
    def begin(cls, message: dict[str, Any], game: dict[str, Any]) -> Self:
        """The memory of a game at its first message; `game` is the game, as far as it is known."""
        variant, fen = find_variant(message["variant"]), game.get("initial_fen")
        return cls(
            find_dialect(variant.name).read_fen(fen) if fen else None,
            Agreement.from_tags(variant, game.get("tags", {})).draw_by_points,
            count_pieces(message),
            message["ply"],
        )

    def update(self, message: dict[str, Any]) -> None:
        """Note the captures and the retracted actions that a message reports."""
        pieces = count_pieces(message)
        if self.pieces != pieces or message["ply"] < self.quiet_since:
            self.pieces, self.quiet_since = pieces, message["ply"]

    def count_made(self, position: Position) -> int:
        """The moves that the side to act has made; 0 if the first position is not known."""
        if self.first is None:
            return 0
        late = position.side == Side.FIRST and self.first.side != Side.FIRST
        return max(0, position.number - self.first.number - late)


def count_pieces(message: dict[str, Any]) -> int:
    """The number of pieces on the board of a message."""
    return sum(map(str.isalpha, message["fen"].split()[0]))


def is_behind(position: Position) -> bool:
    """Whether the side to act has fewer points than the other."""
    points = position.points()
    return points is not None and points[position.side] < points[1 - position.side]
