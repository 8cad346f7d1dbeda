"""Walks the games that match a query in the order of a sort, a window of candidates at a time.

The walk follows the narrowest membership that is known in the order of the sort; all other
conditions are looked up for the candidates of a window. So the work of a page depends on what is
walked, not on how many games there are, and a walk can stop after any window and go on from there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, Select, Table, func, select, tuple_

from service.projection.database.chunks import is_among
from service.projection.database.tables import GAME, GAME_PLAY
from service.projection.database.time_limits import OutOfTime, time_limit
from service.projection.games.memberships import (
    ByRating,
    Condition,
    Membership,
    conditions,
    memberships,
)
from service.projection.games.named_players import find_named
from service.projection.games.placements import came_up, numbering
from service.projection.games.query import Query, Sort

NARROW: Final = 2000
"""Memberships with up to this many games are fetched at once and sorted here."""
WINDOWS: Final = (200, 2000)
"""Candidates in the first window and in the largest."""
GRACE: Final = 0.3
"""Seconds after the deadline within which a window that was begun may be finished."""

COLUMNS: Final = {
    Sort.CREATED: GAME.c.number,
    Sort.UPDATED: GAME.c.updated_at,
    Sort.DAY: GAME.c.day,
    Sort.PLIES: GAME.c.plies,
    Sort.RATING: GAME.c.rating,
}

Columns = Iterable[ColumnElement[Any]]
Place = tuple[Any, int]
"""A game's place in a sorted answer: the value that it is sorted by, and its number."""

_LARGEST: Final = 2**63 - 1
_BEFORE_ALL: Final[dict[Sort, Any]] = {
    Sort.CREATED: _LARGEST,
    Sort.UPDATED: _LARGEST,
    Sort.DAY: "9999.99.99",
    Sort.PLIES: 2**31 - 1,
    Sort.RATING: 2**31 - 1,
}
"""The place before all games."""


class Deadline(NamedTuple):
    """No window begins after `soft`; a statement is ended at `hard`. Of `time.monotonic()`."""

    soft: float
    hard: float = float("inf")


def within(seconds: float) -> Deadline:
    """The deadline of an answer that is wanted within `seconds` seconds."""
    soft = time.monotonic() + seconds
    return Deadline(soft, soft + GRACE)


@dataclass(frozen=True, slots=True)
class Candidates:
    """A window: the places of the next candidates, and whether they are the last ones."""

    places: Sequence[Place]
    last: bool


