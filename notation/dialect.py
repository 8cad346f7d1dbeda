"""How one variant is written: the interface each game's notation module fills."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from engine.position import Action, Position
from engine.variant import Variant


class Dialect(Protocol):
    """Text forms of one variant's positions and actions (rules page `notation.md`)."""

    @property
    def variant(self) -> Variant:
        """The variant that is written so."""

    def read_fen(self, text: str) -> Position:
        """The position a canonical FEN describes; raises BadFen."""

    def write_fen(self, position: Position) -> str:
        """The canonical FEN: `read_fen(write_fen(p))` equals p."""

    def start(self, tags: Mapping[str, str]) -> Position:
        """The first position of a game with these tags (`FEN`, and what else sets it up).

        Raises BadFen.
        """

    def coordinate(self, action: Action) -> str:
        """The coordinate form, exact in any position."""

    def san(self, position: Position, action: Action) -> str:
        """The canonical short algebraic form of a legal action."""

    def resolve(self, position: Position, token: str) -> Action:
        """The one legal action that a token in either form means.

        The token is parsed without the position, then judged against it; suffixes `!` and `?`
        are the reader's affair and not part of it. Raises UnreadableToken, IllegalMove,
        AmbiguousMove, or AfterTheEnd.
        """
