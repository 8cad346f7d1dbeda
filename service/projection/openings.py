"""Projects the loaded table of openings, and classifies the existing games by it in steps.

A step is one transaction, which begins where the last one ended, whichever process made it: so
several processes may classify at a time, and nothing is done twice. The projector's process does so
between two of its own steps; `movelog openings load` does it as well, and shows the progress.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from notation.errors import TokenError
from service.log.values import Pointer
from service.openings.repository import KIND, STREAM, Openings
from service.openings.values import Opening, OpeningTable
from service.projection.data_version import advance_data_version
from service.projection.database.chunks import select_rows_in
from service.projection.database.database import Database
from service.projection.database.tables import (
    GAME,
    GAME_OPENING,
    GAME_POSITION,
    OPENING,
    OPENING_EDITION,
)
from service.projection.games.keys import position_key
from service.projection.games.openings import Classifier, find_live_editions
from service.projection.updates import Change, NotMendable

log = logging.getLogger(__name__)

BATCH: Final = 2000
"""Games that are classified in one transaction, or whose old rows are deleted in one."""
FINISHED: Final = "finished"


@dataclass(frozen=True, slots=True)
class Progress:
    """How many of the `games` that existed before the newest table are `classified` by it."""

    edition: int
    classified: int
    games: int
    ready: bool


class OpeningProjection:
    """Makes an edition of the newest table of openings in the log."""

    kind: Final = KIND

    def __init__(self, openings: Openings) -> None:
        self.openings = openings

    def prepare(self, pointers: Sequence[Pointer]) -> Change:
        """Read the newest table, whichever these pointers name."""
        table = self.openings.load()
        # Found before the transaction, since others wait for that.
        return partial(_write_edition, table.version, find_keys(table))

    def find_stale(self, connection: Connection, current: Mapping[str, int]) -> set[str]:
        """The only stream there is, unless the newest edition is of the log's newest table."""
        table = self.openings.load()
        newest = connection.execute(select(func.max(OPENING_EDITION.c.edition))).scalar()
        at = OPENING.c
        rows = connection.execute(select(at.key, at.name, at.code).where(at.edition == newest))
        known = {row.key: (row.name, row.code) for row in rows}
        wanted = {key: (one.name, one.code) for key, one in find_keys(table).items()}
        return set() if ((newest or 0), known) == (table.version, wanted) else {STREAM.id}

    def mend(self, stale: Sequence[str], found: Sequence[str]) -> Change:
        """The returned change raises NotMendable, since all games are classified by the table."""

        def change(connection: Connection) -> None:
            raise NotMendable

        return change


def write_edition(table: OpeningTable, connection: Connection) -> None:
    """Write a table as an edition, whose games are to be classified; an older one is left out."""
    _write_edition(table.version, find_keys(table), connection)


def find_keys(table: OpeningTable) -> dict[int, Opening]:
    """The openings of a table by the keys of the positions they name."""
    return {key: one for one in table.openings if (key := key_of(one)) is not None}


def _write_edition(version: int, rows: Mapping[int, Opening], connection: Connection) -> None:
    at = OPENING_EDITION.c
    newest = connection.execute(select(func.max(at.edition))).scalar()
    if newest is not None and newest >= version:
        return
    finished = select(func.count()).where(GAME.c.status == FINISHED)
    games = connection.execute(finished).scalar_one() if rows else 0
    edition = {"edition": version, "reached": -1, "classified": 0}
    connection.execute(insert(OPENING_EDITION).values(**edition, games=games, ready=games == 0))
    if rows:
        connection.execute(
            insert(OPENING),
            [
                {"edition": version, "key": key, "name": one.name, "code": one.code}
                for key, one in sorted(rows.items())
            ],
        )
    advance_data_version(connection)


