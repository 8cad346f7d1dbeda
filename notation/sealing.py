"""Choices that the players of a game make in secret before its first action.

Only some games have them. A choice is a short text (in Kerd, the square of an enemy piece); what
is published of it when it is made is a commitment, and at the end the choice with its nonce.
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
    """How the secret choices of one game are made, kept and shown."""

    def open_sides(self, position: Position) -> Sequence[Side]:
        """The sides whose choice a first position leaves unknown."""

    def names_a_choice(self, position: Position) -> bool:
        """Whether the position contains a choice that only its owner may know."""

    def choices(self, position: Position, side: Side) -> Sequence[str]:
        """All that the side can choose in this first position."""

    def check(self, position: Position, side: Side, choice: str) -> None:
        """Refuse what the side cannot choose in this first position; raises BadChoice."""

    def commitment(self, choice: str, nonce: str) -> str:
        """The commitment that is published when a choice is made."""

    def is_nonce(self, text: str) -> bool:
        """Whether a text may be a nonce."""

    def place(self, position: Position, side: Side, choice: str) -> None:
        """Put a side's choice into a first position."""

    def view(self, position: Position, hidden: Collection[Side]) -> Position:
        """A copy of the position without the choices of these sides."""

    def visible_actions(self, position: Position, hidden: Collection[Side]) -> Sequence[Action]:
        """The legal actions that can be shown to somebody who may not know these choices."""

    def read_choices(
        self, position: Position, tags: Mapping[str, str]
    ) -> Mapping[Side, DisclosedChoice]:
        """The choices that a record's tags and first position disclose, by side.

        Raises BadChoice where making them anew would not give these tags again.
        """

    def tags(
        self, side: Side, choice: str, commitment: str | None, nonce: str | None
    ) -> Mapping[str, str]:
        """The tags of a record that tell a choice; `?` is one that is not told, `-` none."""
