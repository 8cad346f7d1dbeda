"""`decide(command, state, actor)`: which of the puzzles found in a game are new."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from service.log.values import Event
from service.player.actor import Actor
from service.puzzles.found.commands import RecordPuzzles
from service.puzzles.found.events import PuzzlesFound
from service.puzzles.found.state import GamePuzzles


def create(command: RecordPuzzles, actor: Actor) -> Sequence[Event]:
    """The event of the first search of a game."""
    return (record_new(command, ()),)


def decide(command: RecordPuzzles, state: GamePuzzles, actor: Actor) -> Sequence[Event]:
    """The event with the new puzzles; none if the same analysis was used before."""
    if command.analysis in state.analyses:
        return ()
    return (record_new(command, {one.puzzle.id for one in state.puzzles}),)


def record_new(command: RecordPuzzles, known: Collection[str]) -> PuzzlesFound:
    """The event of the puzzles whose ids are not known, each once, while there is room for more."""
    found = {one.puzzle.id: one for one in reversed(command.puzzles)}
    new = [one.to_json() for id, one in reversed(found.items()) if id not in known]
    room = max(0, command.most - len(known))
    puzzles = tuple(new[:room])
    return PuzzlesFound(analysis=command.analysis, variant=command.variant, puzzles=puzzles)
