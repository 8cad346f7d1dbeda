"""The table from each term to the function that computes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from service.tournament.standings import opponents, own
from service.tournament.standings.entrant_records import EntrantRecord
from service.tournament.standings.part import Part
from service.tournament.standings.regulations import Regulations
from service.tournament.standings.term import RankTerm
from service.tournament.table import Mark, Table


@dataclass(frozen=True, slots=True)
class Basis:
    """The data that terms may use besides an entrant's own record."""

    table: Table
    regulations: Regulations
    opposition: opponents.Opposition


def _buchholz(term: RankTerm) -> Callable[[EntrantRecord, Basis], list[Part]]:
    return lambda record, basis: opponents.buchholz(basis.opposition, record, term)


PARTS: Final[Mapping[RankTerm, Callable[[EntrantRecord, Basis], list[Part]]]] = {
    RankTerm.MATCH_POINTS: lambda record, _: own.match_points(record),
    RankTerm.GAME_POINTS: lambda record, _: own.game_points(record),
    RankTerm.BUCHHOLZ: _buchholz(RankTerm.BUCHHOLZ),
    RankTerm.BUCHHOLZ_CUT_1: _buchholz(RankTerm.BUCHHOLZ_CUT_1),
    RankTerm.BUCHHOLZ_MEDIAN: _buchholz(RankTerm.BUCHHOLZ_MEDIAN),
    RankTerm.SONNEBORN_BERGER: lambda record, basis: opponents.sonneborn_berger(
        basis.opposition, record
    ),
    RankTerm.PROGRESSIVE: lambda record, basis: own.progressive(record, basis.table.rounds),
    RankTerm.WINS: lambda record, basis: own.wins(record, basis.regulations.scheme.match[Mark.WIN]),
    RankTerm.GAMES_WON: lambda record, _: own.games_won(record),
    RankTerm.WINS_SECOND: lambda record, _: own.wins_second(record),
    RankTerm.GAMES_SECOND: lambda record, _: own.games_second(record),
    RankTerm.POINT_DIFFERENCE: lambda record, _: own.point_difference(record),
    RankTerm.OPPONENT_RATING: lambda record, basis: opponents.opponent_ratings(
        basis.opposition, record
    ),
}
"""All terms but the direct encounter, which depends on who is tied: `direct` counts it."""
