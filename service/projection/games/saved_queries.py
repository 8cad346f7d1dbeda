"""Matches the queries that webhooks keep against one game as it stands in the log."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property

from service.errors import ServiceError
from service.game.state import GameState
from service.log.interface import EventLog
from service.openings.repository import Openings
from service.openings.values import fold_name, list_names
from service.player.mergers import follow_line, read_known
from service.projection.games.filters import read_query
from service.projection.games.matching import GameFacts, matches
from service.projection.games.play import Play
from service.projection.games.rows import make_rows
from service.projection.openings import key_of

log = logging.getLogger(__name__)


class SavedQueries:
    """Matches games against saved queries, without the database of the lists."""

    def __init__(self, events: EventLog, openings: Openings) -> None:
        self.events = events
        self._positions = NamedPositions(openings)

    def judge_of(self, state: GameState) -> Callable[[str], bool]:
        """A function that says whether this game matches a given saved query."""
        return _Judge(self.events, self._positions, state).fits


class NamedPositions:
    """The positions that the newest table of openings names, read again after each new table."""

    def __init__(self, openings: Openings) -> None:
        self.openings = openings
        self._known: tuple[int, Mapping[int, frozenset[str]]] = (0, {})

    def names_of(self, play: Play | None) -> frozenset[str]:
        """The folded names of the last named position that a finished game reached."""
        if play is None:
            return frozenset()
        version, known = self._known
        if self.openings.version() != version:
            table = self.openings.load()
            known = {
                key: frozenset(map(fold_name, list_names(one.name, one.code)))
                for one in table.openings
                if (key := key_of(one)) is not None
            }
            self._known = (table.version, known)
        return next((known[key] for key, _ in reversed(play.steps) if key in known), frozenset())


class _Judge:
    """Looks at the game once, at the first query."""

    def __init__(self, events: EventLog, positions: NamedPositions, state: GameState) -> None:
        self.events = events
        self.positions = positions
        self.state = state

    def fits(self, text: str) -> bool:
        """Whether the game matches; no game matches a query that this version cannot read."""
        try:
            return matches(read_query(text), self._facts)
        except ServiceError:
            log.warning("a webhook's filter cannot be read: %s", text)
            return False

    @cached_property
    def _facts(self) -> GameFacts:
        state = self.state
        known = read_known(self.events, [id for id in state.seats if id is not None])
        lines = {id: follow_line(known, id) for id in known}
        rows = make_rows(state, {id: line[1:] for id, line in lines.items() if len(line) > 1})
        if state.ending is not None and not state.is_scored:
            # A worker counts the points at the same time; they are those of the last position.
            first, second = state.position.points() or (None, None)
            rows = replace(rows, game={**rows.game, "first_points": first, "second_points": second})
        names = {id: one.name for id, one in known.items() if one.name and one.into is None}
        return GameFacts(rows, names, self.positions.names_of(rows.play))
