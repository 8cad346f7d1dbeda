"""Suggests which players known from records may be one person, by how their names are spelt.

Players are gone through in the order of their ids. Whom each of them is compared with, the words
of the names tell: those who share a word, or, for a word that many share, the whole name in
another order; single words also by how they begin. So the work grows with the players and not with
their pairs.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import permutations
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, or_, select

from service.log.interface import EventLog
from service.player.names.words import words
from service.player.state import PlayerState, fold, stream_of
from service.projection.database.database import Database
from service.projection.database.tables import PLAYER, PLAYER_WORD, SEAT
from service.projection.errors import BadCursor
from service.projection.players import LAST
from service.projection.spellings import BEGINNING, MOST_WORDS, find_resemblance

CHUNK: Final = 100
"""Players whose namesakes are looked for in one transaction."""
COMMON: Final = 50
"""Players that share a word are compared with each other up to this number."""
SAME: Final = 200
"""The same for players whose names have the same words."""
ORDERED: Final = 4
"""Words of a name at most whose other orders are looked up."""
BUDGET: Final = 1.2
"""Seconds after which a page ends with what it has."""
COUNTED: Final = 1000
"""Games of a player that are counted at most."""
MET: Final = 5
"""The likelihood, in per cent, that two who have played each other are one person."""
_CURSOR: Final = re.compile(r"([a-z0-9]{1,100})\.([a-z0-9]{1,100})")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A player by id; how many games they have is counted up to COUNTED."""

    id: str
    claimed: bool
    games: int = 0


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Two players who may be one; `player` is known from records alone, and may be merged.

    `met` tells in how many games they have played each other, which speaks against it.
    """

    player: Candidate
    other: Candidate
    reason: str
    likelihood: int
    met: int = 0


class SuggestionPage(NamedTuple):
    """Suggestions, the likeliest first, and where the next page begins; None after the last.

    A page may have fewer than were asked for, and still have a next one.
    """

    suggestions: list[Suggestion]
    next_cursor: str | None


class MergeSuggestions:
    """Finds suggestions among the projected players, and leaves out what the log has settled."""

    def __init__(self, database: Database, events: EventLog, budget: float = BUDGET) -> None:
        self.database = database
        self.events = events
        self.budget = budget

    def page(self, cursor: str | None = None, limit: int = 50) -> SuggestionPage:
        """Up to `limit` suggestions behind an earlier page's `next_cursor`; raises BadCursor."""
        place = _read_cursor(cursor)
        deadline = time.monotonic() + self.budget
        found: list[Suggestion] = []
        while True:
            pairs, after = self.database.read(partial(_find_pairs, place=place))
            found += self._open(pairs)
            if len(found) > limit:
                last = found[limit - 1]
                return self._finish(found[:limit], f"{last.player.id}.{last.other.id}")
            if after is None:
                return self._finish(found, None)
            place = (after, LAST)
            if len(found) == limit or time.monotonic() >= deadline:
                # No id is behind this one.
                return self._finish(found, f"{after}.{'z' * 20}")

    def _open(self, pairs: Sequence[Suggestion]) -> list[Suggestion]:
        """The pairs that the log does not tell otherwise of by now."""
        ids = list(dict.fromkeys(id for one in pairs for id in (one.player.id, one.other.id)))
        recorded = self.events.read_each([stream_of(id) for id in ids])
        states = {id: fold(id, entries) for id, entries in zip(ids, recorded, strict=True)}
        return [one for one in pairs if _is_open(states[one.player.id], states[one.other.id])]

    def _finish(self, found: list[Suggestion], cursor: str | None) -> SuggestionPage:
        """The page of these, with what speaks for and against each of them."""

        def weigh(connection: Connection) -> list[Suggestion]:
            return [_weigh(connection, one) for one in found]

        weighed = self.database.read(weigh) if found else []
        ordered = sorted(weighed, key=lambda one: (-one.likelihood, one.player.id, one.other.id))
        return SuggestionPage(ordered, cursor)


