"""Writes the rows of games: an older version never replaces a newer one, whichever comes first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    Connection,
    Row,
    Select,
    Table,
    bindparam,
    delete,
    insert,
    null,
    select,
    update,
)

from service.projection.data_version import advance_data_version
from service.projection.database.chunks import insert_tuples, select_rows_in
from service.projection.database.tables import (
    GAME,
    GAME_PLAY,
    GAME_TAG,
    HELD_GAME,
    OPEN_GAME,
    SEAT,
)
from service.projection.games.continuations import sum_up
from service.projection.games.held import held_values, move_games, read_steps
from service.projection.games.numbers import assign_numbers
from service.projection.games.openings import Classifier
from service.projection.games.play import RESULTS, Play
from service.projection.games.plays import count_steps, insert_plays, remove_play
from service.projection.games.rows import GameRows
from service.projection.games.seats import (
    DELETE_SEATS,
    SEAT_COLUMNS,
    Survivors,
    insert_seats,
    seat_rows,
)

Earlier = Callable[[str, int], Play | None]
"""Reads from the log what was played in a game as of an earlier version."""


def _select_known(table: Table, held_for: Any) -> Select[Any]:
    """What is known of the games in GAME or in HELD_GAME."""
    at = table.c
    named = (at.id, at.number, at.version, at.head, at.result, at.rating)
    return select(*named, held_for.label("held_for"), GAME_PLAY.c.actions).join_from(
        table, GAME_PLAY, at.number == GAME_PLAY.c.number, isouter=True
    )


_KNOWN: Final = (_select_known(GAME, null()), _select_known(HELD_GAME, HELD_GAME.c["import"]))


@dataclass(frozen=True, slots=True)
class _Change:
    """A game to write under its number, and what the tables have of it, if anything."""

    rows: GameRows
    number: int
    known: Row[Any] | None
    before: Play | None
    """What was played at the version in the tables; None also where that is the same."""
    played: Play | None
    """What was played that is not in the tables yet."""

    @property
    def held_for(self) -> str | None:
        """The import for which it is held back; it is not shown then."""
        return self.rows.held_for if self.known is None else self.known.held_for

    def rating(self, sign: int) -> int:
        """The game's rating; if `sign` is -1, the one it had before."""
        if sign < 0 and self.known is not None:
            return int(self.known.rating)
        return int(self.rows.game["rating"])

    @property
    def news(self) -> int:
        """How many events of a finished game are new; 0 for one that is hidden or goes on."""
        if self.held_for is not None:
            return 0
        if self.known is not None and self.known.actions is not None:
            return self.rows.version - int(self.known.version)
        return self.rows.version if self.rows.play is not None else 0


