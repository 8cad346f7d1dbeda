"""The explorer: what was played from a position in finished games, and how it scored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from heapq import nlargest
from itertools import islice
from typing import Any, Final

from sqlalchemy import Connection, Row, select

from service.projection.data_version import read_data_version
from service.projection.database.chunks import is_among
from service.projection.database.database import Database
from service.projection.database.tables import GAME, GAME_POSITION
from service.projection.database.time_limits import OutOfTime, time_limit
from service.projection.games.keys import fen_key
from service.projection.games.openings import LISTED, name_position
from service.projection.games.play import ENDED, RESULTS
from service.projection.games.positions import read_position
from service.projection.games.query import Query
from service.projection.games.search import BUDGET, to_summary
from service.projection.games.tally import Tally
from service.projection.games.walk import Deadline, Walk, within
from service.projection.summary import GameSummary, NamedOpening

NAMES: Final = tuple(RESULTS)
"""The results by their numbers."""
CHUNK: Final = 500
"""Games whose continuations are read together."""
SHOWN: Final = 8
"""How many of the newest and of the highest rated games are shown."""
NEEDED: Final = (GAME.c.number, GAME.c.rating)


@dataclass(frozen=True, slots=True)
class Continuation:
    """An action in coordinate form, and the games in which it was played."""

    action: str
    tally: Tally


@dataclass(frozen=True, slots=True)
class Explored:
    """What is known of a position: its continuations, most played first, and the sums.

    `ended` are the games that had no action after it. A game that reached the position twice and
    continued differently counts for both actions. `recent` are the newest games, `top` those of
    rated players with the highest ratings. A `partial` answer covers only the newest games, since
    looking at all of them took too long. `opening` is the position's own name.
    """

    continuations: list[Continuation]
    ended: Tally
    recent: list[GameSummary] = field(default_factory=list)
    top: list[GameSummary] = field(default_factory=list)
    partial: bool = False
    opening: NamedOpening | None = None

    @property
    def total(self) -> Tally:
        """The sums."""
        summed = Tally()
        for one in (*(one.tally for one in self.continuations), self.ended):
            summed.add(one)
        return summed


class Explorer:
    """Reads the tables of positions; they lag behind the log as the lists do."""

    def __init__(self, database: Database, budget: float = BUDGET) -> None:
        self.database = database
        self.budget = budget

    def explore(self, query: Query, shown: int = SHOWN) -> Explored:
        """What was played in the games that fit from the position that the query names.

        The query needs `variant` and `fen`; `shown` is how many of the newest and of the highest
        rated games to give. Raises BadFen, BadValue and UnknownVariant.
        """
        assert query.variant is not None
        assert query.fen is not None
        query.check()
        key = fen_key(query.variant, query.fen)
        unfiltered = query == Query(variant=query.variant, fen=query.fen)
        if unfiltered:
            return self.database.read(lambda connection: _explore_all(connection, key, shown))
        deadline = within(self.budget)
        return self.database.read(lambda c: _explore_some(c, query, key, shown, deadline))

    def read_version(self) -> int:
        """Which state of the tables answers; it differs after each change that matters here."""
        return self.database.read(read_data_version)


def _explore_all(connection: Connection, key: int, shown: int) -> Explored:
    """What was played in all games, which the tables give at once."""
    found = read_position(connection, key, shown)
    summaries = _summarise(connection, [*found.recent, *found.top]) if shown else {}
    return replace(
        _explored(found.tallies),
        recent=[summaries[number] for number in found.recent],
        top=[summaries[number] for number in found.top],
        opening=found.opening,
    )


def _explore_some(
    connection: Connection, query: Query, key: int, shown: int, deadline: Deadline
) -> Explored:
    """What was played in the games that fit, each of which is looked at."""
    # First, since nothing can be asked any more once a statement was cancelled.
    opening = name_position(connection, key)
    walk = Walk(connection, query)
    games = walk.games(deadline, columns=NEEDED)
    tallies: dict[str, Tally] = {}
    recent: list[int] = []
    top: list[tuple[int, int]] = []
    summaries: dict[int, GameSummary] = {}
    partial = True
    try:
        while some := list(islice(games, CHUNK)):
            with time_limit(connection, deadline.hard):
                _tally_some(connection, key, some, tallies)
            recent += [row.number for row in some[: shown - len(recent)]]
            rated = [(row.rating, row.number) for row in some if row.rating]
            top = nlargest(shown, top + rated)
        partial = not walk.ended
        with time_limit(connection, deadline.hard):
            summaries = _summarise(connection, [*recent, *(number for _, number in top)])
    except OutOfTime:
        partial = True
    return replace(
        _explored(tallies),
        recent=[summaries[number] for number in recent if number in summaries],
        top=[summaries[number] for _, number in top if number in summaries],
        partial=partial,
        opening=opening,
    )


def _tally_some(
    connection: Connection, key: int, games: Iterable[Row[Any]], tallies: dict[str, Tally]
) -> None:
    """Add what was played from a position in these games, given as rows with NEEDED."""
    ratings = {row.number: row.rating for row in games}
    at = GAME_POSITION.c
    chosen = (
        select(at.number, at.action, at.result)
        .where(at.key == key, is_among(connection, at.number, ratings))
        .distinct()
    )
    for number, action, result in connection.execute(chosen).all():
        tallies.setdefault(action, Tally()).count(NAMES[result], ratings[number])


def _summarise(connection: Connection, numbers: Sequence[int]) -> dict[int, GameSummary]:
    """What lists show of the games with these numbers."""
    chosen = select(*LISTED).where(is_among(connection, GAME.c.number, numbers))
    return {row.number: to_summary(row) for row in connection.execute(chosen)}


def _explored(tallies: dict[str, Tally]) -> Explored:
    ended = tallies.pop(ENDED, Tally())
    found = [Continuation(action, tally) for action, tally in tallies.items() if tally.games]
    found.sort(key=lambda one: (-one.tally.games, one.action))
    return Explored(found, ended)
