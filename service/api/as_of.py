"""Tournaments as of a round, a version or a time, and their standings then."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from engine.phrase import phrase
from service.api.context import get_service
from service.api.errors import BadParameter
from service.api.rate_limits import count_request
from service.player.names.shown import ShownName
from service.tournament.standings import Regulations, Row, Standing, cross_table, standings
from service.tournament.state import TournamentState, public, table
from service.tournament.table import Table

AS_OF: Final = re.compile(r"(?:(round|version|time):)?(.+)")
FORMS: Final = "round:3, version:40 or a time as 2030-01-31T12:00:00Z"
ENTRANTS: Final = 128
"""For each this many entrants, a request for a tournament's results counts as one more.

What they take grows with the players: a page about 512 takes 0.1 to 0.2 seconds.
"""

KEPT: Final = 16
"""How many standings are cached.

Many clients request the same ones, and those of a large Swiss take half a second to compute.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """The public state of a tournament at some time.

    Snapshots with the same results are equal, even if players have been renamed since.
    """

    state: TournamentState
    table: Table
    names: dict[str, ShownName]

    @property
    def _key(self) -> tuple[str, str, int]:
        return self.state.id, self.state.head, self.table.rounds

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Snapshot) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def regulations(self) -> Regulations:
        """The regulations that the standings follow."""
        return self.state.rules.regulations

    def render_common_fields(self) -> dict[str, Any]:
        """The fields that every view of the tournament has."""
        rules = self.state.rules
        return {
            "id": self.state.id,
            "name": rules.name,
            "version": self.state.version,
            "round": self.table.rounds,
            "order": list(self.regulations.order),
        }


def load_snapshot(id: str, text: str | None, parameter: str = "as_of") -> Snapshot:
    """The tournament as of a round, a version or a time, by default now.

    A round means its results as they count today. A large tournament counts as several requests.
    Raises BadParameter, NotFound and TooManyRequests.
    """
    kind, value = parse_as_of(text, parameter)
    newest = public(get_service().tournaments.load(id))
    count_request(len(newest.entries) // ENTRANTS)
    state, rounds = newest, len(newest.rounds)
    if kind == "round":
        rounds = parse_number(value, 0, rounds, parameter)
    elif kind == "version":
        asked = parse_number(value, 1, newest.version, parameter)
        state = public(get_service().tournaments.at_version(id, asked))
        rounds = len(state.rounds)
    elif kind == "time":
        state = public(get_service().tournaments.at_time(id, parse_time(value, parameter)))
        rounds = len(state.rounds)
    shown = get_service().namesakes.shown(newest.entries)
    names = {player: one.name for player, one in shown.items()}
    return Snapshot(state, table(state, names).until(rounds), shown)


def parse_as_of(text: str | None, parameter: str) -> tuple[str, str]:
    """The kind and value of an `as_of` parameter: `round:3`, `version:17`, `time:…`.

    Without a kind, a number is a round and anything else a time. Raises BadParameter.
    """
    if text is None:
        return "now", ""
    found = AS_OF.fullmatch(text)
    if found is None:
        raise BadParameter(parameter, FORMS)
    return found[1] or ("round" if found[2].isdigit() else "time"), found[2]


def parse_number(text: str, least: int, most: int, parameter: str) -> int:
    """A whole number within bounds; raises BadParameter."""
    if not (text.isascii() and text.isdigit() and len(text) < 10 and least <= int(text) <= most):
        raise BadParameter(
            parameter, phrase("a number from {least} to {most}", least=least, most=most)
        )
    return int(text)


def parse_time(text: str, parameter: str) -> int:
    """An ISO 8601 time as milliseconds since 1970; raises BadParameter."""
    try:
        at = datetime.fromisoformat(text.replace(" ", "+"))
        if at.tzinfo is None:
            raise ValueError
        return int(at.timestamp() * 1000)
    except (ValueError, OverflowError) as error:
        raise BadParameter(parameter, FORMS) from error


@lru_cache(KEPT)
def rank_players(at: Snapshot) -> tuple[Standing, ...]:
    """The standings of a snapshot."""
    return standings(at.table, at.regulations)


@lru_cache(KEPT)
def build_cross_table(at: Snapshot) -> tuple[Row, ...]:
    """The cross table of a snapshot."""
    return cross_table(at.table, at.regulations)
