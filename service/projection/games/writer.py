"""Writes the rows of games: an older version never replaces a newer one, whoever comes first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam, delete, insert, select, update

from service.projection.database.chunks import batched, insert_tuples, select_rows_in
from service.projection.database.tables import (
    GAME,
    GAME_MATERIAL,
    GAME_PLAY,
    GAME_POSITION,
    GAME_TAG,
    OPEN_GAME,
    SEAT,
)
from service.projection.games.continuations import Change, sum_up
from service.projection.games.numbers import assign_numbers
from service.projection.games.openings import Classifier
from service.projection.games.play import Play
from service.projection.games.rows import GameRows, Seat, seats_of

CHUNK: Final = 1000
"""Games whose seats are written together."""

Survivors = Callable[[Iterable[str]], Mapping[str, Sequence[str]]]
"""Tells whom players were merged into, all the way; has nothing for others."""

Earlier = Callable[[str, int], Play | None]
"""Tells what was played in a game as of an earlier version, from the log."""

_KNOWN: Final = select(
    GAME.c.id,
    GAME.c.number,
    GAME.c.version,
    GAME.c.result,
    GAME.c.rating,
    GAME_PLAY.c.actions,
).join_from(GAME, GAME_PLAY, GAME.c.number == GAME_PLAY.c.number, isouter=True)


@dataclass(frozen=True, slots=True)
class _Change:
    """A game to write under its number, and what stands there of it, if anything."""

    rows: GameRows
    number: int
    known: Row[Any] | None
    before: Play | None
    """What was played at the version that stands there; None too where that is the same."""
    played: Play | None
    """What was played that is not in the tables yet."""


class GameWriter:
    """Writes games in a transaction of its caller's."""

    def __init__(self, earlier: Earlier) -> None:
        """`earlier` is asked about a finished game of which something else was played before."""
        self.earlier = earlier
        self.classifier = Classifier()

    def write(self, connection: Connection, games: Iterable[GameRows]) -> None:
        """Write the games that are newer than what is known of them."""
        newest = {rows.id: rows for rows in games}
        known = {row.id: row for row in select_rows_in(connection, _KNOWN, GAME.c.id, newest)}
        written = [
            rows
            for id, rows in newest.items()
            if id not in known or known[id].version < rows.version
        ]
        new = [(one.id, one.game["created_at"]) for one in written if one.id not in known]
        numbers = assign_numbers(connection, new) | {id: row.number for id, row in known.items()}
        changes = [
            self._change(rows, numbers[rows.id], known.get(rows.id))
            for rows in sorted(written, key=lambda one: numbers[one.id])
        ]
        if changes:
            _write_games(connection, changes)
            self._write_plays(connection, changes)

    def _write_plays(self, connection: Connection, changes: Sequence[_Change]) -> None:
        """Write what was played, and take back what was played before."""
        before = [(one.number, one.before) for one in changes if one.before is not None]
        played = [(one.number, one.played) for one in changes if one.played is not None]
        for number, play in before:
            _remove_play(connection, number, play)
        if before:
            self.classifier.remove(connection, [number for number, _ in before])
        if played:
            _insert_plays(connection, played)
            self.classifier.write(connection, [(number, play.steps) for number, play in played])
        ratings = {one.number: one.rows.game["rating"] for one in changes}
        sum_up(
            connection,
            [
                change
                for plays, sign in ((before, -1), (played, 1))
                for number, play in plays
                for change in _counted(play, ratings[number], sign)
            ],
        )

    def _change(self, rows: GameRows, number: int, known: Row[Any] | None) -> _Change:
        if known is None or known.actions is None:
            return _Change(rows, number, known, None, rows.play)
        same = rows.play is not None and (known.actions, known.result) == (
            rows.play.actions,
            rows.game["result"],
        )
        if same:
            return _Change(rows, number, known, None, None)
        return _Change(rows, number, known, self.earlier(rows.id, known.version), rows.play)


