"""A tournament report: the contents of a file in FIDE's format, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from engine.side import Side


@dataclass(frozen=True, slots=True)
class Details:
    """The tournament section. Dates are `YYYY/MM/DD`, those of the rounds `YY/MM/DD`.

    `other` are the lines of records that are not known here, unchanged.
    """

    name: str = ""
    city: str = ""
    federation: str = ""
    start: str = ""
    end: str = ""
    type: str = ""
    arbiter: str = ""
    deputies: tuple[str, ...] = ()
    times: str = ""
    dates: tuple[str, ...] = ()
    other: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportedRound:
    """One player's round: the opponent's number, the side, the letter of the result.

    `result` is one of `1 = 0` played, `W D L` played without being rated, `+ -` forfeited,
    `H F U Z` byes, or blank: a running game if there is an opponent, else no part in the round.
    """

    opponent: int | None = None
    side: Side | None = None
    result: str = ""


@dataclass(frozen=True, slots=True)
class ReportedPlayer:
    """A player's line. `number` is the starting rank; `points` and `rank` are as reported."""

    number: int
    name: str = ""
    rating: int | None = None
    points: Decimal = Decimal(0)
    rank: int = 0
    rounds: tuple[ReportedRound, ...] = ()
    sex: str = ""
    title: str = ""
    federation: str = ""
    id: str = ""
    born: str = ""


@dataclass(frozen=True, slots=True)
class RequestedBye:
    """A bye granted for a round that is not played yet: `F`, `H` or `Z`."""

    kind: str
    round: int
    number: int


@dataclass(frozen=True, slots=True)
class Report:
    """The whole file.

    `planned` is the number of rounds, `first_round_first` the draw of lots for the sides, `points`
    what each result is worth by the codes of the XXS record, if stated, and `order` the codes of
    the terms that rank the standings.
    """

    details: Details = field(default_factory=Details)
    players: tuple[ReportedPlayer, ...] = ()
    planned: int | None = None
    first_round_first: bool | None = None
    points: Mapping[str, Decimal] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    byes: tuple[RequestedBye, ...] = ()
