"""The projector: goes through the feeds, folds the games they name, writes what is read."""

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
from service.log.checkpoints import Positions
from service.log.feed_range import Piece, Stretch
from service.log.interface import EventLog
from service.log.values import Pointer, Recorded
from service.player.mergers import survivors
from service.projection.dead_letters import Parked, ParkedGames, reason
from service.projection.folding import fold_as_far_as_it_goes
from service.projection.index import GameIndex
from service.projection.lookahead import Lookahead
from service.projection.position_index import PositionIndex
from service.projection.ratings import Ratings

log = logging.getLogger(__name__)

Ended = Callable[[Sequence[GameState]], None]
"""What is told of ended games that are not scored yet or that somebody is to tally, and of games
that were reopened.
"""


Awaited = Callable[[GameState], bool]
"""Tells of a record that was scored as it came in whether somebody is to tally it."""


class Follower(Protocol):
    """Who keeps up with the streams of another kind than games."""

    @property
    def kind(self) -> str:
        """The kind."""

    def follow(self, pointers: Sequence[Pointer]) -> None:
        """Do what these pointers ask for; again, it changes nothing."""


GAMES: Final = 100
"""Pointers that are gone through together, and so the games between two looks at `stopping`."""


@dataclass(frozen=True, slots=True)
class Named:
    """That a stretch names a game: the last version it announces, and whether it has the first.

    `first` is the first version it announces, 0 where nobody knows.
    """

    last: int
    stretch: Stretch
    new: bool = False
    first: int = 0

    def reopens(self, state: GameState) -> bool:
        """Whether the stretch names a game's last reopening, after which it goes on."""
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
        self.positions = Positions(store)
        self.parked = ParkedGames(store)
        self.ended = ended
        self.stopping = stopping
        self.ratings = ratings
        self.followers = followers
        self.awaited = awaited
        self.lookahead = Lookahead(self.events, {KIND, *(each.kind for each in followers)})
        self._reached = self.positions.load(self.events.partitions)

    def step(self, timeout: float) -> int:
        """Project what is new, waiting up to `timeout` seconds for it; returns how many pointers.

        It ends early, within some games, where this projector is to stop. Raises what the store
        raises when it cannot be reached; then this projector is done for, and another one begins
        from the stored positions.
        """
        came: dict[int, list[Pointer]] = defaultdict(list)
        for partition, pointer in self.events.wait(self._reached, timeout):
            came[partition].append(pointer)
        crowded = self.lookahead.is_crowded(came.values())
        done = 0
        for pieces in batches(self._cut(came)):
            if self.stopping():
                break
            if crowded and (pressing := self.lookahead.pressing(self._reached, GAMES)):
                self._project(pressing)
            self._project([self.lookahead.left(piece) for piece in pieces])
            self._advance(pieces)
            done += sum(len(piece.pointers) for piece in pieces)
        return done

    def retry_dead_letters(self) -> None:
        """Try again every game that was set aside: at the start, and now and then."""
        for parked in self.parked.all():
            self._fold({parked.game: Named(parked.last, parked.stretch)})

    def _cut(self, came: Mapping[int, Sequence[Pointer]]) -> Iterator[Piece]:
        for partition, pointers in came.items():
            after = self._reached[partition]
            for start in range(0, len(pointers), GAMES):
                cut = pointers[start : start + GAMES]
                yield Piece(Stretch(partition, after, cut[-1].position), cut)
                after = cut[-1].position

    def _project(self, pieces: Sequence[Piece]) -> None:
        named: dict[str, Named] = {}
        for piece in pieces:
            for pointer in piece.pointers:
                if pointer.stream.kind == KIND:
                    id = pointer.stream.id
                    first = named[id].first if id in named else pointer.first
                    named[id] = Named(pointer.last, piece.stretch, first == 1, first)
        self._fold(named)
        for follower in self.followers:
            every = [pointer for piece in pieces for pointer in piece.pointers]
            if theirs := [pointer for pointer in every if pointer.stream.kind == follower.kind]:
                follower.follow(theirs)

    def _advance(self, pieces: Sequence[Piece]) -> None:
        reached = {piece.stretch.partition: piece.stretch.upto for piece in pieces}
        self.positions.advance(reached)
        self._reached.update(reached)

    def _fold(self, named: Mapping[str, Named]) -> None:
        """Fold the games that are named, and write them."""
        whole: list[GameState] = []
        broken: list[GameState] = []
        for id, loaded in self._loaded(named):
            if isinstance(loaded, GameState):
                whole.append(loaded)
                continue
            # Whatever one game's events do to the fold, the others must not wait for it.
            log.error("game %s is set aside", id, exc_info=loaded)
            self.parked.park(Parked(id, reason(loaded), named[id].stretch, named[id].last))
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
            if named[state.id].reopens(state)
            or ((to_score(state) or self.awaited(state)) and state.version == named[state.id].last)
        ]
        if ended:
            self.ended(ended)
        self.parked.release(state.id for state in whole)

    def _loaded(self, named: Mapping[str, Named]) -> Iterator[tuple[str, GameState | Exception]]:
        """The newest states of games; those that are new are read together.

        Many of these are records, which nobody may ask for again: they are not remembered.
        """
        new = [id for id, one in named.items() if one.new]
        recorded = self._together(new)
        for id in named:
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


def batches(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Pieces put together until they have GAMES pointers or more."""
    batch: list[Piece] = []
    for piece in pieces:
        batch.append(piece)
        if sum(len(one.pointers) for one in batch) >= GAMES:
            yield batch
            batch = []
    if batch:
        yield batch


def to_score(state: GameState) -> bool:
    """Whether the game has ended and is not scored for this ending."""
    return state.ending is not None and not state.is_scored