def _is_open(player: PlayerState | None, other: PlayerState | None) -> bool:
    if player is None or other is None or player.claimed:
        return False
    gone = any(one.erased or one.merged_into is not None for one in (player, other))
    settled = other.id in player.distinct_from or player.id in other.distinct_from
    return not gone and not settled


def _find_pairs(
    connection: Connection, place: tuple[str, str]
) -> tuple[list[Suggestion], str | None]:
    """The pairs of the next players, in order, and the last of these; None where none is left."""
    at, (player, other) = PLAYER.c, place
    chosen = (
        select(at.id, at.name)
        .where(at.id >= player, at.name.is_not(None), at.claimed.is_(False))
        .order_by(at.id)
        .limit(CHUNK)
    )
    rows = connection.execute(chosen).all()
    pairs = [one for row in rows for one in _pairs_of(connection, row)]
    behind = [one for one in pairs if (one.player.id, one.other.id) > (player, other)]
    return behind, rows[-1].id if len(rows) == CHUNK else None


def _pairs_of(connection: Connection, row: Any) -> Iterator[Suggestion]:
    """Those whom a player may be, by id; each pair of two from records is told once."""
    own = words(row.name)[:MOST_WORDS]
    others = {id: one for one in _namesakes(connection, own) if (id := one.player) != row.id}
    for id, other in sorted(others.items()):
        like = find_resemblance(own, words(other.name)[:MOST_WORDS])
        if like is not None and (other.claimed or row.id < id):
            player = Candidate(row.id, claimed=False)
            yield Suggestion(player, Candidate(id, other.claimed), *like)


def _namesakes(connection: Connection, own: Sequence[str]) -> Iterator[Any]:
    """The players whose names may resemble one with these words."""
    text = PLAYER_WORD.c.text
    for word in dict.fromkeys(own):
        if len(word) > 1:
            # The word itself, alone or with others behind it.
            whole = or_(text == word, and_(text >= f"{word}_", text < f"{word}`"))
            yield from _if_few(connection, whole, COMMON)
    if 1 < len(own) <= ORDERED:
        orders = ["_".join(order) for order in permutations(own)]
        yield from _if_few(connection, text.in_(orders), SAME)
    elif len(own) == 1:
        begins = own[0][:BEGINNING]
        yield from _if_few(connection, and_(text >= begins, text < begins + LAST), COMMON)


def _if_few(connection: Connection, held: ColumnElement[bool], most: int = COMMON) -> Iterable[Any]:
    """The players with words that hold, if they are no more than `most`."""
    chosen = (
        select(PLAYER_WORD.c.player, PLAYER.c.name, PLAYER.c.claimed)
        .join_from(PLAYER_WORD, PLAYER, PLAYER.c.id == PLAYER_WORD.c.player)
        .where(held)
        .limit(most + 1)
    )
    rows = connection.execute(chosen).all()
    return rows if len(rows) <= most else ()


def _weigh(connection: Connection, one: Suggestion) -> Suggestion:
    opponents = _opponents(connection, one.player.id)
    met = opponents.count(one.other.id)
    return replace(
        one,
        player=replace(one.player, games=len(opponents)),
        other=replace(one.other, games=len(_opponents(connection, one.other.id))),
        met=met,
        likelihood=min(one.likelihood, MET) if met else one.likelihood,
    )


def _opponents(connection: Connection, player: str) -> list[str | None]:
    """Who sat opposite a player in the newest COUNTED games."""
    chosen = select(SEAT.c.opponent).where(SEAT.c.player == player)
    newest = chosen.order_by(SEAT.c.number.desc()).limit(COUNTED)
    return list(connection.execute(newest).scalars())


def _read_cursor(cursor: str | None) -> tuple[str, str]:
    if cursor is None:
        return "", ""
    match = _CURSOR.fullmatch(cursor)
    if match is None:
        raise BadCursor
    return match[1], match[2]
