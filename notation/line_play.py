"""Playing a line of a record: the game's, or a variation with those within it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from engine.outcome import Outcome
from engine.position import Action, Position, count_turns
from notation.agreement import Agreement
from notation.dialect import Dialect, FoundActions
from notation.errors import AfterTheEnd, RecordError, TokenError
from notation.game import Line, Move
from notation.listener import Listener, PositionListener
from notation.section import Section
from notation.written_line import Notes, WrittenLine

_bare: Final = lru_cache(maxsize=1 << 14)(Move)
"""The move of an action with nothing beside it; most have nothing, and equal ones are shared."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What playing a line needs: the notation, the agreement, and the text of the line."""

    section: Section
    dialect: Dialect
    agreement: Agreement


class LinePlay:
    """Plays a line once, on a position that it changes.

    `first` is the number of the line's first action in the game, `plies` the plies played before
    it. The `listener`, if there is one, receives the actions.
    """

    def __init__(
        self,
        terms: Terms,
        line: WrittenLine,
        position: Position,
        listener: Listener | None,
        plies: int,
        first: int,
    ) -> None:
        self._terms = terms
        self._line = line
        self._position = position
        self._listener = listener
        self._positions: PositionListener | None = None
        self._plies = plies
        self._first = first
        self._moves: list[Move] = []

    def play(
        self, claimed: Outcome | None = None, positions: PositionListener | None = None
    ) -> tuple[Line, int]:
        """Play all of the line; return its moves and how many plies have been played.

        `claimed` is the end that the record states after it. Raises RecordError for an action that
        is not legal or comes after the agreed limit.
        """
        self._positions = positions
        tokens, moves = self._line.tokens, self._moves
        readings = self._terms.dialect.read_tokens(tokens)
        for stop in self._list_stops(claimed):
            while len(moves) < stop:
                self._play_row(readings, stop)
                if len(moves) < stop:
                    self._play_one()
            if stop < len(tokens):
                self._play_one(claimed if stop == len(tokens) - 1 else None)
        return tuple(moves), self._plies

    def _list_stops(self, claimed: Outcome | None) -> Iterator[int]:
        """The indexes of actions to be played one at a time, in order, then the line's end.

        They have variations, which begin in the position before them, or a claim after them.
        """
        end = len(self._line.tokens)
        last = end if claimed is None else end - 1
        for index, beside in self._line.notes.items():
            if beside.variations and index < last:
                yield index
        if 0 <= last < end:
            yield last
        yield end

    def _play_row(self, readings: list[int], end: int) -> None:
        """Play actions up to index `end`, exclusive, or up to one that must be played singly."""
        limit = self._terms.agreement.ply_limit
        start, dialect = len(self._moves), self._terms.dialect
        if limit is not None:
            end = min(end, start + limit - self._plies)
        found = FoundActions()
        if self._listener is not None:
            found.descriptions, found.turns = [], []
        if self._positions is not None:
            found.identities = []
        before = count_turns(self._position)
        dialect.play_readings(self._position, readings, start, end, found)
        if not found.actions:
            return
        self._plies += count_turns(self._position) - before
        if self._positions is not None and found.identities is not None:
            self._positions.add(found.identities)
        if self._listener is not None and found.descriptions and found.turns:
            self._pass_on(
                self._listener, start, found.turns, dialect.write_sans(found.descriptions)
            )
        self._moves += map(_bare, found.actions)
        if self._line.notes:
            for index in range(start, len(self._moves)):
                if (beside := self._line.notes.get(index)) is not None:
                    self._moves[index] = _annotated(self._moves[index].action, beside)

    def _pass_on(self, listener: Listener, start: int, turns: list[int], sans: list[str]) -> None:
        """Pass consecutive actions, the first with index `start`, to the listener."""
        notes = self._line.notes
        if not notes:
            listener.add_actions(turns, sans)
            return
        for index, (turn, san) in enumerate(zip(turns, sans, strict=True), start):
            beside = notes.get(index)
            listener.add_action(turn >> 1, turn & 1, san, beside.before if beside else ())
            if beside is not None:
                listener.add_annotations(beside.nags, beside.after)

    def _play_one(self, claimed: Outcome | None = None) -> None:
        """Play the next action by itself; `claimed` is the end stated after it, if any."""
        index, position, listener = len(self._moves), self._position, self._listener
        action = self._resolve(index)
        beside = self._line.notes.get(index)
        here = position.copy() if beside and beside.variations else position
        number, side = position.number, position.side
        if listener is None:
            position.play(action)
        else:
            san = self._terms.dialect.advance(position, action, claimed)
            listener.add_action(number, side, san, beside.before if beside else ())
        if self._positions is not None:
            self._positions.add([self._terms.dialect.identify(position)])
        if beside is None:
            self._moves.append(_bare(action))
        else:
            self._moves.append(self._play_beside(action, beside, here))
        self._plies += position.side != side

    def _resolve(self, index: int) -> Action:
        """The action with this index; raises RecordError."""
        token = self._line.tokens[index]
        try:
            if self._plies == self._terms.agreement.ply_limit:
                raise AfterTheEnd(token, "the agreed limit of plies had been reached")
            return self._terms.dialect.resolve(self._position, token)
        except TokenError as why:
            line, column = self._terms.section.where(self._line.find_place(index))
            raise RecordError(
                why.code,
                f"{why.token}: {why.reason}",
                line=line,
                column=column,
                ply=self._first + index,
                token=why.token,
                nearest=why.nearest,
            ) from why

    def _play_beside(self, action: Action, notes: Notes, here: Position) -> Move:
        """The move of an action with its notes; variations are played from `here`."""
        listener, number = self._listener, self._first + len(self._moves)
        if listener is not None:
            listener.add_annotations(notes.nags, notes.after)
        variations = []
        for line in notes.variations:
            inner = None if listener is None else listener.open_variation()
            playing = LinePlay(self._terms, line, here.copy(), inner, self._plies, number)
            variations.append(playing.play()[0])
            if inner is not None:
                inner.close_variation()
        return _annotated(action, notes, tuple(variations))


def _annotated(action: Action, notes: Notes, variations: tuple[Line, ...] = ()) -> Move:
    return Move(action, tuple(notes.nags), tuple(notes.before), tuple(notes.after), variations)
