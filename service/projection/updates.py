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


class NotMendable(Exception):
    """What differs from the log cannot be mended by itself: all tables must be rebuilt."""


class Mendable(Protocol):
    """Something with rows that can be compared with the log, and rewritten where they differ."""

    @property
    def kind(self) -> str:
        """The kind of streams that the rows are about."""

    def find_stale(self, connection: Connection, current: Mapping[str, int]) -> set[str]:
        """The streams whose rows were made from other events than the log has.

        `current` are the heads of all streams of the kind that the log has now, by id, as
        `service.projection.short_heads` shortens them. Streams that the log does not have are also
        stale, and so are those that have no rows.
        """

    def mend(self, stale: Sequence[str], found: Sequence[str]) -> Change:
        """Read the streams in `found`, those of the `stale` ones that the log has.

        The returned change deletes the rows of all stale streams and writes those of the found ones
        anew. It may raise NotMendable.
        """


class MendableProjection(Mendable, Projection, Protocol):
    """A projection whose rows can be mended."""


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

    `first` is the oldest version that the range names, 0 where that is not known. `reason` is why
    the game was set aside before, "" if it was not.
    """

    last: int
    feed_range: FeedRange
    new: bool = False
    first: int = 0
    reason: str = ""

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
