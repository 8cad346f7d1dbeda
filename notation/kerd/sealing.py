"""Kerd's infiltrators as choices made in secret (rules page `kerd.md`, Infiltration, Knowledge)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from engine.kerd.board import BLACK, KIND, LAST_ELIGIBLE, UNKNOWN
from engine.kerd.kernel import Position as Kerd
from engine.kerd.knowledge import is_hidden, view, visible_actions
from engine.phrase import phrase
from engine.position import Action, Position
from engine.side import Side
from notation.errors import BadChoice
from notation.fen import quote_text
from notation.kerd.choice import SIDES, commitment, is_nonce
from notation.kerd.names import NAMES, SQUARE_OF
from notation.sealing import DisclosedChoice


class Infiltrators:
    """See `notation.sealing.Sealing`; a choice is the name of a square."""

    def open_sides(self, position: Position) -> Sequence[Side]:
        """The sides whose infiltrator is unknown."""
        kerd = _kerd(position)
        return [side for side in Side if kerd.choice_of(side) == UNKNOWN]

    def names_a_choice(self, position: Position) -> bool:
        """Whether the position contains a hidden square; a void choice names none."""
        kerd = _kerd(position)
        return any(is_hidden(kerd, side) and _on_board(kerd, side) for side in Side)

    def choices(self, position: Position, side: Side) -> Sequence[str]:
        """The squares with an enemy piece that can be an infiltrator, by file and rank."""
        kerd = _kerd(position)
        return [square for square, at in SQUARE_OF.items() if _may_choose(kerd, side, at)]

    def check(self, position: Position, side: Side, choice: str) -> None:
        """Raise BadChoice, which lists the squares of `choices`, for any other square."""
        at = SQUARE_OF.get(choice)
        if at is None or not _may_choose(_kerd(position), side, at):
            allowed = ", ".join(self.choices(position, side))
            raise BadChoice(
                choice,
                phrase(
                    "{choice} cannot be chosen; choose one of {allowed}",
                    choice=quote_text(choice),
                    allowed=allowed,
                ),
            )

    def commitment(self, choice: str, nonce: str) -> str:
        """Lowercase hex SHA-256 of `square:nonce`."""
        return commitment(choice, nonce)

    def is_nonce(self, text: str) -> bool:
        """Whether a text is at least 32 lowercase hex digits."""
        return is_nonce(text)

    def place(self, position: Position, side: Side, choice: str) -> None:
        """Put the choice into a first position."""
        _kerd(position).choose(side, SQUARE_OF[choice])

    def view(self, position: Position, hidden: Collection[Side]) -> Position:
        """A copy in which the choices of these sides are unknown, unless revealed."""
        return view(_kerd(position), hidden)

    def visible_actions(self, position: Position, hidden: Collection[Side]) -> Sequence[Action]:
        """The legal actions, without the reveal of a hidden choice."""
        return visible_actions(_kerd(position), hidden)

    def read_choices(
        self, position: Position, tags: Mapping[str, str]
    ) -> Mapping[Side, DisclosedChoice]:
        """The squares in the position, with the nonces of the tags; raises BadChoice.

        A commitment is to a square with a nonce. It cannot be recomputed if the square is where the
        piece stood in the game's very first position, or if the nonce is missing.
        """
        kerd = _kerd(position)
        found = {}
        for side, name in zip(Side, SIDES, strict=True):
            square = NAMES.get(kerd.choice_of(side))
            nonce = tags.get(f"{name}Nonce")
            stated = tags.get(f"{name}Infiltrator", square)
            if f"{name}Commitment" in tags and (square is None or nonce is None):
                raise BadChoice(
                    stated or "?", phrase("{name}'s commitment cannot be opened", name=name)
                )
            if square is None:
                continue
            if stated != square:
                raise BadChoice(
                    square,
                    phrase(
                        "{name}Infiltrator names {stated}, the FEN {square}",
                        name=name,
                        stated=stated,
                        square=square,
                    ),
                )
            found[side] = DisclosedChoice(square, nonce)
        return found

    def tags(
        self, side: Side, choice: str, commitment: str | None, nonce: str | None
    ) -> Mapping[str, str]:
        """The side's Infiltrator, Commitment and Nonce tags, as far as they are disclosed."""
        parts = {"Infiltrator": choice, "Commitment": commitment, "Nonce": nonce}
        return {f"{SIDES[side]}{name}": text for name, text in parts.items() if text is not None}


def _kerd(position: Position) -> Kerd:
    if not isinstance(position, Kerd):
        raise TypeError(f"not a position of Kerd: {position!r}")
    return position


def _may_choose(position: Kerd, side: Side, at: int) -> bool:
    piece = position.piece_at(at)
    return bool(piece & BLACK >> side) and piece & KIND <= LAST_ELIGIBLE


def _on_board(position: Kerd, side: Side) -> bool:
    return position.choice_of(side) in SQUARE_OF.values()
