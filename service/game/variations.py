"""Reads, judges and writes the movetext of the variations beside a game's actions.

A variation from an annotation is kept as movetext and read only where it is needed, so that code
which only folds the game's events, such as the lists, need not parse it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from engine.position import Position
from notation.agreement import Agreement
from notation.errors import RecordError
from notation.game import Line
from notation.movetext import Movetext
from notation.record import Record, read_variation
from notation.registry import find_dialect
from notation.replay import Replay
from notation.writer import write_variation
from notation.written_line import WrittenLine
from service.game.begin import find_initial_position
from service.game.endings import agreement
from service.game.errors import AnnotationTooLarge, IllegalVariation, UnreadableVariation
from service.game.state import GameState
from service.game.values import Played

MAX_DEPTH: Final = 16
"""How deep variations in an annotation may be nested."""
MAX_ACTIONS: Final = 10_000
"""The most actions of a record that is imported, and of a game with variations, those included."""


def judge_variations(state: GameState, ply: int, texts: Sequence[str]) -> tuple[str, ...]:
    """The canonical movetexts of variations of the action at `ply`.

    Raises UnreadableVariation or IllegalVariation, which name the variation and the place in it,
    and AnnotationTooLarge for one that is nested too deeply.
    """
    before, plies = next(
        (position.copy(), plies) for index, position, plies in _positions(state) if index == ply - 1
    )
    judged = []
    for number, text in enumerate(texts, 1):
        written = Movetext()
        try:
            record = read_variation(text)
            if _measure_depth(record.line) > MAX_DEPTH:
                raise AnnotationTooLarge("depth of variations in variations", MAX_DEPTH)
            _play(state.variant, record, before, plies, ply, agreement(state), written)
        except RecordError as why:
            raise _refuse(why, number) from why
        judged.append(written.line())
    return tuple(judged)


def read_variations(state: GameState) -> GameState:
    """The game with all its variations as values."""
    if not any(isinstance(one, str) for played in state.played for one in played.variations):
        return state
    played = list(state.played)
    for index, position, plies in _positions(state):
        if played[index].variations:
            lines = tuple(
                _play_text(state.variant, one, position, plies, index + 1)
                if isinstance(one, str)
                else one
                for one in played[index].variations
            )
            played[index] = replace(played[index], variations=lines)
    return replace(state, played=tuple(played))


def list_lines(played: Played) -> tuple[Line, ...]:
    """The variations of an action, in a game whose variations have all been read."""
    if any(isinstance(one, str) for one in played.variations):
        raise TypeError("the variations have not been read")
    return tuple(one for one in played.variations if not isinstance(one, str))


def write_variations(state: GameState) -> dict[int, tuple[str, ...]]:
    """The movetexts of the variations of every action that has any, by its ply."""
    if not any(played.variations for played in state.played):
        return {}
    texts = find_dialect(state.variant)
    return {
        index + 1: tuple(
            one if isinstance(one, str) else write_variation(one, texts, position.copy())
            for one in state.played[index].variations
        )
        for index, position, _ in _positions(state)
        if state.played[index].variations
    }


def count_actions(played: Iterable[Played]) -> int:
    """The number of these actions, with those of their variations."""
    return sum(1 + sum(map(_count_actions, one.variations)) for one in played)


def _count_actions(variation: Line | str) -> int:
    if isinstance(variation, str):
        return read_variation(variation).line.count_actions()
    return sum(1 + sum(map(_count_actions, move.variations)) for move in variation)


def _positions(state: GameState) -> Iterator[tuple[int, Position, int]]:
    """Each action's index, the position it was played in, and the number of plies before it.

    The position is always the same object, on which the next action is then played.
    """
    position = find_initial_position(state)
    plies = 0
    for index, played in enumerate(state.played):
        yield index, position, plies
        side = position.side
        position.play(played.action)
        plies += position.side != side


def _play_text(variant: str, text: str, position: Position, plies: int, ply: int) -> Line:
    """The line that a movetext in the log denotes; it was judged when it was written."""
    return _play(variant, read_variation(text), position, plies, ply, Agreement(), Movetext())


def _play(
    variant: str,
    record: Record,
    position: Position,
    plies: int,
    ply: int,
    agreed: Agreement,
    listener: Movetext,
) -> Line:
    """The line that a record's text denotes; `listener` hears it. Raises RecordError."""
    replay = Replay(record, find_dialect(variant), agreed)
    return replay.play_variation(record.line, position.copy(), plies, ply, listener)


def _measure_depth(line: WrittenLine) -> int:
    """How deep variations are nested in a variation, counting itself."""
    inner = (each for notes in line.notes.values() for each in notes.variations)
    return 1 + max(map(_measure_depth, inner), default=0)


def _refuse(why: RecordError, number: int) -> UnreadableVariation | IllegalVariation:
    """The error for the variation of this number, which cannot be read or played."""
    if why.ply is None:
        return UnreadableVariation(number, why.reason, why.column)
    assert why.token is not None
    return IllegalVariation(number, why.reason, why.column, why.ply, why.token, why.nearest)
