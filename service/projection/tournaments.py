"""The list of tournaments."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple

import redis

from service.errors import BadValue
from service.log.values import Pointer
from service.projection.generation import Current
from service.projection.sorted_lists import PLACE_BY_AGE, Line, Lines, place_by_age
from service.tournament.repository import KIND, Tournaments
from service.tournament.state import TournamentState, public

log = logging.getLogger(__name__)

LIST: Final = "list-of-tournaments"
CHUNK: Final = 200
LOOKED_AT: Final = 2000
"""How many tournaments are looked at for one page at most."""


@dataclass(frozen=True, slots=True)
class TournamentSummary:
    """One line of the list, as everybody may see it; times are milliseconds since 1970 UTC."""

    id: str
    version: int
    name: str
    variant: str
    kind: str
    status: str
    players: int
    rounds: int
    created_at: int
    updated_at: int

    @property
    def place(self) -> str:
        """Its place in the list."""
        return place_by_age(self.created_at, self.id)


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
        players=sum(player not in state.withdrawn for player in state.entries),
        rounds=len(seen.rounds),
        created_at=state.created_at,
        updated_at=state.updated_at,
    )


class TournamentList:
    """The projected list of tournaments; it lags behind the log as the list of games does."""

    def __init__(self, store: redis.Redis) -> None:
        self.store = store
        self.lines = Lines(store, "tournaments")
        self._current = Current(store)

    def write(self, states: Iterable[TournamentState], generation: int | None = None) -> None:
        """Write these tournaments; see `Lines.write`."""
        self.lines.write(map(_line, states), generation)

    def page(
        self, cursor: str | None = None, limit: int = 50, **wanted: str | None
    ) -> TournamentPage:
        """Up to `limit` tournaments older than `cursor` whose fields are as wanted.

        A page may hold fewer and still have a next one. Raises BadValue for a bad cursor.
        """
        if cursor is not None and not PLACE_BY_AGE.fullmatch(cursor):
            raise BadValue("cursor", "expected the next_cursor of an earlier page")
        return self._current.read(lambda base: self._page(f"{base}{LIST}", cursor, limit, wanted))

    def ids(self) -> Iterator[str]:
        """The ids of all tournaments, newest first."""
        cursor = None
        while True:
            page, cursor = self.page(cursor, CHUNK)
            yield from (summary.id for summary in page)
            if cursor is None:
                return

    def _page(
        self, key: str, cursor: str | None, limit: int, wanted: Mapping[str, str | None]
    ) -> TournamentPage:
        found: list[TournamentSummary] = []
        bound = "+" if cursor is None else f"({cursor}"
        for _ in range(LOOKED_AT // CHUNK):
            members: Any = self.store.zrevrangebylex(key, bound, "-", 0, CHUNK)
            for member in members:
                summary = _read(member)
                if len(found) == limit:
                    return TournamentPage(found, found[-1].place)
                if all(v is None or getattr(summary, k) == v for k, v in wanted.items()):
                    found.append(summary)
                # A bound sorts before the line that begins with it.
                bound = f"({summary.place}"
            if len(members) < CHUNK:
                return TournamentPage(found, None)
        return TournamentPage(found, bound[1:])


class TournamentFollower:
    """Follows the feed and keeps the list of tournaments up to date."""

    kind = KIND

    def __init__(self, tournaments: Tournaments, store: redis.Redis) -> None:
        self.tournaments = tournaments
        self.list = TournamentList(store)

    def follow(self, pointers: Sequence[Pointer]) -> None:
        """Project what these pointers name; doing it again changes nothing."""
        states = []
        for id in dict.fromkeys(pointer.stream.id for pointer in pointers):
            try:
                states.append(self.tournaments.load(id))
            except redis.RedisError:
                raise
            except Exception:
                log.exception("tournament %s cannot be read", id)
        self.list.write(states)


def _line(state: TournamentState) -> Line:
    summary = summarise(state)
    text = json.dumps(asdict(summary), sort_keys=True, separators=(",", ":"))
    return Line(summary.id, summary.version, LIST, 0, f"{summary.place} {text}")


def _read(member: bytes) -> TournamentSummary:
    return TournamentSummary(**json.loads(member.decode().partition(" ")[2]))
