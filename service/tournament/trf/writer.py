"""Reports as text, in one form: TRF16, with the records of TRF26 and TRF(x) that pairing needs.

The number of rounds, the first colour and the points are written twice, for programs that read
TRF26 (142, 152, 162) and for those that read TRF(x) (XXR, XXC, XXS). Lines end in CR LF.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from itertools import groupby
from typing import Final

from engine.side import Side
from service.tournament.trf.errors import NotReportable
from service.tournament.trf.report import (
    Details,
    Report,
    ReportedPlayer,
    ReportedRound,
    RequestedBye,
)

NAME_WIDTH: Final = 33
COLOURS: Final[Mapping[Side | None, str]] = {Side.FIRST: "w", Side.SECOND: "b", None: "-"}

POINTS_X: Final = ("W", "D", "L", "FW", "FL", "PAB", "FPB", "HPB", "ZPB")
"""The codes of record XXS, those for several results first, so that the others override them."""

POINTS_26: Final[Mapping[str, tuple[str, ...]]] = {
    "W": ("W", "FW", "FPB"),
    "D": ("D", "HPB"),
    "L": ("L",),
    "A": ("ZPB", "FL"),
    "P": ("PAB",),
}
"""The codes of record XXS that each code of record 162 stands for."""


def write_trf(report: Report) -> str:
    """The report as text.

    Raises `NotReportable` where a number does not fit its columns; names are cut to 33 letters.
    """
    lines = [
        *_details(report.details, report.players),
        *_settings(report),
        *(_player(player) for player in sorted(report.players, key=lambda each: each.number)),
        *_byes(report),
        *report.details.other,
    ]
    return "".join(f"{line.rstrip()}\r\n" for line in lines)


def _details(details: Details, players: Iterable[ReportedPlayer]) -> Iterator[str]:
    ratings = [player.rating for player in players]
    records = {
        "012": details.name,
        "022": details.city,
        "032": details.federation,
        "042": details.start,
        "052": details.end,
        "062": str(len(ratings)),
        "072": str(sum(rating is not None for rating in ratings)),
        "082": "0",
        "092": details.type,
        "102": details.arbiter,
    }
    for code, text in records.items():
        if text:
            yield f"{code} {_one_line(text)}"
    for deputy in details.deputies:
        yield f"112 {_one_line(deputy)}"
    if details.times:
        yield f"122 {_one_line(details.times)}"
    if details.dates:
        yield "132".ljust(91) + "  ".join(date.rjust(8) for date in details.dates)


def _settings(report: Report) -> Iterator[str]:
    if report.planned is not None:
        yield f"142 {report.planned}"
    if report.first_round_first is not None:
        yield f"152 {'W' if report.first_round_first else 'B'}"
    if shared := _shared(report.points):
        yield "162  " + "    ".join(f"{code}{_tenths(shared[code], 4)}" for code in shared)
    if report.order:
        yield f"212 {','.join(report.order)}"
    if report.planned is not None:
        yield f"XXR {report.planned}"
    if report.first_round_first is not None:
        yield f"XXC {'white1' if report.first_round_first else 'black1'}"
    if report.points:
        said = [code for code in POINTS_X if code in report.points]
        yield "XXS " + " ".join(f"{code}={report.points[code]:.1f}" for code in said)


def _shared(points: Mapping[str, Decimal]) -> dict[str, Decimal]:
    """The points as record 162 has them; empty if they are not stated or need more codes."""
    found: dict[str, Decimal] = {}
    for code, codes in POINTS_26.items():
        worth = {points.get(each) for each in codes}
        one = worth.pop()
        if one is None or worth:
            return {}
        found[code] = one
    return found


def _player(player: ReportedPlayer) -> str:
    static = " ".join(
        (
            "001",
            _number(player.number, 4, "a starting rank"),
            f"{player.sex:1.1}{player.title:>3.3}",
            f"{_one_line(player.name):{NAME_WIDTH}.{NAME_WIDTH}}",
            _number(player.rating, 4, "a rating"),
            f"{player.federation:3.3}",
            f"{player.id:>11.11}",
            f"{player.born:10.10}",
            _tenths(player.points, 4),
            _number(player.rank, 4, "a rank"),
        )
    )
    return "  ".join((static, *map(_round, player.rounds)))


def _round(played: ReportedRound) -> str:
    if played == ReportedRound():
        return " " * 8
    opponent = "0000" if played.opponent is None else _number(played.opponent, 4, "a number")
    return f"{opponent} {COLOURS[played.side]} {played.result:1}"


def _byes(report: Report) -> Iterator[str]:
    def kind(bye: RequestedBye) -> tuple[int, str]:
        return bye.round, bye.kind

    for (round, letter), byes in groupby(sorted(report.byes, key=kind), key=kind):
        numbers = " ".join(f"{number:4}" for number in sorted(each.number for each in byes))
        yield f"240 {letter} {round:03} {numbers}"


def _number(value: int | None, width: int, what: str) -> str:
    text = "" if value is None else str(value)
    if len(text) > width:
        raise NotReportable(f"{what} of {text}")
    return text.rjust(width)


def _tenths(points: Decimal, width: int) -> str:
    text = f"{points:.1f}"
    if len(text) > width or Decimal(text) != points:
        raise NotReportable(f"{points} points")
    return text.rjust(width)


def _one_line(text: str) -> str:
    return " ".join(text.split())
