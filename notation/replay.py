"""The lines of a record played action by action, variations and all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from engine.position import Action, Position
from notation.agreement import Agreement
from notation.dialect import Dialect
from notation.errors import AfterTheEnd, RecordError, TokenError
from notation.game import Line, Move
from notation.record import Notes, Record, WrittenLine

_bare: Final = lru_cache(maxsize=1 << 14)(Move)
"""The move of an action with nothing beside it: most are such, and equal ones may be the same."""


@dataclass(frozen=True, slots=True)
class Replay:
    """What a record's lines are played by: a game's notation, and what the players agreed."""

    record: Record
    dialect: Dialect
    agreement: Agreement

    def play(
        self, line: WrittenLine, position: Position, plies: int = 0, first: int = 1
    ) -> tuple[Line, int]:
        """Play all of a line in `position`: its moves, and the plies played behind it.

        `plies` have been played before it, and its first action is number `first` of the game.
        Raises RecordError for an action that is not legal or comes after the agreed limit.
        """
        resolve, play, notes = self.dialect.resolve, position.play, line.notes
        limit, side = self.agreement.ply_limit, position.side
        moves = []
        for index, (token, offset) in enumerate(line.moves):
            try:
                if plies == limit:
                    raise AfterTheEnd(token, "the agreed limit of plies had been reached")
                action = resolve(position, token)
            except TokenError as why:
                raise self._error(why, offset, first + index) from why
            if index in notes:
                here = position, plies, first + index
                moves.append(self._annotated(action, notes[index], *here))
            else:
                moves.append(_bare(action))
            play(action)
            if position.side != side:
                side = position.side
                plies += 1
        return tuple(moves), plies

    def _annotated(
        self, action: Action, notes: Notes, position: Position, plies: int, number: int
    ) -> Move:
        """A move with what stands beside it; its variations are played from where it was."""
        variations = []
        for line in notes.variations:
            moves, _ = self.play(line, position.copy(), plies, number)
            variations.append(moves)
        return Move(
            action,
            tuple(notes.nags),
            tuple(notes.before),
            tuple(notes.after),
            tuple(variations),
        )

    def _error(self, why: TokenError, offset: int, ply: int) -> RecordError:
        line, column = self.record.section.where(offset)
        return RecordError(
            why.code,
            f"{why.token}: {why.reason}",
            line=line,
            column=column,
            ply=ply,
            token=why.token,
            nearest=why.nearest,
        )
