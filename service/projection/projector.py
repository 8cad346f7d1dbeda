"""The projector: follows the feeds, folds the games they name, and writes the read models."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

import redis

from service.game.evolve import fold
from service.game.repository import KIND, Games
from service.game.state import GameState
from service.log.feed_checkpoints import Checkpoints
from service.log.feed_range import FeedBatch, FeedRange
from service.log.interface import EventLog
from service.log.values import Pointer, Recorded
from service.player.mergers import survivors
from service.projection.dead_letters import DeadLetter, DeadLetters, describe_error
from service.projection.game_index import GameIndex
from service.projection.partial_fold import fold_as_far_as_it_goes
from service.projection.position_index import PositionIndex
from service.projection.ratings import Ratings
from service.projection.urgent_updates import UrgentUpdates

log = logging.getLogger(__name__)

Ended = Callable[[Sequence[GameState]], None]
"""Called with games that have ended and are to be scored or counted, and with reopened ones."""


Awaited = Callable[[GameState], bool]
"""Says of a record that came in with its score whether it is to be counted for a tournament."""


class Follower(Protocol):
    """Follows the streams of one kind other than games."""

    @property
    def kind(self) -> str:
        """The kind of streams that it follows."""

    def follow(self, pointers: Sequence[Pointer]) -> None:
        """Process these pointers; processing them again must change nothing."""


GAMES: Final = 100
"""Pointers that are projected together, and so between two calls of `stopping`."""


@dataclass(frozen=True, slots=True)
class StreamUpdate:
    """What a range of the feed says of a game: its newest version, and whether it is a new game.

    `first` is the oldest version that the range names, 0 where that is not known.
    """

    last: int
    feed_range: FeedRange
    new: bool = False
    first: int = 0

    def reopens(self, state: GameState) -> bool:
        """Whether the range names the game's last reopening, after which it goes on."""
        return (
            state.ending is None
            and state.reopened > 0
            and self.first <= state.reopened <= self.last
        )


