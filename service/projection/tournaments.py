"""The list of tournaments."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final, NamedTuple

import redis
from sqlalchemy import Connection, bindparam, delete, insert, select, update

from service.log.values import Pointer
from service.player.mergers import survivors
from service.projection.cursors import is_older, read_cursor, write_cursor
from service.projection.database.chunks import is_among, select_rows_in
from service.projection.database.database import Database
from service.projection.database.tables import ENTRANT, TOURNAMENT
from service.projection.database.texts import storable
from service.projection.short_heads import find_differing, read_heads, shorten_head
from service.projection.updates import Change
from service.tournament.repository import KIND, Tournaments
from service.tournament.state import TournamentState, public
from service.tournament.values import TournamentStatus

log = logging.getLogger(__name__)

CHUNK: Final = 200

Survivors = Callable[[Iterable[str]], Mapping[str, Sequence[str]]]
"""The players that players were merged into, by id (`service.player.mergers`)."""


@dataclass(frozen=True, slots=True)
class TournamentSummary:
    """One line of the list, as everybody may see it; times are milliseconds since 1970 UTC.

    `players` is how many have entered, including those who withdrew.
    """

    id: str
    version: int
    name: str
    variant: str
    kind: str
    status: str
    players: int
    rounds: int
    creator: str
    created_at: int
    updated_at: int


class TournamentPage(NamedTuple):
    """Tournaments newest first, and where the next page begins; None after the last."""

    tournaments: list[TournamentSummary]
    next_cursor: str | None


def summarise(state: TournamentState) -> TournamentSummary:
    """The line of a tournament."""
    seen = public(state)
    return TournamentSummary(
        id=state.id,
        version=state.version,
        name=state.rules.name,
        variant=state.rules.variant,
        kind=state.rules.kind,
        status=seen.status,
        players=len(state.entries),
        rounds=len(seen.rounds),
        creator=state.creator,
        created_at=state.created_at,
        updated_at=state.updated_at,
    )


class TournamentList:
    """The projected list of tournaments; it lags behind the log as the list of games does."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def page(
        self,
        cursor: str | None = None,
        limit: int = 50,
        every: bool = False,
        **wanted: str | None,
    ) -> TournamentPage:
        """Up to `limit` tournaments older than `cursor` whose fields match `wanted`.

        `name` is a part of the name, `player` one who has entered. Cancelled tournaments are left
        out unless that status is requested, or `every` tournament. Raises BadCursor.
        """
        at = TOURNAMENT.c
        query = [f"{name}={wanted[name]}" for name in sorted(wanted) if wanted[name] is not None]
        columns = [one for one in at if one.name not in ("folded_name", "head")]
        chosen = select(*columns).order_by(at.created_at.desc(), at.id.desc())
        if not every and wanted.get("status") is None:
            chosen = chosen.where(at.status != TournamentStatus.CANCELLED)
        for name, value in wanted.items():
            if value is None:
                continue
            if name == "player":
                entered = select(ENTRANT.c.tournament).where(ENTRANT.c.player == value)
                chosen = chosen.where(at.id.in_(entered))
            elif name == "name":
                chosen = chosen.where(at.folded_name.contains(value.casefold(), autoescape=True))
            else:
                chosen = chosen.where(at[name] == value)
        last_key = read_cursor(cursor, *query)
        if last_key is not None:
            chosen = chosen.where(is_older(at.created_at, at.id, last_key))
        chosen = chosen.limit(limit + 1)
        rows = self.database.read(lambda connection: connection.execute(chosen).all())
        found = [TournamentSummary(**row._mapping) for row in rows[:limit]]
        if len(rows) <= limit:
            return TournamentPage(found, None)
        return TournamentPage(found, write_cursor((found[-1].created_at, found[-1].id), *query))

    def ids(self) -> Iterator[str]:
        """The ids of all tournaments, newest first."""
        cursor = None
        while True:
            page, cursor = self.page(cursor, CHUNK, every=True)
            yield from (summary.id for summary in page)
            if cursor is None:
                return

    def entered_by(self, player: str) -> list[str]:
        """The ids of all tournaments that a player, or somebody merged into them, has entered."""
        return self.database.read(lambda connection: list_entered(connection, player))


