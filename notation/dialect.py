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
"""What stands in a placement beside the pieces."""


@dataclass(slots=True)
class FoundActions:
    """What `Dialect.play_readings` adds of each action to the lists that there are.

    `actions` are what was played, `told` what is told of it (`engine.naming`), `turns` twice the
    number of the full move, 1 more if the second side acts, `identities` what `Dialect.identify`
    tells of the position behind it.
    """

    actions: list[int] = field(default_factory=list)
    told: list[int] | None = None
    turns: list[int] | None = None
    identities: list[bytes] | None = None


class Dialect(Protocol):
    """Text forms of one variant's positions and actions (rules page `notation.md`).

    A game's class derives from this one; `position_key`, `accepts`, `check`, `sealing`, `combat`
    and `list_captures` are for the games that need them; `identify`, `cells` and, together,
    `read_tokens`, `play_readings` and `write_told` for those that know a faster way.
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

    def san(self, position: Position, action: Action, claim: Outcome | None = None) -> str:
        """The canonical short algebraic form of a legal action.

        `claim` is the end that the record states behind this action, its last one; only a game
        in which `accepts` can hold looks at it (Ruling R32).
        """

    def advance(self, position: Position, action: Action, claim: Outcome | None = None) -> str:
        """Play a legal action for good and return its `san`."""
        san = self.san(position, action, claim)
        position.play(action)
        return san

    def resolve(self, position: Position, token: str) -> Action:
        """The one legal action that a token in either form means.

        The token is parsed without the position, then judged against it; suffixes `!` and `?`
        are the reader's affair and not part of it. Raises UnreadableToken, IllegalMove,
        AmbiguousMove, or AfterTheEnd.
        """

    def read_tokens(self, tokens: Sequence[str]) -> list[int]:
        """The readings of tokens (`engine.naming`), for `play_readings`; 0 for what has none."""
        return [0] * len(tokens)

    def play_readings(
        self,
        position: Position,
        readings: list[int],
        start: int,
        end: int,
        found: FoundActions,
    ) -> None:
        """Play for good what the readings from `start` to before `end` mean, in order.

        That ends before the first that `resolve` has to look at, since it is wrong or of a rare
        form. The same is found as by `resolve`, one after the other, in fewer steps.
        """
        return None

    def write_told(self, told: Sequence[int]) -> list[str]:
        """The canonical short forms of actions of which this is told."""
        return []

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