class GameWriter:
    """Writes games in the caller's transaction."""

    def __init__(self, earlier: Earlier) -> None:
        """`earlier` is called for a finished game in which something else was played before."""
        self.earlier = earlier
        self.classifier = Classifier()

    def write(self, connection: Connection, games: Iterable[GameRows]) -> list[str]:
        """Write the games that are newer than what is known; returns those that are older.

        A game that is known at the same version, but from other events, counts as older, too: the
        log has lost those events.
        """
        newest = {rows.id: rows for rows in games}
        known = {
            row.id: row
            for chosen, at in zip(_KNOWN, (GAME.c.id, HELD_GAME.c.id), strict=True)
            for row in select_rows_in(connection, chosen, at, newest)
        }
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
        if news := sum(one.news for one in changes):
            advance_data_version(connection, news)
        return [id for id, row in known.items() if _is_newer(row, newest[id])]

    def show(
        self,
        connection: Connection,
        held_for: str,
        survivors: Survivors,
        note_progress: Callable[[], None],
    ) -> None:
        """Show the games that are held back for an import; does nothing where there are none.

        `note_progress` is called again and again meanwhile.
        """
        for found in move_games(connection, held_for):
            insert_seats(connection, found, survivors)
            played = [(row, read_steps(row)) for row in found if row.actions is not None]
            self.classifier.write(connection, [(row.number, steps) for row, steps in played])
            changes = [
                change
                for row, steps in played
                for change in count_steps(steps, row.number, RESULTS[row.result], row.rating, 1)
            ]
            sum_up(connection, changes)
            advance_data_version(connection)
            note_progress()

    def _write_plays(self, connection: Connection, changes: Sequence[_Change]) -> None:
        """Write what was played, and delete what was played before."""
        for one in changes:
            if one.before is not None:
                remove_play(connection, one.number, one.before)
        played = [(one.number, one.played) for one in changes if one.played is not None]
        if played:
            insert_plays(connection, played)
        self._count_plays(connection, [one for one in changes if one.held_for is None])

    def _count_plays(self, connection: Connection, changes: Sequence[_Change]) -> None:
        """Classify and sum up what was played, and take back what was played before."""
        before = [(one, one.before) for one in changes if one.before is not None]
        played = [(one, one.played) for one in changes if one.played is not None]
        if before:
            self.classifier.remove(connection, [one.number for one, _ in before])
        if played:
            self.classifier.write(connection, [(one.number, play.steps) for one, play in played])
        sum_up(
            connection,
            [
                change
                for plays, sign in ((before, -1), (played, 1))
                for one, play in plays
                for change in count_steps(
                    play.steps, one.number, play.result, one.rating(sign), sign
                )
            ],
        )

    def _change(self, rows: GameRows, number: int, known: Row[Any] | None) -> _Change:
        if known is None or known.actions is None:
            return _Change(rows, number, known, None, rows.play)
        if rows.play is not None and (known.actions, known.result) == (
            rows.play.actions,
            rows.game["result"],
        ):
            # The sums of a game also depend on its rating.
            same = None if known.rating == rows.game["rating"] else rows.play
            return _Change(rows, number, known, same, same)
        return _Change(rows, number, known, self.earlier(rows.id, known.version), rows.play)


def _is_newer(known: Row[Any], rows: GameRows) -> bool:
    """Whether the known row is newer than these rows, or is from a history that was lost."""
    if known.version != rows.version:
        return bool(known.version > rows.version)
    return known.head not in (None, rows.game["head"])


def _write_games(connection: Connection, changes: Sequence[_Change]) -> None:
    """Write the rows of the games, and those of their seats and tags."""
    shown = [one for one in changes if one.held_for is None]
    known = [{"at": one.number} for one in changes if one.known is not None]
    if known:
        connection.execute(DELETE_SEATS, known)
        connection.execute(_DELETE_OPEN, known)
    _write_rows(connection, GAME, [(one, {}) for one in shown])
    held = [(one, held_values(one.held_for, one.rows.play)) for one in changes if one.held_for]
    _write_rows(connection, HELD_GAME, held)
    seats = [
        seat
        for one in shown
        for seat in seat_rows(one.number, one.rows.game["variant"], one.rows.seats)
    ]
    insert_tuples(connection, SEAT, SEAT_COLUMNS, sorted(seats))
    open_games = [
        {"player": player, "number": one.number} for one in changes for player in one.rows.open_for
    ]
    _insert(connection, OPEN_GAME, open_games)
    # A game's tags are those it began with.
    new = [one for one in changes if one.known is None]
    pairs = sorted((pair, one.number) for one in new for pair in one.rows.pairs)
    insert_tuples(connection, GAME_TAG, ("pair", "number"), pairs)


def _write_rows(
    connection: Connection, table: Table, changes: Iterable[tuple[_Change, Mapping[str, Any]]]
) -> None:
    """Write the rows of games with further values, both new and known ones."""
    new: list[Mapping[str, Any]] = []
    known: list[Mapping[str, Any]] = []
    for one, further in changes:
        row = {**one.rows.game, **further, "number": one.number}
        if one.known is None:
            new.append(row)
        else:
            known.append(row | {"at": one.number})
    if known:
        connection.execute(update(table).where(table.c.number == bindparam("at")), known)
    _insert(connection, table, new)


def _insert(connection: Connection, table: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        connection.execute(insert(table), rows)


_DELETE_OPEN: Final = delete(OPEN_GAME).where(OPEN_GAME.c.number == bindparam("at"))
