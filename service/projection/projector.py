"""The projector: goes through the feeds, folds the games they name, writes what is read."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import redis

from service.game.state import GameState
from service.games import KIND, Games
from service.log.interface import EventLog
from service.log.values import Pointer
from service.projection.folding import fold_as_far_as_it_goes
from service.projection.index import GameIndex
from service.projection.parked import Parked, ParkedGames, reason
from service.projection.position_index import PositionIndex
from service.projection.positions import Positions
from service.projection.stretch import Stretch
from service.projection.summary import is_scored

log = logging.getLogger(__name__)

Ended = Callable[[Stretch], None]
"""What is told of a stretch of the feed that names an ended game not scored yet."""


class Projector:
    """Keeps the game list and the indexes up to date, and hands on what there is to score.

    Every pointer is gone through at least once: the position moves on last. Doing it again
    changes nothing. One process runs one; a second one beside it would be harmless.
    """

    def __init__(self, games: Games, store: redis.Redis, ended: Ended) -> None:
        self.games = games
        self.events: EventLog = games.log
        self.index = GameIndex(store)
        self.played = PositionIndex(store, self.events)
        self.positions = Positions(store)
        self.parked = ParkedGames(store)
        self.ended = ended
        self._reached = self.positions.load(self.events.partitions)

    def step(self, timeout: float) -> int:
        """Project what is new, waiting up to `timeout` seconds for it; returns how many pointers.

        Raises what the store raises when it cannot be reached; then this projector is
        done for, and another one begins from the stored positions.
        """
        came: dict[int, list[Pointer]] = defaultdict(list)
        for partition, pointer in self.events.wait(self._reached, timeout):
            came[partition].append(pointer)
        for partition, pointers in came.items():
            self._project(partition, pointers)
        return sum(map(len, came.values()))

    def retry_parked(self) -> None:
        """Try again every game that was set aside: at the start, and now and then."""
        for parked in self.parked.all():
            self._fold({parked.game: parked.last}, parked.stretch)

    def _project(self, partition: int, pointers: Sequence[Pointer]) -> None:
        stretch = Stretch(partition, self._reached[partition], pointers[-1].position)
        named = {p.stream.id: p.last for p in pointers if p.stream.kind == KIND}
        self._fold(named, stretch)
        self.positions.advance(partition, stretch.upto)
        self._reached[partition] = stretch.upto

    def _fold(self, named: Mapping[str, int], stretch: Stretch) -> None:
        """Fold the games that a stretch names with their last versions, and write them."""
        whole: list[GameState] = []
        broken: list[GameState] = []
        for id, last in named.items():
            try:
                whole.append(self.games.load(id))
            except redis.RedisError:
                raise
            except Exception as error:
                # Whatever one game's events do to the fold, the others must not wait for it.
                log.exception("game %s is set aside", id)
                self.parked.park(Parked(id, reason(error), stretch, last))
                state, _ = fold_as_far_as_it_goes(self.events, id)
                broken += [state] if state is not None else []
        self.index.write([*whole, *broken])
        self.played.write([*whole, *broken])
        if any(to_score(state) and state.version == named[state.id] for state in whole):
            # A game that has gone on since is named again, further on in the feed.
            self.ended(stretch)
        self.parked.release(state.id for state in whole)


def to_score(state: GameState) -> bool:
    """Whether the game has ended and is not scored for this ending."""
    return state.ending is not None and not is_scored(state)
