"""Rebuilds the read models from the log while everything else runs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from sqlalchemy import Connection

from service.game.repository import KIND as GAME
from service.game.repository import Games
from service.log.feed_range import FeedRange, parse_position
from service.log.interface import FEED_START
from service.log.values import Pointer, StreamId
from service.projection.checkpoints import Positions, read_checkpoints, write_checkpoints
from service.projection.database.chunks import batched
from service.projection.database.database import Database
from service.projection.dead_letters import read_letters, write_letters
from service.projection.games.held import find_shown
from service.projection.games.projection import GameProjection
from service.projection.heads import find_ahead
from service.projection.openings import Classification
from service.projection.projector import Projector
from service.projection.puzzles.puzzles import write_collection
from service.projection.puzzles.ratings import PuzzleRatings
from service.projection.ratings import Ratings
from service.projection.strict_imports import StrictImports
from service.projection.updates import Projection, StreamUpdate

log = logging.getLogger(__name__)

BATCH: Final = 100
LEVEL: Final = 200
"""When a step has no more pointers than this, the new tables are nearly level with the log."""
STEPS: Final = 1000
"""Steps after which the tables are taken to be level in any case."""

Progress = Callable[[int, int], None]
"""Called with the number of games done and the number of all games."""


class Rebuild:
    """Fills a new generation of the tables from the log and lets it replace the one that is read.

    Readers see the old rows until the new ones are complete. A projector may run meanwhile; it goes
    on in the new generation where it was.
    """

    def __init__(
        self,
        games: Games,
        database: Database,
        projections: Sequence[Projection] = (),
        ratings: Ratings | None = None,
        progress: Progress | None = None,
        strict: StrictImports | None = None,
        puzzles: PuzzleRatings | None = None,
    ) -> None:
        self.games = games
        self.database = database
        self.projections = projections
        self.ratings = ratings
        self.progress = progress
        self.strict = strict
        self.puzzles = puzzles

    def run(self, now: int = 0) -> int:
        """Rebuild everything; returns how many games there are.

        Ratings are computed for all periods that are over at `now`. Raises RebuildSuperseded when
        another rebuild begins, and DatabaseError.
        """
        events = self.games.log
        # Events appended from here on are named in the feed after these positions.
        begun = events.feed_positions()
        built = self.database.build()
        try:
            count = self._fill_games(built)
            if self.puzzles is not None:
                write_collection(built)
            for projection in self.projections:
                self._fill(built, projection)
            built.write(lambda connection: write_checkpoints(connection, begun))
            projector = Projector(self.games, built, self.projections, strict=self.strict)
            follow_until_level(projector)
            Classification(built).run()
            if self.ratings is not None:
                Ratings(built, self.ratings.length).close(now)
            if self.puzzles is not None:
                PuzzleRatings(built, self.puzzles.length).rate()
            follow_until_level(projector)
            self.database.replace_by(built, lambda current: finish(current, built, projector))
        except BaseException:
            self._discard(built)
            raise
        return count

    def _fill_games(self, built: Database) -> int:
        # Before the games are listed: so all games of a complete import are among them.
        incomplete = self.strict and self.strict.except_complete()
        streams = self.games.log.streams(GAME)
        projection = GameProjection(self.games, strict=incomplete)
        done = 0
        for some in batched(streams, BATCH):
            updates = {stream.id: self._update(stream) for stream in some}
            built.write(projection.prepare(updates).write)
            done += len(some)
            if self.progress is not None:
                self.progress(done, len(streams))
        return len(streams)

    def _update(self, stream: StreamId) -> StreamUpdate:
        """An update for the whole of a game, which no range of the feed names."""
        nowhere = FeedRange(self.games.log.partition(stream), FEED_START, FEED_START)
        return StreamUpdate(0, nowhere, new=True)

    def _fill(self, built: Database, projection: Projection) -> None:
        for some in batched(self._pointers(projection.kind), BATCH):
            built.write(projection.prepare(some))

    def _pointers(self, kind: str) -> Iterator[Pointer]:
        """A pointer to each stream of a kind."""
        for stream in self.games.log.streams(kind):
            yield Pointer(FEED_START, stream, 1, 1, ())

    def _discard(self, built: Database) -> None:
        try:
            built.discard()
        except Exception:
            log.exception("an unfinished rebuild could not be removed")


def follow_until_level(projector: Projector) -> None:
    """Project what the log has until little of it is left."""
    for _ in range(STEPS):
        if projector.step(0) < LEVEL:
            break


def finish(current: Connection | None, built: Database, projector: Projector) -> None:
    """Bring new tables up to the end of the log, while nobody can write the current ones.

    The current tables may show more than their checkpoints say: a game's row reflects the log as it
    was when the game was read, and urgent updates are written before their turn. So the new tables
    go beyond those checkpoints, but then get the same checkpoints and none further on, since what
    follows from events beyond them is not done yet. Where the current tables are damaged, the new
    ones stay as they are.
    """
    if current is None:
        return
    known = read_checkpoints(current)
    end = projector.events.feed_positions()
    while not _covers(projector.written, end):
        if projector.step(0) == 0:
            # The log has lost what the tables knew.
            break
    letters = {letter.game: letter for letter in read_letters(current)}

    def write(connection: Connection) -> None:
        # A log that has lost what the tables knew is followed from its end.
        reached = projector.written
        lost = find_ahead(projector.events, known)
        write_checkpoints(
            connection,
            {
                p: reached[p] if p in lost else min(known[p], reached[p], key=parse_position)
                for p in known
            },
        )
        # What is shown now stays shown; all of it is here, since the current tables know no more.
        projector.games.show(
            find_shown(connection, current), connection, projector.share.note_progress
        )
        # The dead letters of the current tables know where the feed names the games.
        still = [letter.game for letter in read_letters(connection)]
        write_letters(connection, [letters[game] for game in still if game in letters])

    built.write(write)


def _covers(written: Positions, known: Positions) -> bool:
    return all(
        parse_position(written[p]) >= parse_position(position) for p, position in known.items()
    )
