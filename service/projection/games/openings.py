"""The opening of each finished game: the last position it reached that a table names.

Every table of openings that an operator loads is an edition. Readers see the newest one whose games
are all classified. The next one is filled beside it, a batch of games at a time
(`service.projection.openings`), while every game that is written is classified by both. So readers
always see one table for all games.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, ScalarSelect, bindparam, delete, func, or_, select

from service.openings.values import fold_name, list_names
from service.projection.database.chunks import insert_tuples, select_rows_in
from service.projection.database.tables import (
    GAME,
    GAME_OPENING,
    NAMED_GAME,
    OPENING,
    OPENING_EDITION,
)
from service.projection.games.keys import digest
from service.projection.summary import NamedOpening

NAME: Final = "opening"

Steps = Sequence[tuple[int, str]]
"""The key of each position of a game and what was played there, first to last."""


def read_edition() -> ScalarSelect[int]:
    """The edition that is read; null before one is ready."""
    at = OPENING_EDITION.alias("ready").c
    return select(func.max(at.edition)).where(at.ready).scalar_subquery()


def find_live_editions(connection: Connection) -> list[int]:
    """The edition that is read and the newest one; all others are to be deleted."""
    at = OPENING_EDITION.c
    newest = select(func.max(OPENING_EDITION.alias("newest").c.edition)).scalar_subquery()
    chosen = select(at.edition).where(or_(at.edition == read_edition(), at.edition == newest))
    return list(connection.execute(chosen).scalars())


def name_key(name: str) -> int:
    """The key under which the games of a name or a code stand."""
    return digest(NAME, fold_name(name))


def read_opening(column: ColumnElement[Any]) -> ScalarSelect[Any]:
    """A column of OPENING for the opening of a row of GAME; null where the game has none."""
    of, at = GAME_OPENING.c, OPENING.c
    return (
        select(column)
        .join_from(GAME_OPENING, OPENING, (at.edition == of.edition) & (at.key == of.key))
        .where(of.edition == read_edition(), of.number == GAME.c.number)
        .correlate(GAME)
        .scalar_subquery()
    )


LISTED: Final = (
    *GAME.columns,
    read_opening(OPENING.c.name).label("opening_name"),
    read_opening(OPENING.c.code).label("opening_code"),
)
"""What lists show of a game: its row and its opening."""


def name_position(connection: Connection, key: int) -> NamedOpening | None:
    """The opening whose position has this key."""
    at = OPENING.c
    chosen = select(at.name, at.code).where(at.edition == read_edition(), at.key == key)
    row = connection.execute(chosen).one_or_none()
    return None if row is None else NamedOpening(row.name, row.code)


class Classifier:
    """Writes the openings of games, in the caller's transaction.

    An edition's openings never change, so they are read once.
    """

    def __init__(self) -> None:
        self._known: dict[int, dict[int, tuple[int, ...]]] = {}

    def write(self, connection: Connection, plays: Sequence[tuple[int, Steps]]) -> None:
        """Classify games by what was played in them; they have no rows yet."""
        for edition in self._load(connection):
            known = self._known[edition]
            openings = []
            for number, steps in plays:
                key = next((key for key, _ in reversed(steps) if key in known), None)
                if key is not None:
                    openings.append((number, key))
            self.insert(connection, edition, openings)

    def remove(self, connection: Connection, numbers: Collection[int]) -> None:
        """Delete the classification of games."""
        of = GAME_OPENING.c
        for edition in self._load(connection):
            chosen = select(of.number, of.key).where(of.edition == edition)
            found = select_rows_in(connection, chosen, of.number, numbers)
            self.delete(connection, edition, [(row.number, row.key) for row in found])

    def insert(
        self, connection: Connection, edition: int, openings: Iterable[tuple[int, int]]
    ) -> None:
        """Write games with the keys of their openings."""
        found = sorted(openings)
        rows = [(edition, number, key) for number, key in found]
        insert_tuples(connection, GAME_OPENING, ("edition", "number", "key"), rows)
        numbers = [number for number, _ in found]
        chosen = select(GAME.c.number, GAME.c.rating)
        rated = dict(map(tuple, select_rows_in(connection, chosen, GAME.c.number, numbers)))
        named = [(*row, rated[row[-1]]) for row in self._name(connection, edition, found)]
        insert_tuples(connection, NAMED_GAME, ("edition", "name", "number", "rating"), named)

    def delete(
        self, connection: Connection, edition: int, openings: Sequence[tuple[int, int]]
    ) -> None:
        """Delete the rows of games with the keys of their openings."""
        if not openings:
            return
        at = {"of": edition}
        games = [at | {"at": number} for number, _ in openings]
        connection.execute(_DELETE_OPENING, games)
        named = self._name(connection, edition, openings)
        connection.execute(
            _DELETE_NAMED, [at | {"name_is": name, "at": number} for _, name, number in named]
        )

    def keys(self, connection: Connection, edition: int) -> Mapping[int, tuple[int, ...]]:
        """The positions that an edition names, each with the keys of its names."""
        if edition not in self._known:
            at = OPENING.c
            chosen = select(at.key, at.name, at.code).where(at.edition == edition)
            self._known[edition] = {
                row.key: _name_keys(row.name, row.code) for row in connection.execute(chosen)
            }
        return self._known[edition]

    def _load(self, connection: Connection) -> list[int]:
        live = find_live_editions(connection)
        for edition in live:
            self.keys(connection, edition)
        for old in self._known.keys() - set(live):
            del self._known[old]
        return live

    def _name(
        self, connection: Connection, edition: int, openings: Iterable[tuple[int, int]]
    ) -> list[tuple[int, int, int]]:
        """The rows of NAMED_GAME, in their order."""
        known = self.keys(connection, edition)
        return sorted((edition, name, number) for number, key in openings for name in known[key])


def _name_keys(name: str, code: str | None) -> tuple[int, ...]:
    return tuple(dict.fromkeys(map(name_key, list_names(name, code))))


def _deleting(table: Any, **columns: str) -> Any:
    return delete(table).where(*(table.c[name] == bindparam(of) for name, of in columns.items()))


_DELETE_OPENING: Final = _deleting(GAME_OPENING, edition="of", number="at")
_DELETE_NAMED: Final = _deleting(NAMED_GAME, edition="of", name="name_is", number="at")
