"""The lines of a record played action by action, variations and all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol

from engine.outcome import Outcome
from engine.position import Action, Position
from notation.agreement import Agreement
from notation.dialect import Dialect
from notation.errors import AfterTheEnd, RecordError, TokenError
from notation.game import Line, Move
from notation.record import Record
from notation.written_line import Notes, WrittenLine

_bare: Final = lru_cache(maxsize=1 << 14)(Move)
"""The move of an action with nothing beside it: most are such, and equal ones may be the same."""


class Listener(Protocol):
    """Receives a game's lines in short form while they are played, action by action.

    See `notation.movetext.Movetext`, which writes them.
    """

    def add_action(self, number: int, side: int, san: str, before: Sequence[str] = ()) -> None:
        """Receive an action with the comments before it, in the full move `number`, by `side`."""

    def add_annotations(self, nags: Sequence[int], after: Sequence[str]) -> None:
        """Receive the glyphs and the comments behind the last action."""

    def open_variation(self) -> Listener | None:
        """The listener for a variation of the last action; None to ignore it."""

    def close_variation(self) -> None:
        """End the variation that this listener is for."""


@dataclass(frozen=True, slots=True)
class Replay:
    """Plays a record's lines by the game's notation and what the players agreed.

    `claimed` is the end that the record states, for the short form of the last action. `visit`, if
    there is one, is called with each position of the game's line, the first one too.
    """

    record: Record
    dialect: Dialect
    agreement: Agreement
    claimed: Outcome | None = None
    visit: Callable[[Position], None] | None = None

    def play(
        self, line: WrittenLine, position: Position, listener: Listener | None = None
    ) -> tuple[Line, int]:
        """Play all of the game's line on `position`; return its moves and how many plies they are.

        The `listener`, if there is one, is told of them. Raises RecordError for an action that is
        not legal or comes after the agreed limit.
        """
        if self.visit is not None:
            self.visit(position)
        return self._play(line, position, listener, 0, 1, self.claimed, self.visit)

    def play_variation(
        self, line: WrittenLine, position: Position, plies: int, ply: int, listener: Listener
    ) -> Line:
        """Play a variation of the game's action number `ply` on the position that this stood in.

        `plies` are those played before it. Otherwise as `play`.
        """
        moves, _ = self._play(line, position, listener, plies, ply)
        return moves

    def _play(
        self,
        line: WrittenLine,
        position: Position,
        listener: Listener | None,
        plies: int,
        first: int,
        claimed: Outcome | None = None,
        visit: Callable[[Position], None] | None = None,
    ) -> tuple[Line, int]:
        """As `play`, behind so many plies; the line's first action is number `first`."""
        resolve, play, notes = self.dialect.resolve, position.play, line.notes
        limit, side = self.agreement.ply_limit, position.side
        last = len(line.moves) - 1
        moves = []
        for index, (token, offset) in enumerate(line.moves):
            try:
                if plies == limit:
                    raise AfterTheEnd(token, "the agreed limit of plies had been reached")
                action = resolve(position, token)
            except TokenError as why:
                raise self._error(why, offset, first + index) from why
            beside = notes.get(index)
            here = position.copy() if beside and beside.variations else position
            if listener is None:
                play(action)
            else:
                number = position.number
                stated = claimed if index == last else None
                san = self.dialect.advance(position, action, stated, token)
                listener.add_action(number, side, san, beside.before if beside else ())
            if visit is not None:
                visit(position)
            if beside is None:
                moves.append(_bare(action))
            else:
                moves.append(self._annotated(action, beside, here, listener, plies, first + index))
            if position.side != side:
                side = position.side
                plies += 1
        return tuple(moves), plies

    def _annotated(
        self,
        action: Action,
        notes: Notes,
        position: Position,
        listener: Listener | None,
        plies: int,
        number: int,
    ) -> Move:
        """A move with what stands beside it; its variations are played from where it was."""
        if listener is not None:
            listener.add_annotations(notes.nags, notes.after)
        variations = []
        for line in notes.variations:
            inner = None if listener is None else listener.open_variation()
            moves, _ = self._play(line, position.copy(), inner, plies, number)
            variations.append(moves)
            if inner is not None:
                inner.close_variation()
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
