"""The projector: follows the feeds, folds the games they name, and writes the read models."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from time import time_ns
from typing import Final

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from service.game.repository import KIND, Games, stream_of
from service.log.feed_range import FeedBatch, parse_position
from service.log.interface import FEED_START, EventLog
from service.log.values import Pointer
from service.projection.batches import GAMES, cut_batches, group_batches
from service.projection.checkpoints import (
    Overtaken,
    Positions,
    check_checkpoints,
    move_checkpoints,
    read_checkpoints,
)
from service.projection.database.database import Database
from service.projection.database.refusals import is_refused_row
from service.projection.database.time_limits import limit_silence
from service.projection.dead_letters import DeadLetter, DeadLetters
from service.projection.errors import LogBehind
from service.projection.games.projection import (
    GameProjection,
    PreparedGames,
    ShorterThanListed,
)
from service.projection.handover import Handover
from service.projection.heads import find_ahead, note_lost
from service.projection.leases.share import Everything, Share
from service.projection.reactions import Reactions
from service.projection.strict_imports import HeldImports, StrictImports
from service.projection.unknown_events import find_unreadable
from service.projection.updates import Change, Projection, StreamUpdate, game_updates
from service.projection.urgent_updates import UrgentUpdates
from service.tracing.tracing import PROJECT, note_received

SILENCE: Final = 8.0
"""Seconds that a process may stand still within a transaction while others wait for it."""
RETRYING: Final = 1.0
"""Seconds for which dead letters are tried again while new events wait."""
LOOK: Final = 1.0
"""Seconds between two looks at what other processes have projected, where that matters."""


class Projector:
    """Keeps the read models up to date, and hands on what follows from what it has projected.

    Rows and checkpoints are written in one transaction, and no checkpoint moves that another
    process has moved in the meantime: so nothing is projected twice, whichever partitions the
    processes take for theirs. Reactions come afterwards and are repeated after a crash: every
    pointer is reacted to at least once. While an import holds up the feed, what somebody is waiting
    for is projected before its turn. The games of `strict` imports are held back until all of them
    are there, and then shown in one transaction.
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
        share: Share | None = None,
    ) -> None:
        """Projects only the partitions of its `share`; all of them without one."""
        self.games = GameProjection(games, handover, strict)
        self.events: EventLog = games.log
        self.database = database
        self.projections = projections
        self.reactions = reactions
        self.stopping = stopping
        kinds = {KIND, *(each.kind for each in projections)}
        self.urgent_updates = UrgentUpdates(self.events, kinds)
        self.held = HeldImports(strict, database)
        self.share = share or Everything(self.events.partitions)
        self._looked = float("-inf")
        self._retried = ""
        self._load()

    @property
    def written(self) -> Positions:
        """The positions up to which the rows are written."""
        return self._written

    def step(self, timeout: float) -> int:
        """Project what is new, waiting up to `timeout` seconds for it; returns how many pointers.

        It ends early, after a few games, if this projector is to stop or its share has changed.
        Raises DatabaseError, LogBehind, and what the log raises when it cannot be reached. After an
        error this projector must not be used again; a new one begins from the stored positions.
        """
        done = 0
        try:
            if self._has_other_share():
                self._load()
            self._show_held()
            for batches in group_batches(cut_batches(self._wait(timeout), self._reached)):
                if self.stopping() or self._has_other_share():
                    break
                if self._backlogged and (
                    urgent := self.urgent_updates.urgent(self._reached, GAMES)
                ):
                    self._project(urgent, {})
                if unreadable := find_unreadable(self.events, batches):
                    self.share.refuse(unreadable)
                    if self._has_other_share():
                        break
                remaining = [self.urgent_updates.remaining(batch) for batch in batches]
                reached = {batch.range.partition: batch.range.upto for batch in batches}
                self._project(remaining, reached)
                self._reached.update(reached)
                done += sum(len(batch.pointers) for batch in batches)
        except Overtaken:
            self._load()
        return done

    def _wait(self, timeout: float) -> Mapping[int, Sequence[Pointer]]:
        """The new pointers of the partitions of the share; raises LogBehind."""
        came: dict[int, list[Pointer]] = defaultdict(list)
        if not self._reached:
            time.sleep(timeout)
            return came
        for partition, pointer in self.events.wait(self._reached, timeout):
            came[partition].append(pointer)
        # After a loss the positions go on, and a checkpoint there would hide it.
        if lost := find_ahead(self.events, {p: self._written[p] for p in came}):
            raise self._note_lost(lost)
        self._backlogged = self.urgent_updates.is_backlogged(came.values())
        return came

    def _has_other_share(self) -> bool:
        return self.share.partitions() != self._reached.keys()

    def _show_held(self) -> None:
        """Show what was held back and is complete, whichever process projected the last of it."""
        if self.held.waits and len(self._reached) < self.events.partitions:
            if time.monotonic() < self._looked + LOOK:
                return
            self._looked = time.monotonic()
            self.held.look()
            self._written |= self.database.read(read_checkpoints)
        if self.held.due(self._written):
            self._project((), {})

    def retry_dead_letters(self) -> None:
        """Try games again that could not be folded: at the start, and now and then.

        After RETRYING seconds, or if this projector is to stop, the rest is left to the next call.
        Also drops old handed-over games, and checks which held-back imports are complete.
        """
        self.games.look_after_handover()
        self.held.look()
        try:
            self._retry_some()
        except Overtaken:
            self._load()

    def _retry_some(self) -> None:
        """Try dead letters again, beginning after the one that was tried last."""
        until = time.monotonic() + RETRYING
        letters = DeadLetters(self.database).all()
        remaining = [letter for letter in letters if letter.game > self._retried]
        for letter in remaining or letters:
            if letter.feed_range.partition in self._reached:
                self._retry(letter)
            self._retried = letter.game
            if self.stopping() or time.monotonic() > until:
                return
        self._retried = ""

    def _retry(self, letter: DeadLetter) -> None:
        update = StreamUpdate(letter.last, letter.feed_range, reason=letter.reason)
        updates = {letter.game: update}
        prepared = self._write_games(self.games.prepare(updates), updates, (), {})
        self.held.note(prepared.holders, ())
        self._react(updates, prepared, ())

    def _load(self) -> None:
        """Begin where the rows end, or earlier, where the reactions ended."""
        mine = self.share.partitions()
        known = self.database.read(read_checkpoints)
        self._written = {p: known.get(p, FEED_START) for p in range(self.events.partitions)}
        self._reached = {p: self._written[p] for p in sorted(mine)}
        self._backlogged = False
        self.urgent_updates.forget()
        self.held.load()
        if self.reactions is not None:
            progress = self.reactions.progress.load(self.events.partitions)
            self._reached = {
                p: min(written, progress[p], key=parse_position)
                for p, written in self._reached.items()
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
        changes.append(partial(self._show, shown, written))
        prepared = self._write_games(prepared, updates, changes, written)
        note_received(PROJECT, pointers, begun)
        self.games.finish(prepared)
        self.held.forget(shown)
        self._written.update(written)
        self._react(updates, prepared, pointers)
        if self.reactions is not None and reached and self.share.holds():
            self.reactions.progress.advance(reached)

    def _show(self, shown: Sequence[str], written: Positions, connection: Connection) -> None:
        """Show imports that are due once this is written; raises Overtaken if they are not."""
        if shown and not {*shown} <= {*self.held.due({**read_checkpoints(connection), **written})}:
            raise Overtaken
        self.games.show(shown, connection, self.share.note_progress)

    def _write_games(
        self,
        prepared: PreparedGames,
        updates: Mapping[str, StreamUpdate],
        changes: Sequence[Change],
        written: Positions,
    ) -> PreparedGames:
        """Write games, changes and checkpoints; sets aside the games that the database refuses.

        Returns the others. Raises Overtaken.
        """
        try:
            self._write([prepared.write, *changes], written)
        except DBAPIError as error:
            if not is_refused_row(error):
                raise
            # Nothing is wrong with the database: it cannot take one of the games.
            prepared = self.games.isolate(prepared, self.database, updates)
            self._write([prepared.write, *changes], written)
        return prepared

    def _write(self, changes: Sequence[Change], written: Positions) -> None:
        """Make the changes and move the checkpoints in one transaction; raises Overtaken."""
        before = {p: self._written[p] for p in self._reached}

        def write(connection: Connection) -> None:
            limit_silence(connection, SILENCE)
            check_checkpoints(connection, before)
            for change in changes:
                change(connection)
            if not self.share.holds():
                raise Overtaken
            move_checkpoints(connection, before, written)

        try:
            self.database.write(write)
        except ShorterThanListed as error:
            lost = {self.events.partition(stream_of(game)) for game in error.games}
            raise self._note_lost(lost) from error

    def _note_lost(self, partitions: Collection[int]) -> LogBehind:
        """Note that these partitions must be mended; returns the error to raise."""
        note_lost(self.database, partitions)
        return LogBehind(sorted(partitions))

    def _react(
        self,
        updates: Mapping[str, StreamUpdate],
        prepared: PreparedGames,
        pointers: Sequence[Pointer],
    ) -> None:
        if self.reactions is not None:
            self.reactions.react_to_games(updates, prepared.whole)
            self.reactions.react_to_others(pointers)
