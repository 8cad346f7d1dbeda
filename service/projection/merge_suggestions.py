"""Suggests which players known from records may be one person, by the spelling of their names.

Players are gone through in the order of their ids. Each is compared with the players who share a
word of the name, or, for a word that many share, the whole name in another order; single words are
also compared by their beginning, or by what is left of them without one letter. So the work grows
with the number of players and not of pairs.

The players are gone through once for each likelihood, the highest first, so that the suggestions
are in order across all pages.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import permutations
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, Table, and_, or_, select

from service.log.interface import EventLog
from service.player.names.words import words
from service.player.state import PlayerState, fold, stream_of
from service.projection.database.database import Database
from service.projection.database.tables import PLAYER, PLAYER_WORD, SEAT, SHORT_NAME
from service.projection.errors import BadCursor
from service.projection.players import LAST
from service.projection.spellings import (
    BEGINNING,
    INITIALS,
    MORE_WORDS,
    MOST_WORDS,
    SAME_WORDS,
    TYPING_ERROR,
    find_resemblance,
    shorten_name,
)

CHUNK: Final = 100
"""Players whose namesakes are looked for in one transaction."""
COMMON: Final = 50
"""The players that share a word are compared with each other if there are no more than this."""
SAME: Final = 200
"""The same for players whose names have the same words."""
ORDERED: Final = 4
"""The most words of a name whose other orders are looked up."""
BUDGET: Final = 1.2
"""Seconds after which a page ends with what it has."""
COUNTED: Final = 1000
"""The most games of a player that are counted."""
MET: Final = 5
"""The likelihood, in per cent, that two players who have met are one person."""
REASONS: Final = (SAME_WORDS, TYPING_ERROR, INITIALS, MORE_WORDS)
LIKELIHOODS: Final = (*sorted((one.likelihood for one in REASONS), reverse=True), MET)
"""How likely a suggestion can be, in the order of the pages."""
BEHIND: Final = "z" * 20
"""Sorts after every id."""
_CURSOR: Final = re.compile(r"([0-9]{1,3})\.([a-z0-9]{0,100})\.([a-z0-9]{0,100})")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A player by id; `games` is counted up to COUNTED."""

    id: str
    claimed: bool
    games: int = 0


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Two players who may be one; `player` is known from records alone, and may be merged.

    `met` is how many games they have played against each other, which speaks against it.
    """

    player: Candidate
    other: Candidate
    reason: str
    likelihood: int
    met: int = 0


class Place(NamedTuple):
    """A suggestion's place among all: by its likelihood, then by the players' ids."""

    likelihood: int
    player: str
    other: str


class SuggestionPage(NamedTuple):
    """Suggestions, the likeliest of all first, and where the next page begins, if there is one.

    A page may have fewer than requested and still have a next one.
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
        """Up to `limit` suggestions after an earlier page's `next_cursor`; raises BadCursor."""
        place: Place | None = _read_cursor(cursor)
        deadline = time.monotonic() + self.budget
        found: list[Suggestion] = []
        while place is not None:
            pairs, following = self.database.read(partial(_find_pairs, place=place))
            found += self._open(pairs)
            if len(found) > limit:
                return SuggestionPage(found[:limit], _write_cursor(_place_of(found[limit - 1])))
            place = following
            if place is not None and (len(found) == limit or time.monotonic() >= deadline):
                return SuggestionPage(found, _write_cursor(place))
        return SuggestionPage(found, None)

    def _open(self, pairs: Sequence[Suggestion]) -> list[Suggestion]:
        """The pairs that the log has not settled by now."""
        ids = list(dict.fromkeys(id for one in pairs for id in (one.player.id, one.other.id)))
        recorded = self.events.read_each([stream_of(id) for id in ids])
        states = {id: fold(id, entries) for id, entries in zip(ids, recorded, strict=True)}
        return [one for one in pairs if _is_open(states[one.player.id], states[one.other.id])]


def _is_open(player: PlayerState | None, other: PlayerState | None) -> bool:
    if player is None or other is None or player.claimed:
        return False
    gone = any(one.erased or one.merged_into is not None for one in (player, other))
    settled = other.id in player.distinct_from or player.id in other.distinct_from
    return not gone and not settled


