"""The list of games, as it is read: filters, pages, newest first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final, NamedTuple

import redis

from engine.registry import VARIANTS
from service.errors import BadValue
from service.projection.generation import Current
from service.projection.keys import CURRENT, GENERATION, list_name, tally_name
from service.projection.summary import DRAWN, LOST, WON, GameSummary, from_json

PAGE: Final = files("service.projection").joinpath("page.lua").read_text()
MEMBER: Final = re.compile(r"\d{15}:\S{1,100}")
LOOKED_AT: Final = 500
"""How many list members one script call looks at, so that no call holds Redis up."""
CALLS: Final = 10
"""How many script calls make a page at most."""
MOST_OPEN: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which games to list; None takes all. All that are given must hold.

    `player` sits on either side; `open_for` is whom a game concerns that goes on or is offered.
    """

    variant: str | None = None
    player: str | None = None
    open_for: str | None = None
    status: str | None = None
    result: str | None = None
    termination: str | None = None

    def lists(self) -> list[str]:
        """The names of the lists a game must stand in."""
        wanted = (
            ("variant", self.variant),
            ("player", self.player),
            ("open", self.open_for),
            ("status", self.status),
            ("result", self.result),
            ("termination", self.termination),
        )
        named = [list_name(by, value) for by, value in wanted if value is not None]
        return named or [list_name("all", "")]


class Page(NamedTuple):
    """Games newest first, and where the next page begins; None after the last."""

    games: list[GameSummary]
    next_cursor: str | None


class Results(NamedTuple):
    """In how many games a player has won, drawn and lost."""

    won: int
    drawn: int
    lost: int


class GameList:
    """The projected list of games in `store`, a client that does not decode responses.

    It lags behind the log by what `service.log.feed_checkpoints.Checkpoints` says.
    """

    def __init__(self, store: redis.Redis) -> None:
        self.store = store
        self._current = Current(store)
        self._page = store.register_script(PAGE)

    def page(
        self, filters: Filters | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page:
        """Up to `limit` games older than `cursor`, an earlier page's `next_cursor`.

        The work of a page is bounded: where few games fit the filters, a page may hold fewer
        than `limit`, even none, and still have a next one. Games that come meanwhile shift
        nothing. Raises BadValue for a cursor that never was one.
        """
        if cursor is not None and not MEMBER.fullmatch(cursor):
            raise BadValue("cursor", "expected the next_cursor of an earlier page")
        return self._walk((filters or Filters()).lists(), cursor, limit)

    def open_games(self, player: str) -> list[GameSummary]:
        """The games offered or running that concern a player, newest first, up to 1000."""
        return self.page(Filters(open_for=player), limit=MOST_OPEN).games

    def results(self, player: str) -> dict[str, Results]:
        """How a player's games went, by variant; those without a result count nowhere."""
        asked = [(variant, went) for variant in VARIANTS for went in (WON, DRAWN, LOST)]
        names = [tally_name(variant, player, went) for variant, went in asked]
        [counts] = self._current.fetch(lambda ask, base: ask.hmget(f"{base}counts", names))
        numbers = iter([int(count or 0) for count in counts])
        found = {name: Results(next(numbers), next(numbers), next(numbers)) for name in VARIANTS}
        return {variant: results for variant, results in found.items() if any(results)}

    def _walk(self, lists: list[str], cursor: str | None, limit: int) -> Page:
        games: list[GameSummary] = []
        for _ in range(CALLS):
            bound = "+" if cursor is None else f"({cursor}"
            arguments: list[str | int] = [GENERATION, bound, limit - len(games), LOOKED_AT, *lists]
            answer: Any = self._page(keys=[CURRENT], args=arguments)
            games += map(from_json, answer[1])
            cursor = answer[0].decode() or None
            if cursor is None or len(games) == limit:
                break
        return Page(games, cursor)
