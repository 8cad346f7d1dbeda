"""The players that a query names, as ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, or_, select

from service.projection.database.tables import PLAYER_WORD
from service.projection.database.texts import storable
from service.projection.errors import AmbiguousName
from service.projection.games.query import PlayerName, Query

MOST: Final = 50
"""The most players with a name that are searched for together."""
AFTER: Final = "`"
"""Follows `_`, which stands for the blank between two words, in the order of the texts."""


@dataclass(frozen=True, slots=True)
class NamedPlayers:
    """The ids of the players that a query names; None where it names nobody."""

    player: Sequence[str] | None
    opponent: Sequence[str] | None


def find_named(connection: Connection, query: Query) -> NamedPlayers:
    """The players that a query names as player and opponent; raises AmbiguousName.

    Merged players have no name of their own: their games stand under those they were merged into.
    """
    return NamedPlayers(_ids(connection, query.player), _ids(connection, query.opponent))


def _ids(connection: Connection, given: str | PlayerName | None) -> Sequence[str] | None:
    if given is None:
        return None
    if isinstance(given, str):
        return (storable(given),)
    sought, at = storable("_".join(given.words)), PLAYER_WORD.c
    goes_on = (at.text > f"{sought}_") & (at.text < f"{sought}{AFTER}")
    chosen = select(at.player).where(or_(at.text == sought, goes_on)).distinct().limit(MOST + 1)
    found = connection.execute(chosen).scalars().all()
    if len(found) > MOST:
        raise AmbiguousName(str(given), MOST)
    return found
