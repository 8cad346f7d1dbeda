"""Walks the games that fit a query in the order of a sort, a window of candidates at a time.

The narrowest membership that is known in the order of the sort is walked; whatever else is asked is
looked up for the candidates of a window. So the work of a page depends on what is walked, not on
how many games there are, and a walk can stop after any window and go on from there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, func, or_, select

from service.projection.database.tables import GAME, GAME_PLAY
from service.projection.games.memberships import Condition, Membership, conditions, memberships
from service.projection.games.placements import came_up, numbering
from service.projection.games.query import Query, Sort

NARROW: Final = 2000
"""Games of a membership that are fetched together and sorted here."""
WINDOWS: Final = (200, 2000)
"""Candidates in the first window and in the largest."""

COLUMNS: Final = {
    Sort.CREATED: GAME.c.number,
    Sort.UPDATED: GAME.c.updated_at,
    Sort.DAY: GAME.c.day,
    Sort.PLIES: GAME.c.plies,
    Sort.RATING: GAME.c.rating,
}

Place = tuple[Any, int]
"""Where a game stands in a sorted answer: what it is sorted by, and its number."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """A window: the places of the next candidates, and whether they are the last ones."""

    places: Sequence[Place]
    last: bool


class Walk:
    """One walk, in one transaction, through the games that fit `query`, beginning behind `place`.

    With `within`, only the games of that membership are looked at.
    """

    def __init__(
        self,
        connection: Connection,
        query: Query,
        sort: Sort = Sort.CREATED,
        place: Place | None = None,
        within: Membership | None = None,
    ) -> None:
        self.connection = connection
        self.query = query
        self.sort = sort
        self.place = place
        """Of the last candidate that was looked at."""
        self.ended = False
        """Whether all candidates were looked at."""
        self.is_narrow = within is not None
        """Whether there are few candidates, all of which are known."""
        self._conditions = conditions(query)
        self._next = self._driver(memberships(query), within)

    def games(self, deadline: float) -> Iterator[Row[Any]]:
        """The rows of the games that fit, in order, until `time.monotonic()` is `deadline`.

        At least one window is looked at. `place` is behind each row that was given.
        """
        size = WINDOWS[0]
        while not self.ended:
            candidates = self._next(size)
            yield from self._fitting(candidates.places)
            if candidates.places:
                self.place = candidates.places[-1]
            self.ended = candidates.last
            size = min(2 * size, WINDOWS[1])
            if time.monotonic() >= deadline:
                return

    def _driver(
        self, found: list[Membership], within: Membership | None
    ) -> Callable[[int], Candidates]:
        """What gives the candidates; what it does not tell of them is left as a condition."""
        walked = within
        if within is None and found:
            sizes = [self._size(membership) for membership in found]
            narrowest = min(range(len(found)), key=sizes.__getitem__)
            self.is_narrow = sizes[narrowest] <= NARROW
            if self.is_narrow:
                walked = found.pop(narrowest)
            elif self.sort is Sort.CREATED:
                walked = next((one for one in found if one.ordered), None)
                found = [one for one in found if one is not walked]
        self._conditions += [membership.holds for membership in found]
        if walked is None:
            return self._walk_games
        if self.is_narrow:
            return _Fetched(self._places_of(walked)).next
        return partial(self._walk_membership, walked)

    def _size(self, membership: Membership) -> int:
        """How many games a membership has, up to just above NARROW."""
        some = membership.numbers().limit(NARROW + 1).subquery()
        return self.connection.execute(select(func.count()).select_from(some)).scalar_one()

    def _places_of(self, membership: Membership) -> list[Place]:
        """The places of all games of a narrow membership behind this walk's, in order."""
        numbers = list(self.connection.execute(membership.numbers()).scalars())
        if self.sort is Sort.CREATED:
            places = [(number, number) for number in numbers]
        else:
            chosen = select(COLUMNS[self.sort], GAME.c.number).where(GAME.c.number.in_(numbers))
            places = [(value, number) for value, number in self.connection.execute(chosen)]
        behind = self.place
        return sorted((one for one in places if behind is None or one < behind), reverse=True)

    def _walk_membership(self, membership: Membership, size: int) -> Candidates:
        chosen = membership.numbers().order_by(membership.number.desc()).limit(size)
        if self.place is not None:
            chosen = chosen.where(membership.number < self.place[1])
        numbers = list(self.connection.execute(chosen).scalars())
        return Candidates([(number, number) for number in numbers], len(numbers) < size)

    def _walk_games(self, size: int) -> Candidates:
        column = COLUMNS[self.sort]
        chosen = select(column, GAME.c.number).limit(size)
        chosen = chosen.order_by(column.desc(), GAME.c.number.desc())
        if self.place is not None:
            chosen = chosen.where(_is_less(column, self.place))
        places = [(value, number) for value, number in self.connection.execute(chosen)]
        return Candidates(places, len(places) < size)

    def _fitting(self, places: Sequence[Place]) -> Iterator[Row[Any]]:
        if not places:
            return
        numbers = [number for _, number in places]
        chosen: Select[Any] = select(GAME).where(GAME.c.number.in_(numbers), *self._conditions)
        rows = {row.number: row for row in self.connection.execute(chosen)}
        fitting = self._placed(rows) if self.query.pieces else set(rows)
        for place in places:
            if place[1] in fitting:
                self.place = place
                yield rows[place[1]]

    def _placed(self, numbers: Sequence[int] | dict[int, Any]) -> set[int]:
        """Those of these games in which the wanted pieces stood at the same time."""
        assert self.query.variant is not None
        known = numbering(self.query.variant)
        wanted = [known.number(placement) for placement in self.query.pieces]
        chosen = select(GAME_PLAY.c.number, GAME_PLAY.c.placements).where(
            GAME_PLAY.c.number.in_(list(numbers))
        )
        return {number for number, kept in self.connection.execute(chosen) if came_up(kept, wanted)}


class _Fetched:
    """Candidates that are all known."""

    def __init__(self, places: Sequence[Place]) -> None:
        self._places = places
        self._at = 0

    def next(self, size: int) -> Candidates:
        """The next window."""
        found = self._places[self._at : self._at + size]
        self._at += len(found)
        return Candidates(found, self._at >= len(self._places))


def _is_less(column: ColumnElement[Any], place: Place) -> Condition:
    """That a game stands behind a place."""
    value, number = place
    if column is GAME.c.number:
        return GAME.c.number < number
    # The first part alone lets an index begin there.
    return and_(column <= value, or_(column < value, GAME.c.number < number))
