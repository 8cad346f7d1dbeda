"""Selects the finished games of a player that reports count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, exists, select

from service.game.values import GameStatus
from service.projection.database.tables import GAME, SEAT
from service.projection.database.texts import storable


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which of a player's games are counted; None takes all.

    `side` is the player's, 0 or 1, and `opponent` an id. `since` and `until` are dates as records
    have them, `1999.12.31`, with the same meaning as in a `Query`.
    """

    variant: str | None = None
    side: int | None = None
    opponent: str | None = None
    speed: str | None = None
    since: str | None = None
    until: str | None = None


EVERYTHING: Final = Selection()


def select_seats(
    connection: Connection, player: str, wanted: Selection, most: int
) -> tuple[Select[Any], bool]:
    """The rows in SEAT of the player's finished games that are wanted, joined to GAME.

    Only the newest `most` games of the player are taken; the second value says whether there are
    older ones.
    """
    mine = SEAT.c.player == storable(player)
    oldest = select(SEAT.c.number).where(mine).order_by(SEAT.c.number.desc())
    left_out = connection.execute(oldest.offset(most).limit(1)).scalar()
    chosen = (
        select(SEAT.c.number)
        .join_from(SEAT, GAME, GAME.c.number == SEAT.c.number)
        .where(mine, GAME.c.status == GameStatus.FINISHED.value, *_conditions(wanted))
    )
    if left_out is None:
        return chosen, False
    return chosen.where(SEAT.c.number > left_out), True


def _conditions(wanted: Selection) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if wanted.variant is not None:
        found.append(SEAT.c.variant == wanted.variant)
    if wanted.side is not None:
        found.append(SEAT.c.side == wanted.side)
    if wanted.speed is not None:
        found.append(GAME.c.speed == wanted.speed)
    if wanted.since is not None:
        found.append(GAME.c.day >= wanted.since)
    if wanted.until is not None:
        # An unknown day is stored as the least value.
        found += [GAME.c.day <= wanted.until, GAME.c.day > ""]
    if wanted.opponent is not None:
        other = SEAT.alias("other").c
        found.append(
            exists().where(
                other.player == storable(wanted.opponent),
                other.number == SEAT.c.number,
                other.side != SEAT.c.side,
            )
        )
    return found
