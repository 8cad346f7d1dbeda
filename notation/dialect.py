"""How one variant is written: the interface each game's notation module fills."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from engine.outcome import Outcome
from engine.position import Action, Position
from engine.variant import Variant
from notation.combat import CaptureFields, CombatFields
from notation.errors import NoCombat
from notation.fen import spread_cells, write_material
from notation.sealing import Sealing

NO_PIECE: Final = str.maketrans("", "", "0123456789/")
"""The characters of a placement that are no pieces."""


@dataclass(slots=True)
class FoundActions:
    """What `Dialect.play_readings` adds for each action to those lists that are not None.

    `actions` are the actions played, `descriptions` all that notation writes of each
    (`engine.naming`), `turns` twice the number of the full move, plus 1 if the second side acts,
    and `identities` the values of `Dialect.identify` for the positions after them.
    """

    actions: list[int] = field(default_factory=list)
    descriptions: list[int] | None = None
    turns: list[int] | None = None
    identities: list[bytes] | None = None


class Dialect(Protocol):
    """Text forms of one variant's positions and actions (rules page `notation.md`).

    A game's class derives from this one. It overrides `position_key`, `accepts`, `check`,
    `sealing`, `combat` and `list_captures` if the game needs them, and `identify`, `cells` and
    (all together) `read_tokens`, `play_readings` and `write_sans` if it has a faster way.
    """

    titles: Sequence[str] = ()
    """The rule book's names for the game beside the variant's own name (Ruling R38)."""

    @property
    def variant(self) -> Variant:
        """The variant that this dialect writes."""

    def read_fen(self, text: str) -> Position:
        """The position a canonical FEN describes; raises BadFen."""

    def write_fen(self, position: Position) -> str:
        """The canonical FEN: `read_fen(write_fen(p))` equals p."""

    def position_key(self, fen: str) -> str:
        """The part of a canonical FEN that is the same wherever the position occurs.

        It includes the points but not the move number.
        """
        return fen.rpartition(" ")[0]

    def identify(self, position: Position) -> bytes:
        """A faster `position_key`, as bytes: equal for two positions where their keys are equal."""
        return self.position_key(self.write_fen(position)).encode()

    def cells(self, identity: bytes) -> bytes:
        """The cells of the position with this `identify` value.

        They are in the order in which the FEN writes them: a piece's letter each, or a blank.
        """
        return spread_cells(identity.decode())

    def material(self, fen: str) -> str:
        """The pieces on the board of a canonical FEN, each letter with its count if above one.

        The letters stand in alphabetical order, capitals first.
        """
        return write_material(fen.partition(" ")[0].translate(NO_PIECE))

    def start(self, tags: Mapping[str, str]) -> Position:
        """The first position of a game with these tags (`FEN`, and others that set it up).

        Raises BadFen; its `field` is the tag's name where a tag other than `FEN` is at fault.
        """

    def coordinate(self, action: Action) -> str:
        """The coordinate form, exact in any position."""

    def san(self, position: Position, action: Action, claim: Outcome | None = None) -> str:
        """The canonical short algebraic form of a legal action.

        `claim` is the end that the record states after this action, its last one. Only a game in
        which `accepts` can be true uses it (Ruling R32).
        """

    def advance(self, position: Position, action: Action, claim: Outcome | None = None) -> str:
        """Play a legal action for good and return its `san`."""
        san = self.san(position, action, claim)
        position.play(action)
        return san

    def resolve(self, position: Position, token: str) -> Action:
        """The one legal action that a token in either form means.

        The token is parsed without the position, then judged against it. The suffixes `!` and `?`
        are handled by the reader and not part of it. Raises UnreadableToken, IllegalMove,
        AmbiguousMove, or AfterTheEnd.
        """

    def read_tokens(self, tokens: Sequence[str]) -> list[int]:
        """The readings of tokens (`engine.naming`), for `play_readings`; 0 for one without."""
        return [0] * len(tokens)

    def play_readings(
        self,
        position: Position,
        readings: list[int],
        start: int,
        end: int,
        found: FoundActions,
    ) -> None:
        """Play for good what the readings from `start` up to but not including `end` mean.

        It stops before the first one that is wrong or of a rare form and needs `resolve`. The
        result is the same as calling `resolve` for one after the other, in fewer steps.
        """
        return None

    def write_sans(self, descriptions: Sequence[int]) -> list[str]:
        """The canonical short forms of actions with these descriptions (`engine.naming`)."""
        return []

    def accepts(self, position: Position, claim: Outcome) -> bool:
        """Whether a record may claim an end that the rules do not see here (Rulings R32, R36)."""
        return False

    def check(self, tags: Mapping[str, str]) -> None:
        """Check the tags that belong to this game alone; raises BadCommitment."""
        return None

    @property
    def sealing(self) -> Sealing | None:
        """How the players make secret choices before the game, None where they make none."""
        return None

    def combat(self, position: Position, origin: str, target: str) -> CombatFields:
        """Why the piece on one space captures what stands on another, or why it does not.

        Spaces are given by name. Raises BadSquare, or NoCombat in a game whose captures need no
        strength.
        """
        raise NoCombat(self.variant.name)

    def list_captures(self, position: Position) -> Sequence[CaptureFields]:
        """The captures of the side to move with both strengths, by origin and target.

        They include captures that fail; a game whose captures need no strength has none.
        """
        return ()
