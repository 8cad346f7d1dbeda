"""The projector: follows the feeds, folds the games they name, and writes the read models."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from time import time_ns
from typing import Final

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from service.game.outline import GameOutline
from service.game.repository import KIND, Games
from service.log.feed_range import FeedBatch, FeedRange, parse_position
from service.log.interface import FEED_START, EventLog
from service.log.values import Pointer
from service.projection.checkpoints import Positions, read_checkpoints, write_checkpoints
from service.projection.database.chunks import batched
from service.projection.database.database import Database
from service.projection.database.refusals import is_refused_row
from service.projection.dead_letters import DeadLetters
from service.projection.games.projection import GameProjection, PreparedGames
from service.projection.handover import Handover
from service.projection.reacted import Reacted
from service.projection.strict_imports import HeldImports, StrictImports
from service.projection.updates import (
    Change,
    Projection,
    Reaction,
    StreamUpdate,
    game_updates,
)
from service.projection.urgent_updates import UrgentUpdates
from service.tracing.tracing import PROJECT, note_received

Ended = Callable[[Sequence[GameOutline]], None]
"""Called with games that have ended and are to be scored or counted, and with reopened ones."""


Awaiting = Callable[[Iterable[GameOutline]], Collection[str]]
"""Says which records that came in with their scores are to be counted for a tournament, by id."""

GAMES: Final = 100
"""Pointers that are projected together, and so between two calls of `stopping`."""


class _Overtaken(Exception):
    """Another projector has gone on from where this one was."""


class Projector:
    """Keeps the read models up to date, and hands on what follows from what it has projected.

    Rows and checkpoints are written in one transaction, so that nothing is projected twice, even
    where two projectors run. Reactions come after that and are repeated after a crash: every
    pointer is reacted to at least once. While an import stands in the way, what somebody waits for
    is done before its turn. The games of `strict` imports are held back until all of them are
    there, and then shown in one transaction.
    """

    def __init__(
        self,
        games: Games,
        database: Database,
        projections: Sequence[Projection] = (),
        reactions: Reactions | None = None,
        stopping: Callable[[], bool] = lambda: False,
        handover: Handover | None = None,
        strict: StrictImports | None = None,
    ) -> None:
        self.games = GameProjection(games, handover, strict)
        self.events: EventLog = games.log
        self.database = database
        self.projections = projections
        self.reactions = reactions
        self.stopping = stopping
        kinds = {KIND, *(each.kind for each in projections)}
        self.urgent_updates = UrgentUpdates(self.events, kinds)
        self.held = HeldImports(strict, database)
        self._load()

    @property
    def written(self) -> Positions:
        """Up to which positions the rows are written."""
        return self._written

    def step(self, timeout: float) -> int:
        """Project what is new, waiting up to `timeout` seconds for it; returns how many pointers.

        It ends early, within some games, where this projector is to stop. Raises DatabaseError,
        and what the log raises when it cannot be reached; then this projector is done for, and
        another one begins from the stored positions.
        """
        came: dict[int, list[Pointer]] = defaultdict(list)
        done = 0
        try:
            if self.held.due(self._written):
                self._project((), {})
            for partition, pointer in self.events.wait(self._reached, timeout):
                came[partition].append(pointer)
            backlogged = self.urgent_updates.is_backlogged(came.values())
            for batches in group_batches(cut_batches(came, self._reached)):
                if self.stopping():
                    break
                if backlogged and (urgent := self.urgent_updates.urgent(self._reached, GAMES)):
                    self._project(urgent, {})
                remaining = [self.urgent_updates.remaining(batch) for batch in batches]
                reached = {batch.range.partition: batch.range.upto for batch in batches}
                self._project(remaining, reached)
                self._reached.update(reached)
                done += sum(len(batch.pointers) for batch in batches)
        except _Overtaken:
            self._load()
        return done

    def retry_dead_letters(self) -> None:
        """Try again every game that could not be folded: at the start, and now and then.

        What importers handed over is looked after as well, and what is held back.
        """
        self.games.look_after_handover()
        self.held.look()
        for letter in DeadLetters(self.database).all():
            updates = {letter.game: StreamUpdate(letter.last, letter.feed_range)}
            prepared = self.games.prepare(updates)
            self.database.write(prepared.write)
            self.held.note(prepared.holders, ())
            self._react(updates, prepared, ())

    def _load(self) -> None:
        """Begin where the rows end, or before that, where the reactions do."""
        known = self.database.read(read_checkpoints)
        self._written = {p: known.get(p, FEED_START) for p in range(self.events.partitions)}
        self._reached = dict(self._written)
        self.held.load()
        if self.reactions is not None:
            reacted = self.reactions.reacted.load(self.events.partitions)
            self._reached = {
                p: min(self._written[p], reacted[p], key=parse_position) for p in reacted
            }

    def _project(self, batches: Sequence[FeedBatch], reached: Positions) -> None:
        """Write what the batches name, with the positions reached, and react to it."""
        begun = time_ns()
        updates = game_updates(batches)
        pointers = [pointer for batch in batches for pointer in batch.pointers]
        prepared = self.games.prepare(updates)
        changes: list[Change] = []
        for projection in self.projections:
            if named := [one for one in pointers if one.stream.kind == projection.kind]:
                changes.append(projection.prepare(named))
        written = {
            partition: max(position, self._written[partition], key=parse_position)
            for partition, position in reached.items()
        }
        self.held.note(prepared.holders, pointers)
        shown = self.held.due(self._written | written)
        changes.append(partial(self.games.show, shown))
        try:
            self._write([prepared.write, *changes], written)
        except DBAPIError as error:
            if not is_refused_row(error):
                raise
            # Nothing is wrong with the database: it cannot take one of the games.
            prepared = self.games.isolate(prepared, self.database, updates)
            self._write([prepared.write, *changes], written)
        note_received(PROJECT, pointers, begun)
        self.games.finish(prepared)
        self.held.forget(shown)
        self._written.update(written)
        self._react(updates, prepared, pointers)
        if self.reactions is not None and reached:
            self.reactions.reacted.advance(reached)

    def _write(self, changes: Sequence[Change], written: Positions) -> None:
        """Make the changes and store the positions in one transaction; raises _Overtaken."""

        def write(connection: Connection) -> None:
            known = read_checkpoints(connection)
            if any(known.get(p, FEED_START) != at for p, at in self._written.items()):
                raise _Overtaken
            for change in changes:
                change(connection)
            write_checkpoints(connection, written)

        self.database.write(write)

    def _react(
        self,
        updates: Mapping[str, StreamUpdate],
        prepared: PreparedGames,
        pointers: Sequence[Pointer],
    ) -> None:
        if self.reactions is not None:
            self.reactions.react_to_games(updates, prepared.whole)
            self.reactions.react_to_others(pointers)


class Reactions:
    """What follows from events once the read models show them; done at least once."""

    def __init__(
        self,
        reacted: Reacted,
        ended: Ended,
        followers: Sequence[Reaction] = (),
        awaiting: Awaiting = lambda games: (),
    ) -> None:
        self.reacted = reacted
        self.ended = ended
        self.followers = followers
        self.awaiting = awaiting

    def react_to_games(
        self, updates: Mapping[str, StreamUpdate], states: Sequence[GameOutline]
    ) -> None:
        """Hand on the games that have ended or were reopened with these updates."""
        # A game that has ended since is named again, further on in the feed; one that was reopened
        # and has gone on is named there too, but not with its reopening.
        awaiting = self.awaiting(state for state in states if not to_score(state))
        ended = [
            state
            for state in states
            if updates[state.id].reopens(state)
            or (
                (to_score(state) or state.id in awaiting)
                and state.version == updates[state.id].last
            )
        ]
        if ended:
            self.ended(ended)

    def react_to_others(self, pointers: Sequence[Pointer]) -> None:
        """Let each follower process the pointers to the streams of its kind."""
        for follower in self.followers:
            if named := [one for one in pointers if one.stream.kind == follower.kind]:
                follower.follow(named)


def cut_batches(came: Mapping[int, Sequence[Pointer]], reached: Positions) -> Iterator[FeedBatch]:
    """What came of each partition behind the position reached, GAMES pointers at most in each."""
    for partition, pointers in came.items():
        after = reached[partition]
        for some in batched(pointers, GAMES):
            yield FeedBatch(FeedRange(partition, after, some[-1].position), some)
            after = some[-1].position


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


def to_score(state: GameOutline) -> bool:
    """Whether the game has ended and is not scored for this ending."""
    return state.ending is not None and not state.is_scored