def write_seats(connection: Connection, player: str, survivors: Survivors) -> None:
    """Write anew who sits in the games of a player, who was merged into another or parted."""
    mine = select(SEAT.c.number).where(SEAT.c.player == player)
    at = GAME.c
    chosen = select(at.number, at.variant, at.first, at.second, at.result).order_by(at.number)
    found = connection.execute(chosen.where(at.number.in_(mine))).all()
    for some in batched(found, CHUNK):
        merged = survivors({id for row in some for id in (row.first, row.second) if id})
        connection.execute(_DELETE_SEATS, [{"at": row.number} for row in some])
        seats = [
            seat
            for row in some
            for seat in _seat_rows(
                row.number, row.variant, seats_of((row.first, row.second), row.result, merged)
            )
        ]
        _insert(connection, SEAT, seats)


def _write_games(connection: Connection, changes: Sequence[_Change]) -> None:
    """Write the rows of the games, and those of their seats and tags."""
    rows = [{**one.rows.game, "number": one.number} for one in changes]
    known = [row for row, one in zip(rows, changes, strict=True) if one.known is not None]
    if known:
        numbers = [{"at": row["number"]} for row in known]
        connection.execute(_UPDATE, [row | {"at": row["number"]} for row in known])
        connection.execute(_DELETE_SEATS, numbers)
        connection.execute(_DELETE_OPEN, numbers)
    new = [one for one in changes if one.known is None]
    _insert(
        connection, GAME, [row for row, c in zip(rows, changes, strict=True) if c.known is None]
    )
    _insert(
        connection,
        SEAT,
        sorted(
            (
                row
                for one in changes
                for row in _seat_rows(one.number, one.rows.game["variant"], one.rows.seats)
            ),
            key=lambda row: (row["player"], row["number"]),
        ),
    )
    open_games = [
        {"player": player, "number": one.number} for one in changes for player in one.rows.open_for
    ]
    _insert(connection, OPEN_GAME, open_games)
    # A game's tags are those it was begun with.
    pairs = sorted((pair, one.number) for one in new for pair in one.rows.pairs)
    insert_tuples(connection, GAME_TAG, ("pair", "number"), pairs)


def _insert_plays(connection: Connection, plays: Sequence[tuple[int, Play]]) -> None:
    kept = [
        {"number": number, "actions": play.actions, "placements": play.placements}
        for number, play in plays
    ]
    _insert(connection, GAME_PLAY, kept)
    # In the order of the tables: what is near in them is written together.
    positions = sorted(
        (key, number, ply, play.result, action)
        for number, play in plays
        for ply, (key, action) in enumerate(play.steps)
    )
    names = ("key", "number", "ply", "result", "action")
    insert_tuples(connection, GAME_POSITION, names, positions)
    material = sorted((key, number) for number, play in plays for key in play.material)
    insert_tuples(connection, GAME_MATERIAL, ("key", "number"), material)


def _remove_play(connection: Connection, number: int, play: Play) -> None:
    position, material = GAME_POSITION.c, GAME_MATERIAL.c
    keys = {key for key, _ in play.steps}
    for table, column, of, found in (
        (GAME_POSITION, position.key, position.number, keys),
        (GAME_MATERIAL, material.key, material.number, play.material),
    ):
        statement = delete(table).where(column == bindparam("at"), of == number)
        connection.execute(statement, [{"at": key} for key in sorted(found)])
    connection.execute(delete(GAME_PLAY).where(GAME_PLAY.c.number == number))


def _counted(play: Play, rating: int, sign: int) -> list[Change]:
    return [(key, action, play.result, rating, sign) for key, action in dict.fromkeys(play.steps)]


def _seat_rows(number: int, variant: str, seats: Iterable[Seat]) -> list[dict[str, Any]]:
    return [
        {
            "player": player,
            "number": number,
            "side": side,
            "variant": variant,
            "went": went,
            "opponent": opponent,
        }
        for player, side, went, opponent in seats
    ]


def _insert(connection: Connection, table: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        connection.execute(insert(table), rows)


_UPDATE: Final = update(GAME).where(GAME.c.number == bindparam("at"))
_DELETE_SEATS: Final = delete(SEAT).where(SEAT.c.number == bindparam("at"))
_DELETE_OPEN: Final = delete(OPEN_GAME).where(OPEN_GAME.c.number == bindparam("at"))
