"""How one variant is written: the interface each game's notation module fills."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from engine.outcome import Outcome
from engine.position import Action, Position
from engine.variant import Variant
from notation.combat import CaptureFields, CombatFields
from notation.errors import NoCombat
from notation.fen import spread_cells, write_material
from notation.sealing import Sealing

NO_PIECE: Final = str.maketrans("", "", "0123456789/")
"""What stands in a placement beside the pieces."""


class Dialect(Protocol):
    """Text forms of one variant's positions and actions (rules page `notation.md`).

    A game's class derives from this one; `position_key`, `accepts`, `check`, `sealing`, `combat`
    and `list_captures` are for the games that need them, `identify` and `cells` for those
    that know a faster way.
    """

    titles: Sequence[str] = ()
    """What the game's rule book calls it beside the variant's own name (Ruling R38)."""

    @property
    def variant(self) -> Variant:
        """The variant that is written so."""

    def read_fen(self, text: str) -> Position:
        """The position a canonical FEN describes; raises BadFen."""

    def write_fen(self, position: Position) -> str:
        """The canonical FEN: `read_fen(write_fen(p))` equals p."""

    def position_key(self, fen: str) -> str:
        """The part of a canonical FEN that is the same wherever the position occurs.

        The move number is no part of it, the points are.
        """
        return fen.rpartition(" ")[0]

    def identify(self, position: Position) -> bytes:
        """What `position_key` tells of a position, in fewer steps: equal where that is equal."""
        return self.position_key(self.write_fen(position)).encode()

    def cells(self, identity: bytes) -> bytes:
        """The cells of a position, from what `identify` tells of it.

        They are in the order in which the FEN writes them: a piece's letter each, or a blank.
        """
        return spread_cells(identity.decode())

    def material(self, fen: str) -> str:
        """The pieces on the board of a canonical FEN, each letter with its count if above one.

        The letters stand in alphabetical order, capitals first.
        """
        return write_material(fen.partition(" ")[0].translate(NO_PIECE))

    def start(self, tags: Mapping[str, str]) -> Position:
        """The first position of a game with these tags (`FEN`, and what else sets it up).

        Raises BadFen; its `field` is the tag's name where another tag than `FEN` is at fault.
        """

    def coordinate(self, action: Action) -> str:
        """The coordinate form, exact in any position."""

    def san(
        self, position: Position, action: Action, claim: Outcome | None = None, said: str = ""
    ) -> str:
        """The canonical short algebraic form of a legal action.

        `claim` is the end that the record states behind this action, its last one; only a game
        in which `accepts` can hold looks at it (Ruling R32). `said` is a token that `resolve` has
        found to mean this action here: one that names no origin shows that none has to be named.
        """

    def advance(
        self, position: Position, action: Action, claim: Outcome | None = None, said: str = ""
    ) -> str:
        """Play a legal action for good and return its `san`."""
        san = self.san(position, action, claim, said)
        position.play(action)
        return san

    def resolve(self, position: Position, token: str) -> Action:
        """The one legal action that a token in either form means.

        The token is parsed without the position, then judged against it; suffixes `!` and `?`
        are the reader's affair and not part of it. Raises UnreadableToken, IllegalMove,
        AmbiguousMove, or AfterTheEnd.
        """

    def accepts(self, position: Position, claim: Outcome) -> bool:
        """Whether a record may claim an end that the rules do not see here (Rulings R32, R36)."""
        return False

    def check(self, tags: Mapping[str, str]) -> None:
        """Check the tags that only this game has; raises BadCommitment."""
        return None

    @property
    def sealing(self) -> Sealing | None:
        """How the players choose in secret before the game, None where they do not."""
        return None

    def combat(self, position: Position, origin: str, target: str) -> CombatFields:
        """Why the piece on one space captures what stands on another, or why it does not.

        Spaces are given by name. Raises BadSquare, or NoCombat in a game whose captures need no
        strength.
        """
        raise NoCombat(self.variant.name)

    def list_captures(self, position: Position) -> Sequence[CaptureFields]:
        """The captures of the side to move with both strengths, by origin and target.

        Captures that fail are among them; a game whose captures need no strength has none.
        """
        return ()
