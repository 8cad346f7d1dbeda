"""Choices that the players of a game make in secret before its first action.

Only some games have them. A choice is a short text (in Kerd, the square of an enemy piece). When it
is made, only a commitment is published; the choice and its nonce are published at the end.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

from engine.position import Action, Position
from engine.side import Side


class DisclosedChoice(NamedTuple):
    """A choice that a record discloses, with its nonce or None."""

    choice: str
    nonce: str | None


class Sealing(Protocol):
    """How the secret choices of one game are committed to, stored and shown."""

    def open_sides(self, position: Position) -> Sequence[Side]:
        """The sides whose choice is unknown in a first position."""

    def names_a_choice(self, position: Position) -> bool:
        """Whether the position contains a choice that only its owner may know."""

    def choices(self, position: Position, side: Side) -> Sequence[str]:
        """All that the side can choose in this first position."""

    def check(self, position: Position, side: Side, choice: str) -> None:
        """Raise BadChoice for a choice that the side does not have in this first position."""

    def commitment(self, choice: str, nonce: str) -> str:
        """The commitment that is published when a choice is made."""

    def is_nonce(self, text: str) -> bool:
        """Whether a text may be a nonce."""

    def place(self, position: Position, side: Side, choice: str) -> None:
        """Put a side's choice into a first position."""

    def view(self, position: Position, hidden: Collection[Side]) -> Position:
        """A copy of the position without the choices of these sides."""

    def visible_actions(self, position: Position, hidden: Collection[Side]) -> Sequence[Action]:
        """The legal actions that may be shown to somebody who may not know these choices."""

    def read_choices(
        self, position: Position, tags: Mapping[str, str]
    ) -> Mapping[Side, DisclosedChoice]:
        """The choices that a record's tags and first position disclose, by side.

        Raises BadChoice if making these choices again would not give the same tags.
        """

    def tags(
        self, side: Side, choice: str, commitment: str | None, nonce: str | None
    ) -> Mapping[str, str]:
        """The tags of a record for a choice; `?` is an undisclosed choice, `-` means none."""
