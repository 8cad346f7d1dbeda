"""Which function counts each term: the one table from terms to numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from service.tournament.standings import opponents, own
from service.tournament.standings.part import Part
from service.tournament.standings.rules import Regulations
from service.tournament.standings.tally import Record
from service.tournament.standings.term import Term
from service.tournament.table import Mark, Table


@dataclass(frozen=True, slots=True)
class Basis:
    """What terms may count besides an entrant's own record."""

    table: Table
    regulations: Regulations
    opposition: opponents.Opposition


def _buchholz(term: Term) -> Callable[[Record, Basis], list[Part]]:
    return lambda record, basis: opponents.buchholz(basis.opposition, record, term)


PARTS: Final[Mapping[Term, Callable[[Record, Basis], list[Part]]]] = {
    Term.MATCH_POINTS: lambda record, _: own.match_points(record),
    Term.GAME_POINTS: lambda record, _: own.game_points(record),
    Term.BUCHHOLZ: _buchholz(Term.BUCHHOLZ),
    Term.BUCHHOLZ_CUT_1: _buchholz(Term.BUCHHOLZ_CUT_1),
    Term.BUCHHOLZ_MEDIAN: _buchholz(Term.BUCHHOLZ_MEDIAN),
    Term.SONNEBORN_BERGER: lambda record, basis: opponents.sonneborn_berger(
        basis.opposition, record
    ),
    Term.PROGRESSIVE: lambda record, basis: own.progressive(record, basis.table.rounds),
    Term.WINS: lambda record, basis: own.wins(record, basis.regulations.scheme.match[Mark.WIN]),
    Term.GAMES_WON: lambda record, _: own.games_won(record),
    Term.WINS_SECOND: lambda record, _: own.wins_second(record),
    Term.GAMES_SECOND: lambda record, _: own.games_second(record),
    Term.POINT_DIFFERENCE: lambda record, _: own.point_difference(record),
    Term.OPPONENT_RATING: lambda record, basis: opponents.opponent_ratings(
        basis.opposition, record
    ),
}
"""All terms but the direct encounter, which depends on who is tied: `direct` counts it."""
