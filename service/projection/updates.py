"""What a range of the feed says of games, and what a projection makes of its pointers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import Connection

from service.game.outline import GameOutline
from service.game.repository import KIND
from service.log.feed_range import FeedBatch, FeedRange
from service.log.values import Pointer

Change = Callable[[Connection], None]
"""Writes what has been read from the log; may be called again from its beginning."""


class Projection(Protocol):
    """Writes rows about the streams of one kind other than games."""

    @property
    def kind(self) -> str:
        """The kind of streams that it is about."""

    def prepare(self, pointers: Sequence[Pointer]) -> Change:
        """Read what these pointers name; what is returned writes it. Doing it again is harmless."""


class Reaction(Protocol):
    """Does what follows from the events of the streams of one kind other than games."""

    @property
    def kind(self) -> str:
        """The kind of streams that it follows."""

    def follow(self, pointers: Sequence[Pointer]) -> None:
        """Process these pointers; processing them again must change nothing."""


@dataclass(frozen=True, slots=True)
class StreamUpdate:
    """What a range of the feed says of a game: its newest version, and whether it is a new game.

    `first` is the oldest version that the range names, 0 where that is not known.
    """

    last: int
    feed_range: FeedRange
    new: bool = False
    first: int = 0

    def reopens(self, state: GameOutline) -> bool:
        """Whether the range names the game's last reopening, after which it goes on."""
        return (
            state.ending is None
            and state.reopened > 0
            and self.first <= state.reopened <= self.last
        )


def game_updates(batches: Sequence[FeedBatch]) -> Mapping[str, StreamUpdate]:
    """What these batches say of each game, by id."""
    updates: dict[str, StreamUpdate] = {}
    for batch in batches:
        for pointer in batch.pointers:
            if pointer.stream.kind == KIND:
                id = pointer.stream.id
                first = updates[id].first if id in updates else pointer.first
                updates[id] = StreamUpdate(pointer.last, batch.range, first == 1, first)
    return updates
