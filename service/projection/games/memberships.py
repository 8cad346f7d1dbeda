"""The rows that a game must have: a query as conditions on tables.

Every condition that an index answers is a membership: the games that have a row in a table. Its
games can be walked newest first, and a single game can be looked up in it. The remaining conditions
are on the game's own row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    FromClause,
    Select,
    and_,
    case,
    literal,
    select,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import GenericFunction

from service.projection.database.tables import (
    GAME,
    GAME_MATERIAL,
    GAME_PLAY,
    GAME_POSITION,
    GAME_TAG,
    NAMED_GAME,
    OPEN_GAME,
    SEAT,
    SHARED_POSITION,
)
from service.projection.database.texts import storable
from service.projection.games.keys import fen_key, material_key, tag_key
from service.projection.games.named_players import NamedPlayers
from service.projection.games.openings import name_key, read_edition
from service.projection.games.query import ANY, Bounds, Query, canonical_material
from service.projection.games.shared_positions import is_shared

Condition = ColumnElement[bool]
Range = Bounds | tuple[str | None, str | None]

EQUAL: Final = ("termination", "result", "status", "variant")
"""Columns of games with an index each, the most selective first."""
UNKNOWN: Final = {"day": "", "rating": 0}
"""The value that stands for unknown, by column."""
HIGHER_POINTS: Final = case(
    (GAME.c.first_points >= GAME.c.second_points, GAME.c.first_points),
    else_=GAME.c.second_points,
)
"""The points of the side that has more."""


@dataclass(frozen=True, slots=True)
class ByRating:
    """The games of a membership in the order of their ratings, where `is_kept` holds.

    `range` leaves out those whose ratings the query leaves out.
    """

    table: FromClause
    range: Condition
    is_kept: Condition | None = None


@dataclass(frozen=True, slots=True)
class Membership:
    """Games with a row in `table` for which `range` and `rest` hold.

    `range` is what an index answers without looking at other rows, so looking at a few of its rows
    is little work, however few games match. If it is `repeated`, a game may have several such rows.
    The rows are in the order of the games' numbers, or of `column`.
    """

    table: FromClause
    range: Condition
    rest: Condition | None = None
    repeated: bool = False
    column: ColumnElement[Any] | None = None
    by_rating: ByRating | None = None

    @property
    def number(self) -> ColumnElement[Any]:
        """The column with the games' numbers."""
        return self.table.c.number

    @property
    def holds(self) -> Condition:
        """A condition that a row of GAME belongs to it."""
        condition = self.range if self.rest is None else and_(self.range, self.rest)
        if self.table is GAME:
            return condition
        return has_row(and_(condition, self.number == GAME.c.number))

    def numbers(self) -> Select[Any]:
        """The numbers of the games in `range`, each once, whether `rest` holds for them or not."""
        chosen = select(self.number).where(self.range)
        return chosen.distinct() if self.repeated else chosen


def has_row(condition: Condition) -> Condition:
    """A condition that such a row exists, looked up separately for each candidate.

    The offset makes PostgreSQL do so; it would join the tables, and read all of the other one.
    """
    return select(literal(1)).where(condition).offset(0).exists()


class contains_text(GenericFunction[int]):
    """The place where one text begins in another, case-sensitive; 0 where it does not occur."""

    type = BigInteger()
    inherit_cache = True


@compiles(contains_text)
def _instr(element: Any, compiler: Any, **options: Any) -> str:
    return f"instr({compiler.process(element.clauses, **options)})"


@compiles(contains_text, "postgresql")
def _strpos(element: Any, compiler: Any, **options: Any) -> str:
    return f"strpos({compiler.process(element.clauses, **options)})"


def memberships(query: Query, named: NamedPlayers) -> list[Membership]:
    """The parts of the query that an index answers, with the players that it names.

    Raises BadFen, BadValue and UnknownVariant.
    """
    query.check()
    return [*_seats(query, named), *_tagged(query), *_opened(query), *_played(query), *_own(query)]


def conditions(query: Query) -> list[Condition]:
    """The conditions besides the memberships, which no index answers."""
    found: list[Condition] = []
    if query.mode is not None:
        found.append(GAME.c.mode == query.mode)
    if query.speed is not None:
        found.append(GAME.c.speed == query.speed)
    if query.computer is not None:
        found.append(GAME.c.computer > 0 if query.computer else GAME.c.computer == 0)
    if query.points != ANY:
        found.append(GAME.c.first_points.is_not(None))
        found += _within(HIGHER_POINTS, query.points)
    if query.actions:
        sought = f" {' '.join(query.actions)} "
        contained = contains_text(GAME_PLAY.c.actions, sought) > 0
        found.append(has_row(and_(GAME_PLAY.c.number == GAME.c.number, contained)))
    return found