def _find_pairs(connection: Connection, place: Place) -> tuple[list[Suggestion], Place | None]:
    """The next players' pairs of the likelihood of `place`, in order, and where to go on.

    The latter is None where nothing is left.
    """
    at = PLAYER.c
    chosen = (
        select(at.id, at.name)
        .where(at.id >= place.player, at.name.is_not(None), at.claimed.is_(False))
        .order_by(at.id)
        .limit(CHUNK)
    )
    rows = connection.execute(chosen).all()
    pairs = (_weigh(connection, one, place) for row in rows for one in _pairs_of(connection, row))
    found = [one for one in pairs if one is not None]
    if len(rows) == CHUNK:
        return found, place._replace(player=rows[-1].id, other=BEHIND)
    less = next((one for one in LIKELIHOODS if one < place.likelihood), None)
    return found, None if less is None else Place(less, "", "")


def _pairs_of(connection: Connection, row: Any) -> Iterator[Suggestion]:
    """The players that a player may be, by id; each pair of players from records comes up once."""
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
            # The word itself, alone or with others after it.
            whole = or_(text == word, and_(text >= f"{word}_", text < f"{word}`"))
            yield from _if_few(connection, _select_players(PLAYER_WORD, whole), COMMON)
    if 1 < len(own) <= ORDERED:
        orders = ["_".join(order) for order in permutations(own)]
        yield from _if_few(connection, _select_players(PLAYER_WORD, text.in_(orders)), SAME)
    elif len(own) == 1:
        begins = own[0][:BEGINNING]
        alike = and_(text >= begins, text < begins + LAST)
        yield from _if_few(connection, _select_players(PLAYER_WORD, alike), COMMON)
        near = SHORT_NAME.c.text.in_(shorten_name(own))
        yield from _if_few(connection, _select_players(SHORT_NAME, near).distinct(), COMMON)


def _select_players(table: Table, held: ColumnElement[bool]) -> Select[Any]:
    """The players in the rows of a table for which a condition holds."""
    chosen = select(table.c.player, PLAYER.c.name, PLAYER.c.claimed)
    return chosen.join_from(table, PLAYER, PLAYER.c.id == table.c.player).where(held)


def _if_few(connection: Connection, chosen: Select[Any], most: int) -> Iterable[Any]:
    """The chosen rows, if there are no more than `most`."""
    rows = connection.execute(chosen.limit(most + 1)).all()
    return rows if len(rows) <= most else ()


def _weigh(connection: Connection, one: Suggestion, place: Place) -> Suggestion | None:
    """The pair with the games that speak against it; None where its place is another one."""
    if place.likelihood not in (one.likelihood, MET) or _place_of(one)[1:] <= place[1:]:
        return None
    opponents = _opponents(connection, one.player.id)
    met = opponents.count(one.other.id)
    if (MET if met else one.likelihood) != place.likelihood:
        return None
    return replace(
        one,
        player=replace(one.player, games=len(opponents)),
        other=replace(one.other, games=len(_opponents(connection, one.other.id))),
        met=met,
        likelihood=place.likelihood,
    )


def _opponents(connection: Connection, player: str) -> list[str | None]:
    """The opponents of a player in the newest COUNTED games."""
    chosen = select(SEAT.c.opponent).where(SEAT.c.player == player)
    newest = chosen.order_by(SEAT.c.number.desc()).limit(COUNTED)
    return list(connection.execute(newest).scalars())


def _place_of(one: Suggestion) -> Place:
    return Place(one.likelihood, one.player.id, one.other.id)


def _write_cursor(place: Place) -> str:
    return ".".join(map(str, place))


def _read_cursor(cursor: str | None) -> Place:
    if cursor is None:
        return Place(LIKELIHOODS[0], "", "")
    match = _CURSOR.fullmatch(cursor)
    if match is None or int(match[1]) not in LIKELIHOODS:
        raise BadCursor
    return Place(int(match[1]), match[2], match[3])