class TournamentProjection:
    """Keeps the list of tournaments up to date."""

    kind: Final = KIND

    def __init__(self, tournaments: Tournaments) -> None:
        self.tournaments = tournaments

    def prepare(self, pointers: Sequence[Pointer]) -> Change:
        """Read the tournaments that these pointers name; those that cannot be read are left out."""
        states = load_readable(self.tournaments, (pointer.stream.id for pointer in pointers))
        merged = partial(survivors, self.tournaments.log)
        return lambda connection: write_tournaments(connection, states, merged)

    def find_stale(self, connection: Connection, current: Mapping[str, int]) -> set[str]:
        """The tournaments whose rows were made from other events than the log has."""
        return find_differing(read_heads(connection, TOURNAMENT), current)

    def mend(self, stale: Sequence[str], found: Sequence[str]) -> Change:
        """Write the tournaments in `found` anew, and delete the other stale ones."""
        states = load_readable(self.tournaments, found)
        merged = partial(survivors, self.tournaments.log)

        def change(connection: Connection) -> None:
            for column in (TOURNAMENT.c.id, ENTRANT.c.tournament):
                connection.execute(delete(column.table).where(is_among(connection, column, stale)))
            write_tournaments(connection, states, merged)

        return change


def load_readable(tournaments: Tournaments, ids: Iterable[str]) -> list[TournamentState]:
    """The tournaments of these ids, except those that cannot be read."""
    states = []
    for id in dict.fromkeys(ids):
        try:
            states.append(tournaments.load(id))
        except redis.RedisError:
            raise
        except Exception:
            log.exception("tournament %s cannot be read", id)
    return states


def write_tournaments(
    connection: Connection, states: Sequence[TournamentState], survivors: Survivors
) -> None:
    """Write tournaments, unless what is known of them is newer."""
    rows = {state.id: _row(state) for state in states}
    chosen = select(TOURNAMENT.c.id, TOURNAMENT.c.version)
    found = select_rows_in(connection, chosen, TOURNAMENT.c.id, rows)
    known = {row.id: row.version for row in found}
    new = [row for id, row in rows.items() if id not in known]
    newer = [
        row | {"at": id}
        for id, row in rows.items()
        if row["version"] > known.get(id, row["version"])
    ]
    if new:
        connection.execute(insert(TOURNAMENT), new)
    if newer:
        connection.execute(update(TOURNAMENT).where(TOURNAMENT.c.id == bindparam("at")), newer)
    changed = {str(row["id"]) for row in [*new, *newer]}
    write_entrants(connection, [state for state in states if state.id in changed], survivors)


def list_entered(connection: Connection, player: str) -> list[str]:
    """The ids of the tournaments that stand in a player's list."""
    chosen = select(ENTRANT.c.tournament).where(ENTRANT.c.player == player)
    return [row.tournament for row in connection.execute(chosen)]


def write_entrants(
    connection: Connection, states: Iterable[TournamentState], survivors: Survivors
) -> None:
    """Write who has entered these tournaments, in place of what was known.

    Players who were merged into others are listed under each of them.
    """
    for state in states:
        connection.execute(delete(ENTRANT).where(ENTRANT.c.tournament == state.id))
        merged = survivors(state.entries)
        players = dict.fromkeys(
            who for player in state.entries for who in (player, *merged.get(player, ()))
        )
        rows = [{"player": player, "tournament": state.id} for player in players]
        if rows:
            connection.execute(insert(ENTRANT), rows)


def _row(state: TournamentState) -> dict[str, Any]:
    summary = summarise(state)
    texts = {name: storable(str(getattr(summary, name))) for name in ("name", "kind", "status")}
    further = {"folded_name": texts["name"].casefold(), "head": shorten_head(state.head)}
    return asdict(summary) | texts | further
