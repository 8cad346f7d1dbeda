"""Games of strict imports, which are shown only once all of them are there.

A game is visible once it has its row in GAME, since everything that reads other tables checks that.
The large parts of a game that is held back are in the other tables already, so that all games of an
import can be shown in one short transaction. Its own row waits in HELD_GAME, and everything that is
counted (its seats, its opening, the sums of its positions) is written when it is shown.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, delete, insert, select

from service.projection.database.chunks import is_among, select_in
from service.projection.database.tables import GAME, GAME_PLAY, HELD_GAME
from service.projection.games.play import ENDED, Play

CHUNK: Final = 1000
"""Games that are shown together, and so held in memory."""
SOME: Final = 100
"""Games of an import that are looked at to see whether it is shown."""
_COPIED: Final = [column.name for column in GAME.columns]
_SHOWN: Final[Select[Any]] = (
    select(
        HELD_GAME.c.number,
        HELD_GAME.c.variant,
        HELD_GAME.c.first,
        HELD_GAME.c.second,
        HELD_GAME.c.result,
        HELD_GAME.c.rating,
        HELD_GAME.c["keys"],
        GAME_PLAY.c.actions,
    )
    .join_from(HELD_GAME, GAME_PLAY, HELD_GAME.c.number == GAME_PLAY.c.number, isouter=True)
    .order_by(HELD_GAME.c.number)
)


def held_values(held_for: str, play: Play | None) -> dict[str, Any]:
    """The values that a row of HELD_GAME has in addition to those of GAME."""
    keys = None if play is None else array("q", [key for key, _ in play.steps]).tobytes()
    return {"import": held_for, "keys": keys}


def read_steps(row: Row[Any]) -> list[tuple[int, str]]:
    """The steps of `Play` of a finished game that was held back."""
    keys = array("q")
    keys.frombytes(row._mapping["keys"])
    return list(zip(keys, [*row.actions.split(), ENDED], strict=True))


def list_holders(connection: Connection) -> list[str]:
    """The imports whose games are held back."""
    return list(connection.execute(select(HELD_GAME.c["import"]).distinct()).scalars())


def move_games(connection: Connection, held_for: str) -> Iterator[Sequence[Row[Any]]]:
    """Move the rows of an import to GAME, some games at a time; yields the rows."""
    chosen = _SHOWN.where(_is_held_for(held_for)).limit(CHUNK)
    while found := connection.execute(chosen).all():
        moved = is_among(connection, HELD_GAME.c.number, [row.number for row in found])
        rows = select(*(HELD_GAME.c[name] for name in _COPIED)).where(moved)
        connection.execute(insert(GAME).from_select(_COPIED, rows.order_by(HELD_GAME.c.number)))
        connection.execute(delete(HELD_GAME).where(moved))
        yield found


def find_shown(connection: Connection, other: Connection) -> list[str]:
    """The imports that are held back here but shown in another generation."""
    return [id for id in list_holders(connection) if _shows(other, _first_games(connection, id))]


def _first_games(connection: Connection, held_for: str) -> list[str]:
    chosen = select(HELD_GAME.c.id).where(_is_held_for(held_for)).order_by(HELD_GAME.c.number)
    return list(connection.execute(chosen.limit(SOME)).scalars())


def _is_held_for(held_for: str) -> ColumnElement[bool]:
    return HELD_GAME.c["import"] == held_for


def _shows(connection: Connection, ids: Collection[str]) -> bool:
    return bool(select_in(connection, select(GAME.c.id), GAME.c.id, ids))