class Projector:
    """Keeps the game list and the indexes up to date, and hands on what there is to score.

    Every pointer is gone through at least once: the position moves on last. Doing it again
    changes nothing. One process runs one; a second one beside it would be harmless. While an
    import stands in the way, what somebody waits for is done before its turn.
    """

    def __init__(
        self,
        games: Games,
        store: redis.Redis,
        ended: Ended,
        stopping: Callable[[], bool] = lambda: False,
        ratings: Ratings | None = None,
        followers: Sequence[Follower] = (),
        awaited: Awaited = lambda state: False,
    ) -> None:
        self.games = games
        self.events: EventLog = games.log
        self.index = GameIndex(store, partial(survivors, self.events))
        self.played = PositionIndex(store, self.events)
        self.checkpoints = Checkpoints(store)
        self.dead_letters = DeadLetters(store)
        self.ended = ended
        self.stopping = stopping
        self.ratings = ratings
        self.followers = followers
        self.awaited = awaited
        self.urgent_updates = UrgentUpdates(self.events, {KIND, *(each.kind for each in followers)})
        self._reached = self.checkpoints.load(self.events.partitions)

    def step(self, timeout: float) -> int:
        """Project what is new, waiting up to `timeout` seconds for it; returns how many pointers.

        It ends early, within some games, where this projector is to stop. Raises what the store
        raises when it cannot be reached; then this projector is done for, and another one begins
        from the stored positions.
        """
        came: dict[int, list[Pointer]] = defaultdict(list)
        for partition, pointer in self.events.wait(self._reached, timeout):
            came[partition].append(pointer)
        backlogged = self.urgent_updates.is_backlogged(came.values())
        done = 0
        for batches in group_batches(self._split(came)):
            if self.stopping():
                break
            if backlogged and (urgent := self.urgent_updates.urgent(self._reached, GAMES)):
                self._project(urgent)
            self._project([self.urgent_updates.remaining(batch) for batch in batches])
            self._advance(batches)
            done += sum(len(batch.pointers) for batch in batches)
        return done

    def retry_dead_letters(self) -> None:
        """Try again every game that could not be folded: at the start, and now and then."""
        for letter in self.dead_letters.all():
            self._fold({letter.game: StreamUpdate(letter.last, letter.feed_range)})

    def _split(self, came: Mapping[int, Sequence[Pointer]]) -> Iterator[FeedBatch]:
        for partition, pointers in came.items():
            after = self._reached[partition]
            for start in range(0, len(pointers), GAMES):
                cut = pointers[start : start + GAMES]
                yield FeedBatch(FeedRange(partition, after, cut[-1].position), cut)
                after = cut[-1].position

    def _project(self, batches: Sequence[FeedBatch]) -> None:
        updates: dict[str, StreamUpdate] = {}
        for batch in batches:
            for pointer in batch.pointers:
                if pointer.stream.kind == KIND:
                    id = pointer.stream.id
                    first = updates[id].first if id in updates else pointer.first
                    updates[id] = StreamUpdate(pointer.last, batch.range, first == 1, first)
        self._fold(updates)
        for follower in self.followers:
            every = [pointer for batch in batches for pointer in batch.pointers]
            if theirs := [pointer for pointer in every if pointer.stream.kind == follower.kind]:
                follower.follow(theirs)

    def _advance(self, batches: Sequence[FeedBatch]) -> None:
        reached = {batch.range.partition: batch.range.upto for batch in batches}
        self.checkpoints.advance(reached)
        self._reached.update(reached)

    def _fold(self, updates: Mapping[str, StreamUpdate]) -> None:
        """Fold the updated games and write them; those that fail become dead letters."""
        whole: list[GameState] = []
        broken: list[GameState] = []
        for id, loaded in self._loaded(updates):
            if isinstance(loaded, GameState):
                whole.append(loaded)
                continue
            # Whatever one game's events do to the fold, the others must not wait for it.
            log.error("game %s cannot be folded: it is a dead letter", id, exc_info=loaded)
            self.dead_letters.add(
                DeadLetter(id, describe_error(loaded), updates[id].feed_range, updates[id].last)
            )
            state, _ = fold_as_far_as_it_goes(self.events, id)
            broken += [state] if state is not None else []
        self.index.write([*whole, *broken])
        self.played.write([*whole, *broken])
        if self.ratings is not None:
            self.ratings.write([*whole, *broken])
        # A game that has ended since is named again, further on in the feed; one that was reopened
        # and has gone on is named there too, but not with its reopening.
        ended = [
            state
            for state in whole
            if updates[state.id].reopens(state)
            or (
                (to_score(state) or self.awaited(state)) and state.version == updates[state.id].last
            )
        ]
        if ended:
            self.ended(ended)
        self.dead_letters.remove(state.id for state in whole)

    def _loaded(
        self, updates: Mapping[str, StreamUpdate]
    ) -> Iterator[tuple[str, GameState | Exception]]:
        """The newest states of games; those that are new are read together.

        Many of these are records, which nobody may ask for again: they are not remembered.
        """
        new = [id for id, one in updates.items() if one.new]
        recorded = self._together(new)
        for id in updates:
            try:
                state = fold(id, recorded[id]) if id in recorded else None
                yield id, state or self.games.load(id)
            except redis.RedisError:
                raise
            except Exception as error:
                yield id, error

    def _together(self, ids: Sequence[str]) -> dict[str, list[Recorded]]:
        """The events of games; nothing where one of them cannot be read."""
        try:
            return dict(zip(ids, self.games.read_each(ids), strict=True))
        except redis.RedisError:
            raise
        except Exception:
            log.debug("the games are read one by one", exc_info=True)
            return {}


def group_batches(batches: Iterable[FeedBatch]) -> Iterator[list[FeedBatch]]:
    """Put batches together until they have GAMES pointers or more."""
    group: list[FeedBatch] = []
    for batch in batches:
        group.append(batch)
        if sum(len(one.pointers) for one in group) >= GAMES:
            yield group
            group = []
    if group:
        yield group


def to_score(state: GameState) -> bool:
    """Whether the game has ended and is not scored for this ending."""
    return state.ending is not None and not state.is_scored