class Walk:
    """One walk, in one transaction, through the games that match `query`, beginning after `place`.

    With `among`, only the games of that membership are looked at.
    """

    def __init__(
        self,
        connection: Connection,
        query: Query,
        sort: Sort = Sort.CREATED,
        place: Place | None = None,
        among: Membership | None = None,
    ) -> None:
        self.connection = connection
        self.query = query
        self.sort = sort
        self.place = place
        """The place of the last candidate that was looked at."""
        self.ended = False
        """Whether all candidates were looked at."""
        self._is_narrow = among is not None
        self._only: Membership | None = None
        self._among = among
        self._conditions = conditions(query)
        self._ranges: list[Condition] = []
        self._next: Callable[[int], Candidates] | None = None

    def games(
        self, deadline: Deadline, wanted: int = 0, columns: Columns = GAME.columns
    ) -> Iterator[Row[Any]]:
        """The rows of the matching games, in order, until the deadline.

        A row has `columns`, which include the number. At least one window is looked at, if there is
        time for it; the first one is large enough if every candidate matches and `wanted` rows are
        taken. `place` is after each row that was yielded.
        """
        try:
            self.prepare(deadline)
            all_fit = not self._conditions and not self.query.pieces
            size = wanted if wanted and all_fit else max(wanted, WINDOWS[0])
            while not self.ended:
                candidates, rows = self._window(size, deadline, columns)
                for self.place, row in rows:
                    yield row
                if candidates.places:
                    self.place = candidates.places[-1]
                self.ended = candidates.last
                size = min(2 * size, max(size, WINDOWS[1]))
                if time.monotonic() >= deadline.soft:
                    return
        except OutOfTime:
            # A caller that comes back goes on from here.
            self.place = self.place or (_BEFORE_ALL[self.sort], _LARGEST)

    def prepare(self, deadline: Deadline) -> None:
        """Find out what is to be walked, unless that is known; raises OutOfTime."""
        if self._next is None:
            with time_limit(self.connection, deadline.hard):
                self._next = self._driver(self._memberships())

    def is_narrow(self, deadline: Deadline) -> bool:
        """Whether there are few candidates, after preparing the walk; raises OutOfTime."""
        if self._only is not None:
            with time_limit(self.connection, deadline.hard):
                self._is_narrow = self._size(self._only) <= NARROW
        return self._is_narrow

    def _window(
        self, size: int, deadline: Deadline, columns: Columns
    ) -> tuple[Candidates, list[tuple[Place, Row[Any]]]]:
        """The next candidates, and those of them that match."""
        assert self._next is not None
        with time_limit(self.connection, deadline.hard):
            candidates = self._next(size)
            return candidates, list(self._fitting(candidates.places, columns))

    def _memberships(self) -> list[Membership]:
        return memberships(self.query, find_named(self.connection, self.query))

    def _driver(self, found: list[Membership]) -> Callable[[int], Candidates]:
        """The function that gives the candidates; what it does not check becomes a condition."""
        column, rated = COLUMNS[self.sort], self._find_rated(found)
        walked = self._among or self._choose(found, rated)
        if walked is None:
            self._ranges = [one.range for one in found if one.column is column]
        if walked is None or walked is rated:
            found = [one for one in found if one.column is not column]
        self._conditions += [
            one.holds for one in found if one is not walked or one.rest is not None
        ]
        if walked is None:
            return self._walk_games
        if walked is rated and walked.by_rating is not None:
            return self._walk_by_rating(walked.by_rating)
        if self.sort is Sort.CREATED and walked.column is None:
            return partial(self._walk_membership, walked)
        return self._walk_narrow(walked)

    def _find_rated(self, found: Iterable[Membership]) -> Membership | None:
        """The membership whose games are kept in the order of the sort, if that is by rating."""
        if self.sort is Sort.RATING:
            for one in found:
                if one.by_rating is not None and self._holds(one.by_rating.is_kept):
                    return one
        return None

    def _holds(self, condition: Condition | None) -> bool:
        return condition is None or bool(self.connection.execute(select(condition)).scalar())

    def _choose(self, found: list[Membership], rated: Membership | None) -> Membership | None:
        """The membership to walk; None for all games in the order of the sort."""
        column = COLUMNS[self.sort]
        if rated is not None:
            found = [one for one in found if one.column is not column]
        ordered = rated
        if self.sort is Sort.CREATED:
            ordered = next((one for one in found if one.column is None), None)
        if len(found) == 1 and found[0] is ordered:
            self._only = ordered
        elif found:
            sizes = [self._size(membership) for membership in found]
            narrowest = min(range(len(found)), key=sizes.__getitem__)
            self._is_narrow = sizes[narrowest] <= NARROW
            if self._is_narrow and found[narrowest].column is not column:
                return found[narrowest]
        return ordered

    def _size(self, membership: Membership) -> int:
        """The number of rows of a membership, counted up to just above NARROW."""
        some = select(membership.number).where(membership.range).limit(NARROW + 1).subquery()
        return self.connection.execute(select(func.count()).select_from(some)).scalar_one()

    def _walk_narrow(self, membership: Membership) -> Callable[[int], Candidates]:
        """Walk the games of a narrow membership, which are all fetched and then sorted."""
        numbers = self.connection.execute(membership.numbers()).scalars().all()
        column = COLUMNS[self.sort]
        among = is_among(self.connection, GAME.c.number, numbers)
        # Not walked in the order of the sort's index: there are few, and they may be anywhere in
        # it.
        fetched = select(column.label("value"), GAME.c.number.label("number")).where(among)
        games = fetched.cte("fetched").prefix_with("MATERIALIZED").c
        chosen = select(games.value, games.number)
        return partial(self._next_of, chosen, games.value, games.number)

    def _walk_membership(self, membership: Membership, size: int) -> Candidates:
        chosen = membership.numbers().order_by(membership.number.desc()).limit(size)
        if self.place is not None:
            chosen = chosen.where(membership.number < self.place[1])
        numbers = self.connection.execute(chosen).scalars().all()
        return Candidates([(number, number) for number in numbers], len(numbers) < size)

    def _walk_by_rating(self, kept: ByRating) -> Callable[[int], Candidates]:
        rating, number = kept.table.c.rating, kept.table.c.number
        return partial(self._next_of, select(rating, number).where(kept.range), rating, number)

    def _walk_games(self, size: int) -> Candidates:
        column = COLUMNS[self.sort]
        chosen = select(column, GAME.c.number).where(*self._ranges)
        return self._next_of(chosen, column, GAME.c.number, size)

    def _next_of(
        self,
        chosen: Select[Any],
        column: ColumnElement[Any],
        number: ColumnElement[Any],
        size: int,
    ) -> Candidates:
        """The next of the chosen candidates, highest first."""
        chosen = chosen.order_by(column.desc(), number.desc()).limit(size)
        if self.place is not None:
            chosen = chosen.where(_is_less(column, number, self.place))
        places = [(value, number) for value, number in self.connection.execute(chosen).all()]
        return Candidates(places, len(places) < size)

    def _fitting(
        self, places: Sequence[Place], columns: Columns
    ) -> Iterator[tuple[Place, Row[Any]]]:
        if not places:
            return
        numbers = [number for _, number in places]
        chosen: Select[Any] = select(*columns).where(self._are(GAME, numbers), *self._conditions)
        rows = {row.number: row for row in self.connection.execute(chosen).all()}
        fitting = self._placed(rows) if self.query.pieces else set(rows)
        yield from ((place, rows[place[1]]) for place in places if place[1] in fitting)

    def _are(self, table: Table, numbers: Collection[int]) -> Condition:
        return is_among(self.connection, table.c.number, numbers)

    def _placed(self, numbers: Collection[int]) -> set[int]:
        """Those of these games in which the wanted pieces stood at the same time."""
        assert self.query.variant is not None
        known = numbering(self.query.variant)
        wanted = [known.number(placement) for placement in self.query.pieces]
        chosen = select(GAME_PLAY.c.number, GAME_PLAY.c.placements).where(
            self._are(GAME_PLAY, numbers)
        )
        return {number for number, kept in self.connection.execute(chosen) if came_up(kept, wanted)}


def _is_less(column: ColumnElement[Any], number: ColumnElement[Any], place: Place) -> Condition:
    """A condition that a game comes after a place."""
    if column is number:
        return number < place[1]
    # Compared as a pair, so that an index on both begins there.
    return tuple_(column, number) < tuple_(*place)