def _seats(query: Query, named: NamedPlayers) -> Iterator[Membership]:
    seat, other = SEAT.alias("seat"), SEAT.alias("opponent")
    if named.player is not None:
        rest = []
        if query.side is not None:
            rest.append(seat.c.side == query.side)
        if named.opponent is not None:
            facing = SEAT.alias("facing")
            faced = _is_one_of(facing.c.player, named.opponent)
            across = and_(facing.c.number == seat.c.number, facing.c.side != seat.c.side)
            rest.append(has_row(and_(faced, across)))
        mine = _is_one_of(seat.c.player, named.player)
        yield Membership(seat, mine, and_(*rest) if rest else None, repeated=True)
    if named.opponent is not None:
        # The player who has played fewer games is walked.
        yield Membership(other, _is_one_of(other.c.player, named.opponent), repeated=True)
    if query.open_for is not None:
        open_game = OPEN_GAME.alias("open_for")
        yield Membership(open_game, open_game.c.player == storable(query.open_for))


def _is_one_of(column: ColumnElement[str], ids: Sequence[str]) -> Condition:
    return column == ids[0] if len(ids) == 1 else column.in_(ids)


def _tagged(query: Query) -> Iterator[Membership]:
    for count, pair in enumerate(query.tags):
        tag = GAME_TAG.alias(f"tag_{count}")
        yield Membership(tag, tag.c.pair == tag_key(*pair))


def _opened(query: Query) -> Iterator[Membership]:
    if query.opening is not None:
        named = NAMED_GAME.alias("opening")
        of_name = (named.c.edition == read_edition(), named.c.name == name_key(query.opening))
        rated = and_(*of_name, *_rated(named.c.rating, query))
        yield Membership(named, and_(*of_name), by_rating=ByRating(named, rated))


def _played(query: Query) -> Iterator[Membership]:
    if query.variant is None:
        return
    if query.fen is not None:
        position = GAME_POSITION.alias("position")
        key = fen_key(query.variant, query.fen)
        plies = _within(position.c.ply, query.at_ply)
        rest = and_(*plies) if plies else None
        shared = SHARED_POSITION.alias("shared")
        rated = and_(shared.c.key == key, *_rated(shared.c.rating, query))
        by_rating = ByRating(shared, rated, is_shared(key))
        here = position.c.key == key
        yield Membership(position, here, rest, repeated=True, by_rating=by_rating)
    if query.material is not None:
        material = GAME_MATERIAL.alias("material")
        sought = canonical_material(query.material)
        yield Membership(material, material.c.key == material_key(query.variant, sought))
    if query.pieces or query.actions:
        play = GAME_PLAY.alias("play")
        yield Membership(play, play.c.number.is_not(None))


def _own(query: Query) -> Iterator[Membership]:
    """The memberships of the game's own row."""
    # The digests of positions and material include the variant.
    told = {"variant"} if query.fen is not None or query.material is not None else set()
    for name in EQUAL:
        value = getattr(query, name)
        if value is not None and name not in told:
            yield Membership(GAME, GAME.c[name] == storable(value))
    ranges: tuple[tuple[str, Range], ...] = (
        ("day", (query.since, query.until)),
        ("plies", query.plies),
        ("rating", query.rating),
    )
    for name, bounds in ranges:
        if bounds != ANY:
            yield Membership(GAME, and_(*_known(GAME.c[name], bounds)), column=GAME.c[name])


def _rated(rating: ColumnElement[Any], query: Query) -> list[Condition]:
    return [] if query.rating == ANY else _known(rating, query.rating)


def _known(column: ColumnElement[Any], bounds: Range) -> list[Condition]:
    """The conditions that a value is known and within bounds.

    A second lower bound would do harm: an index scan may begin at that one.
    """
    least, unknown = bounds[0], UNKNOWN.get(column.name)
    if unknown is None or least not in (None, unknown):
        return _within(column, bounds)
    return [column > unknown, *_within(column, bounds)]


def _within(column: ColumnElement[Any], bounds: Range) -> list[Condition]:
    least, most = bounds
    found: list[Condition] = []
    if least is not None:
        found.append(column >= least)
    if most is not None:
        found.append(column <= most)
    return found
