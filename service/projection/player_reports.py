"""Reports on a player: how their finished games went, against whom, and how they began.

They are counted from the player's rows in SEAT, which are read in the order of their key. So the
cost of a report depends on how much the player has played, up to MOST games, not on how many other
games there are. Beyond MOST, and where counting takes too long, only the newest games are counted,
and the report says that it is partial.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    case,
    func,
    null,
    or_,
)

from engine.registry import find_variant
from notation.registry import find_dialect
from service.projection.cursors import digest_query
from service.projection.database.database import Database
from service.projection.database.tables import GAME, GAME_POSITION, OPENING, SEAT
from service.projection.database.time_limits import OutOfTime, time_limit
from service.projection.errors import BadCursor
from service.projection.games.keys import position_key
from service.projection.games.openings import read_opening
from service.projection.games.play import ENDED
from service.projection.player_games import EVERYTHING, Selection, select_seats
from service.projection.scores import Score, letter_of, score_row
from service.projection.summary import DRAWN, LOST, WON

T = TypeVar("T")

MOST: Final = 100_000
"""The most games of a player that are counted, the newest ones."""
BUDGET: Final = 1.2
"""Seconds after which fewer games are counted."""
FEWER: Final = 10
"""The games are then divided by this number."""
UNKNOWN: Final = "unknown"
"""Stands for the speed, the year or the named opening of a game that has none."""
_CURSOR: Final = re.compile(r"([0-9a-f]{8})\.([0-9]{1,9})\.([a-z0-9_-]{1,100})")


class PlayedGame(NamedTuple):
    """A game of a player, as far as reports group it; `day` is empty where it is unknown.

    Sorts in the order of play.
    """

    day: str
    number: int
    side: int
    variant: str
    speed: str | None
    went: str | None
    opening: str | None


Group = Callable[[PlayedGame], str]

GROUPS: Final[Mapping[str, Group]] = {
    "all": lambda game: "all",
    "variant": lambda game: game.variant,
    "side": lambda game: ("first", "second")[game.side],
    "speed": lambda game: game.speed or UNKNOWN,
    "year": lambda game: game.day[:4] or UNKNOWN,
    "opening": lambda game: game.opening or UNKNOWN,
}
"""The ways to group the games of a report, each with the function that gives a game's group."""


@dataclass(frozen=True, slots=True)
class Report:
    """The scores of a player's games by grouping and by group, both in order.

    A `partial` report counts only the newest games.
    """

    scores: Mapping[str, Mapping[str, Score]]
    partial: bool


@dataclass(frozen=True, slots=True)
class Opponent:
    """Somebody whom a player has met; a player merged into another counts as that one."""

    id: str
    score: Score


class OpponentPage(NamedTuple):
    """Opponents, those met most often first; the cursor of the next page is None after the last."""

    opponents: list[Opponent]
    next_cursor: str | None
    partial: bool


@dataclass(frozen=True, slots=True)
class Opening:
    """The first action of games from the usual first position, and the player's side in them."""

    side: int
    action: str
    score: Score


