"""The lines of a record played action by action, variations and all."""

from __future__ import annotations

from dataclasses import dataclass

from engine.outcome import Outcome
from engine.position import Position
from notation.agreement import Agreement
from notation.dialect import Dialect
from notation.game import Line
from notation.line_play import LinePlay, Terms
from notation.listener import Listener, PositionListener
from notation.record import Record
from notation.written_line import WrittenLine


@dataclass(frozen=True, slots=True)
class Replay:
    """Plays a record's lines by the game's notation and what the players agreed.

    `claimed` is the end that the record states, for the short form of the last action. The listener
    `positions`, if given, receives the positions of the game's line.
    """

    record: Record
    dialect: Dialect
    agreement: Agreement
    claimed: Outcome | None = None
    positions: PositionListener | None = None

    def play(
        self, line: WrittenLine, position: Position, listener: Listener | None = None
    ) -> tuple[Line, int]:
        """Play all of the game's line on `position`; return its moves and their number of plies.

        The `listener`, if given, receives them. Raises RecordError for an action that is not legal
        or comes after the agreed limit.
        """
        if self.positions is not None:
            self.positions.begin(self.dialect.variant.name, position)
        playing = LinePlay(self._terms(), line, position, listener, plies=0, first=1)
        return playing.play(self.claimed, self.positions)

    def play_variation(
        self, line: WrittenLine, position: Position, plies: int, ply: int, listener: Listener
    ) -> Line:
        """Play a variation of the game's action number `ply` on the position before that action.

        `plies` are the plies played before it. Otherwise as `play`.
        """
        moves, _ = LinePlay(self._terms(), line, position, listener, plies, ply).play()
        return moves

    def _terms(self) -> Terms:
        return Terms(self.record.section, self.dialect, self.agreement)
