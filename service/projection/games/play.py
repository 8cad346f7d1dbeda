"""What was played in a finished game, as games are found by it: its positions and its actions."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.position import Position
from notation.registry import find_dialect
from service.game.begin import find_initial_position
from service.game.events import RecordImported
from service.game.importing import positions_in
from service.game.state import GameState
from service.game.values import GameStatus
from service.projection.games.keys import counts_key, digest_position
from service.projection.games.placements import PlacementChanges

RESULTS: Final = {"0-1": 0, "1/2-1/2": 1, "1-0": 2, "*": 3}
"""The numbers of results in the table of positions."""
ENDED: Final = ""
"""Stands for the action from a position in which a game ended."""


@dataclass(frozen=True, slots=True)
class Play:
    """What was played in a finished game.

    `steps` are the key of each position and what was played there, first to last; `material` are
    the keys of what stood on the board. `actions` and `placements` are what `GAME_PLAY` keeps.
    """

    result: int
    steps: Sequence[tuple[int, str]]
    material: frozenset[int]
    actions: str
    placements: bytes


@dataclass(frozen=True, slots=True)
class IndexedPositions:
    """A game's positions, first to last: the key of each, and what all of them had.

    `material` and `placements` are as in `Play`; `plies` is how often the turn passed, `points` are
    those of the last position.
    """

    keys: array[int]
    material: frozenset[int]
    placements: bytes
    plies: int
    points: tuple[int, int] | None


class PositionIndex:
    """Indexes the positions of a game while it is played."""

    def __init__(self) -> None:
        self._variant = ""
        self._digests: list[bytes] = []
        self._changes: PlacementChanges | None = None
        self._last: Position | None = None
        self._side = 0
        self._plies = 0

    def add(self, variant: str, position: Position) -> None:
        """Add the next position of the game; it may be played on afterwards."""
        dialect = find_dialect(variant)
        identity = dialect.identify(position)
        self._digests.append(digest_position(variant, identity))
        if self._changes is None:
            self._variant = variant
            self._changes = PlacementChanges(variant)
            self._side = position.side
        self._changes.add(dialect.cells(identity))
        if position.side != self._side:
            self._side = position.side
            self._plies += 1
        self._last = position

    def finish(self) -> IndexedPositions:
        """All positions that were added, of which there must be one, the last as it stands."""
        assert self._changes is not None
        assert self._last is not None
        keys = array("q", b"".join(self._digests))
        if sys.byteorder == "little":
            keys.byteswap()
        return IndexedPositions(
            keys=keys,
            material=frozenset(counts_key(self._variant, each) for each in self._changes.counts),
            placements=self._changes.encode(),
            plies=self._plies,
            points=self._last.points(),
        )


def index_record(event: RecordImported) -> IndexedPositions:
    """The positions of an imported record; raises TokenError where its actions are not legal."""
    index = PositionIndex()
    for position in positions_in(event):
        index.add(event.variant, position)
    return index.finish()


def play_of(state: GameState) -> Play | None:
    """What was played in a finished game; None for another.

    Nothing of a running game is ever indexed: it could tell a secret choice.
    """
    if state.status is not GameStatus.FINISHED or state.ending is None:
        return None
    index = PositionIndex()
    position = find_initial_position(state)
    index.add(state.variant, position)
    for played in state.played:
        position.play(played.action)
        index.add(state.variant, position)
    actions = [played.coordinate for played in state.played]
    return make_play(index.finish(), actions, state.ending.result)


def make_play(positions: IndexedPositions, actions: Sequence[str], result: str) -> Play:
    """What was played, of the positions, the actions between them and the result."""
    return Play(
        result=RESULTS[result],
        steps=list(zip(positions.keys, [*actions, ENDED], strict=True)),
        material=positions.material,
        actions=write_actions(actions),
        placements=positions.placements,
    )


def write_actions(actions: Sequence[str]) -> str:
    """Actions with blanks between and around them, as `GAME_PLAY` keeps them.

    >>> write_actions(["d1e3", "Kyan"])
    ' d1e3 Kyan '
    """
    return f" {' '.join(actions)} "