class PlayerReports:
    """Counts the games of players in a database of read models, which lag behind the log."""

    def __init__(self, database: Database, most: int = MOST, budget: float = BUDGET) -> None:
        self.database = database
        self.most = most
        self.budget = budget

    def report(
        self, player: str, groups: Iterable[str] = ("variant",), wanted: Selection = EVERYTHING
    ) -> Report:
        """How a player's games went, by some of GROUPS; games are in the order of their days.

        Games of one day are in the order in which they were created. The groups of each grouping
        are in the order of their names.
        """

        groups = list(groups)
        opening = read_opening(OPENING.c.name) if "opening" in groups else null()

        def read(connection: Connection, most: int) -> tuple[list[PlayedGame], bool]:
            seats, partial = select_seats(connection, player, wanted, most)
            at = SEAT.c
            chosen = seats.with_only_columns(
                GAME.c.day, at.number, at.side, at.variant, GAME.c.speed, at.went, opening
            )
            return [PlayedGame(*row) for row in connection.execute(chosen)], partial

        games, partial = self._ask(read)
        games.sort()
        letters = [letter_of(game.went, game.day) for game in games]
        scores: dict[str, dict[str, Score]] = {}
        for by in groups:
            rows: dict[str, list[str]] = {}
            for group, letter in zip(map(GROUPS[by], games), letters, strict=True):
                rows.setdefault(group, []).append(letter)
            scores[by] = {group: score_row("".join(rows[group])) for group in sorted(rows)}
        return Report(scores, partial)

    def opponents(
        self,
        player: str,
        wanted: Selection = EVERYTHING,
        cursor: str | None = None,
        limit: int = 50,
    ) -> OpponentPage:
        """The opponents of a player after an earlier page's `next_cursor`; raises BadCursor."""
        query_digest = digest_query(player, repr(wanted))
        place = _read_cursor(cursor, query_digest)

        def read(connection: Connection, most: int) -> OpponentPage:
            seats, partial = select_seats(connection, player, wanted, most)
            games, opponent = func.count(), SEAT.c.opponent
            chosen = (
                # A player merged with an opponent of theirs has not met anybody in those games.
                seats.with_only_columns(opponent, *_COUNTS)
                .where(opponent != player)
                .group_by(opponent)
                .order_by(games.desc(), opponent)
                .limit(limit + 1)
            )
            if place is not None:
                met, last = place
                chosen = chosen.having(or_(games < met, and_(games == met, opponent > last)))
            found = [Opponent(id, Score(*counts)) for id, *counts in connection.execute(chosen)]
            following = None
            if len(found) > limit:
                last_one = found[limit - 1]
                following = f"{query_digest}.{last_one.score.games}.{last_one.id}"
            return OpponentPage(found[:limit], following, partial)

        return self._ask(read)

    def openings(
        self, player: str, variant: str, wanted: Selection = EVERYTHING
    ) -> tuple[list[Opening], bool]:
        """The first actions of a player's games, most frequent first, and whether that is partial.

        Only games from the usual first position are counted, not those that were set up otherwise.
        """
        written = find_dialect(find_variant(variant).name)
        key = position_key(variant, written.start({}))

        def read(connection: Connection, most: int) -> tuple[list[Opening], bool]:
            seats, partial = select_seats(connection, player, wanted, most)
            first = and_(
                GAME_POSITION.c.key == key,
                GAME_POSITION.c.number == SEAT.c.number,
                GAME_POSITION.c.ply == 0,
            )
            action, side = GAME_POSITION.c.action, SEAT.c.side
            chosen = (
                seats.join(GAME_POSITION, first)
                .with_only_columns(side, action, *_COUNTS)
                .where(SEAT.c.variant == variant, action != ENDED)
                .group_by(side, action)
                .order_by(func.count().desc(), side, action)
            )
            rows = connection.execute(chosen)
            found = [Opening(side, action, Score(*counts)) for side, action, *counts in rows]
            return found, partial

        return self._ask(read)

    def _ask(self, read: Callable[[Connection, int], T]) -> T:
        """Let `read` count at most a given number of games; fewer where that takes too long."""

        def read_in_time(connection: Connection) -> T:
            with time_limit(connection, time.monotonic() + self.budget):
                return read(connection, self.most)

        try:
            return self.database.read(read_in_time)
        except OutOfTime:
            return self.database.read(lambda connection: read(connection, self.most // FEWER))


def _count(went: str | None) -> ColumnElement[int]:
    held = SEAT.c.went.is_(None) if went is None else SEAT.c.went == went
    return func.sum(case((held, 1), else_=0))


_COUNTS: Final = [_count(went) for went in (WON, DRAWN, LOST, None)]
"""The number of games of each outcome, in the order of the fields of Score."""


def _read_cursor(cursor: str | None, question: str) -> tuple[int, str] | None:
    if cursor is None:
        return None
    match = _CURSOR.fullmatch(cursor)
    if match is None or match[1] != question:
        raise BadCursor
    return int(match[2]), match[3]
