"""A game as a value: tags, actions with their annotations, result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.position import Action

UNFINISHED = "*"


@dataclass(frozen=True, slots=True)
class Move:
    """One action of a game and what was written beside it.

    `before` are comments that stand before the action, `after` those behind it; `nags` are
    the numeric annotation glyphs (0 to 255) in their written order.
    """

    action: Action
    nags: tuple[int, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Game:
    """One record.

    `tags` holds every tag pair in the order read, `Result` and `Variant` included; `result` is
    the token that ends the movetext. `comments` are those of a game without moves.
    """

    variant: str
    tags: Mapping[str, str]
    moves: tuple[Move, ...]
    result: str = UNFINISHED
    comments: tuple[str, ...] = field(default=())

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions alone, in order."""
        return tuple(move.action for move in self.moves)