class Classification:
    """Classifies the games of a database by the newest edition, and deletes those before it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._classifier = Classifier()

    def progress(self) -> Progress | None:
        """The progress of the newest edition; None where no table was ever loaded."""
        row = self.database.read(_newest)
        if row is None:
            return None
        return Progress(row.edition, row.classified, row.games, row.ready)

    def apply(self, table: OpeningTable, show: Callable[[int, int], None]) -> int:
        """Write a table's edition, if there is no newer one, and do all that is left.

        `show` is called with the number of games done and the number of all games. Returns how many
        were classified. Raises DatabaseError.
        """
        self.database.write(partial(write_edition, table))
        while self.step():
            if (progress := self.progress()) is not None:
                show(min(progress.classified, progress.games), progress.games)
        done = self.progress()
        return 0 if done is None else done.classified

    def run(self, seconds: float = float("inf")) -> bool:
        """Go on for `seconds` seconds, or until all is done; returns whether something is left.

        Raises DatabaseError.
        """
        end = time.monotonic() + seconds
        while self.step():
            if time.monotonic() >= end:
                return True
        return False

    def step(self) -> bool:
        """Classify the next games, or delete old rows; returns whether there was anything to do."""
        if not self.database.read(_is_due):
            return False
        return self.database.write(self._step)

    def _step(self, connection: Connection) -> bool:
        newest = _newest(connection)
        if newest is not None and not newest.ready:
            self._classify(connection, newest)
            return True
        old = _oldest_unread(connection)
        if old is not None:
            self._delete(connection, old)
        return old is not None

    def _classify(self, connection: Connection, newest: Row[Any]) -> None:
        at = GAME.c
        chosen = select(at.number).where(at.status == FINISHED, at.number > newest.reached)
        numbers = list(connection.execute(chosen.order_by(at.number).limit(BATCH)).scalars())
        if numbers:
            found = self._find(connection, newest.edition, numbers)
            self._classifier.insert(connection, newest.edition, found)
        classified = newest.classified + len(numbers)
        changed = {"classified": classified, "ready": len(numbers) < BATCH}
        if numbers:
            changed["reached"] = numbers[-1]
        edition = OPENING_EDITION.c.edition == newest.edition
        connection.execute(update(OPENING_EDITION).where(edition).values(**changed))
        if changed["ready"]:
            advance_data_version(connection)

    def _find(
        self, connection: Connection, edition: int, numbers: Sequence[int]
    ) -> Iterator[tuple[int, int]]:
        """The openings of those of these games that are not classified yet, in the given order."""
        of, at = GAME_OPENING.c, GAME_POSITION.c
        first, last = numbers[0], numbers[-1]
        # Games written since are classified; others are held back, and not shown yet.
        between = select(of.number).where(of.edition == edition, of.number.between(first, last))
        wanted = set(numbers) - set(connection.execute(between).scalars())
        reached: dict[int, tuple[int, int]] = {}
        chosen = select(at.number, at.ply, at.key).where(at.number.between(first, last))
        keys = self._classifier.keys(connection, edition)
        for row in select_rows_in(connection, chosen, at.key, keys):
            place = (row.ply, row.key)
            if row.number in wanted and place > reached.get(row.number, (-1, 0)):
                reached[row.number] = place
        return ((number, key) for number, (_, key) in reached.items())

    def _delete(self, connection: Connection, edition: int) -> None:
        of = GAME_OPENING.c
        chosen = select(of.number, of.key).where(of.edition == edition)
        rows = connection.execute(chosen.order_by(of.number).limit(BATCH)).all()
        self._classifier.delete(connection, edition, [(row.number, row.key) for row in rows])
        if len(rows) < BATCH:
            for table in (OPENING, OPENING_EDITION):
                connection.execute(delete(table).where(table.c.edition == edition))


def key_of(opening: Opening) -> int | None:
    """The key of the position that an opening names; None where today's rules do not allow it."""
    try:
        return position_key(opening.variant, opening.position())
    except TokenError:
        log.exception("the opening %s (%s) names no game", opening.name, opening.variant)
        return None


def _newest(connection: Connection) -> Row[Any] | None:
    chosen = select(OPENING_EDITION).order_by(OPENING_EDITION.c.edition.desc()).limit(1)
    return connection.execute(chosen).one_or_none()


def _oldest_unread(connection: Connection) -> int | None:
    """The oldest edition that is neither read nor the newest."""
    live = find_live_editions(connection)
    at = OPENING_EDITION.c.edition
    return connection.execute(select(func.min(at)).where(at.not_in(live))).scalar()


def _is_due(connection: Connection) -> bool:
    newest = _newest(connection)
    return newest is not None and (not newest.ready or _oldest_unread(connection) is not None)
