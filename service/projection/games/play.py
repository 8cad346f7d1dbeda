"""What was played in a finished game, for finding it: its positions and its actions."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.position import Position, count_turns
from notation.registry import find_dialect
from service.game.begin import find_initial_position
from service.game.events import RecordImported
from service.game.importing import play_tokens, send_positions
from service.game.state import GameState
from service.game.values import GameStatus
from service.projection.games.keys import counts_key, position_keys
from service.projection.games.placements import find_changes

RESULTS: Final = {"0-1": 0, "1/2-1/2": 1, "1-0": 2, "*": 3}
"""The numbers of results in the table of positions."""
ENDED: Final = ""
"""Stands for the action from the position in which a game ended."""


@dataclass(frozen=True, slots=True)
class Play:
    """What was played in a finished game.

    `steps` are the key of each position and what was played there, first to last; `material` are
    the keys of the material on the board. `actions` and `placements` are what `GAME_PLAY` keeps.
    """

    result: int
    steps: Sequence[tuple[int, str]]
    material: frozenset[int]
    actions: str
    placements: bytes


@dataclass(frozen=True, slots=True)
class IndexedPositions:
    """A game's positions, first to last: the key of each, and data about all of them.

    `material` and `placements` are as in `Play`; `plies` is how often the turn passed, and `points`
    are those of the last position.
    """

    keys: array[int]
    material: frozenset[int]
    placements: bytes
    plies: int
    points: tuple[int, int] | None


class PositionIndex:
    """Indexes a game's positions while it is played: a `notation.listener.PositionListener`.

    `begin` is called once, before all else.
    """

    _variant: str
    _position: Position
    _begun: int
    _identities: list[bytes]

    def begin(self, variant: str, position: Position) -> None:
        """Begin with a game's first position, from which it is then played on."""
        self._variant = variant
        self._position = position
        self._begun = count_turns(position)
        self._identities = [find_dialect(variant).identify(position)]

    def add(self, identities: Sequence[bytes]) -> None:
        """Add the next positions of the game, as `Dialect.identify` returns them."""
        self._identities += identities

    def finish(self) -> IndexedPositions:
        """All positions, the last as it stands."""
        variant, position = self._variant, self._position
        boards = list(map(find_dialect(variant).cells, self._identities))
        changes = find_changes(variant, boards)
        return IndexedPositions(
            keys=position_keys(variant, self._identities),
            material=frozenset(counts_key(variant, each) for each in changes.counts),
            placements=changes.encoded,
            plies=count_turns(position) - self._begun,
            points=position.points(),
        )


def index_record(event: RecordImported) -> IndexedPositions:
    """The positions of an imported record; raises TokenError if its actions are not legal."""
    index = PositionIndex()
    send_positions(event, index)
    return index.finish()


def play_of(state: GameState) -> Play | None:
    """What was played in a finished game; None for other games.

    Nothing of a running game is ever indexed: it could reveal a secret choice.
    """
    if state.status is not GameStatus.FINISHED or state.ending is None:
        return None
    index = PositionIndex()
    actions = [played.coordinate for played in state.played]
    play_tokens(state.variant, find_initial_position(state), actions, index)
    return make_play(index.finish(), actions, state.ending.result)


def make_play(positions: IndexedPositions, actions: Sequence[str], result: str) -> Play:
    """What was played, made of the positions, the actions between them and the result."""
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
