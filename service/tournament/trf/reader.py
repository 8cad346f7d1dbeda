"""Parses text into reports. Only the form is checked here; `conversion.table_of` checks the rest.

Read leniently:
- lines may end in CR, LF or both; empty lines and comments (`###`) are skipped;
- letters may be lower or upper case; trailing blanks may be missing;
- an empty opponent is `0000`; a missing result without an opponent means no part in the round;
- a bye may be written as TRF06 did: `+` a full-point, `=` a half-point, `-` a zero-point bye;
- the number of rounds, the first colour and the points are read from TRF26's or TRF(x)'s records;
- lines of other records (teams, accelerations, national ratings) are kept as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from engine.side import Side
from service.tournament.table import MOST_ROUNDS
from service.tournament.trf.errors import BadTrf
from service.tournament.trf.report import (
    Details,
    Report,
    ReportedPlayer,
    ReportedRound,
    RequestedBye,
)
from service.tournament.trf.writer import POINTS_26

FIRST_ROUND: Final = 91
ROUND_WIDTH: Final = 10
LINE_END: Final = re.compile(r"\r\n|\r|\n")
NUMBER: Final = re.compile(r"[0-9]{1,9}")
POINTS: Final = re.compile(r"[+-]?([0-9]{1,4}(\.[0-9]{0,2})?|\.[0-9]{1,2})")
RESULTS: Final = frozenset("1=0WDL+-HFUZ")
OLD_BYES: Final[Mapping[str, str]] = {"+": "F", "1": "F", "=": "H", "-": "Z", "0": "Z"}
SIDES: Final[Mapping[str, Side | None]] = {"w": Side.FIRST, "b": Side.SECOND, "-": None, "": None}
COUNTS: Final = frozenset({"062", "072", "082"})
"""Records that repeat what others say; they are computed when a report is written."""


@dataclass(slots=True)
class _Line:
    """A line with its number, cut by columns (from 0)."""

    number: int
    text: str

    def cut(self, start: int, end: int) -> str:
        return self.text[start:end].strip()

    def integer(self, start: int, end: int, what: str) -> int | None:
        text = self.cut(start, end)
        if not text:
            return None
        if not NUMBER.fullmatch(text):
            raise self.bad(start, f"{what}: {text[:20]!r} is not a number")
        return int(text)

    def decimal(self, start: int, text: str) -> Decimal:
        if not POINTS.fullmatch(text):
            raise self.bad(start, f"{text[:20]!r} is not a number of points")
        return Decimal(text)

    def bad(self, column: int, reason: str) -> BadTrf:
        return BadTrf(self.number, column + 1, reason)


@dataclass(slots=True)
class _Draft:
    """What has been read so far."""

    details: dict[str, str] = field(default_factory=dict)
    deputies: list[str] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    players: dict[int, ReportedPlayer] = field(default_factory=dict)
    planned: int | None = None
    first_round_first: bool | None = None
    points: dict[str, Decimal] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    byes: list[RequestedBye] = field(default_factory=list)
    zeroed: list[int] = field(default_factory=list)


def read_trf(text: str) -> Report:
    """The report in this text; raises `BadTrf` at the first thing that cannot be read."""
    draft = _Draft()
    for number, content in enumerate(LINE_END.split(text.removeprefix("\ufeff")), 1):
        line = _Line(number, content.rstrip())
        if line.text and not line.text.startswith("###"):
            _read(draft, line)
    played = max((len(player.rounds) for player in draft.players.values()), default=0)
    padding = ReportedRound()
    players = (
        replace(each, rounds=each.rounds + (padding,) * (played - len(each.rounds)))
        for each in draft.players.values()
    )
    byes = [*draft.byes, *(RequestedBye("Z", played + 1, number) for number in draft.zeroed)]
    return Report(
        Details(
            **draft.details,
            deputies=tuple(draft.deputies),
            dates=tuple(draft.dates),
            other=tuple(draft.other),
        ),
        tuple(sorted(players, key=lambda player: player.number)),
        draft.planned,
        draft.first_round_first,
        draft.points,
        tuple(draft.order),
        tuple(sorted(byes, key=lambda bye: (bye.round, bye.kind, bye.number))),
    )


def _read(draft: _Draft, line: _Line) -> None:
    code = line.text[:3]
    if code in TEXTS:
        draft.details[TEXTS[code]] = line.cut(4, len(line.text))
    elif code in RECORDS:
        RECORDS[code](draft, line)
    elif code not in COUNTS:
        draft.other.append(line.text)


def _read_player(draft: _Draft, line: _Line) -> None:
    number = line.integer(4, 8, "the starting rank")
    if not number:
        raise line.bad(4, "a player needs a starting rank")
    if number in draft.players:
        raise line.bad(4, f"two players have the starting rank {number}")
    if len(line.text) > (end := FIRST_ROUND + MOST_ROUNDS * ROUND_WIDTH):
        raise line.bad(end, f"more than {MOST_ROUNDS} rounds")
    points = line.cut(80, 84)
    draft.players[number] = ReportedPlayer(
        number,
        line.cut(14, 47),
        line.integer(48, 52, "the rating") or None,
        line.decimal(80, points) if points else Decimal(0),
        line.integer(85, 89, "the rank") or 0,
        tuple(_round(line, start) for start in range(FIRST_ROUND, len(line.text), ROUND_WIDTH)),
        line.cut(9, 10),
        line.cut(10, 13),
        line.cut(53, 56),
        line.cut(57, 68),
        line.cut(69, 79),
    )


def _round(line: _Line, start: int) -> ReportedRound:
    opponent = line.integer(start, start + 4, "the opponent") or None
    colour = line.cut(start + 4, start + 6).lower()
    result = line.cut(start + 6, start + 8).upper()
    if colour not in SIDES:
        raise line.bad(start + 5, f"{colour!r} is not a colour")
    if result and result not in RESULTS:
        raise line.bad(start + 7, f"{result!r} is not a result")
    if opponent is None:
        return ReportedRound(None, None, OLD_BYES.get(result, result))
    return ReportedRound(opponent, SIDES[colour], result)


def _read_deputy(draft: _Draft, line: _Line) -> None:
    draft.deputies.append(line.cut(4, len(line.text)))


def _read_dates(draft: _Draft, line: _Line) -> None:
    for start in range(FIRST_ROUND, len(line.text), ROUND_WIDTH):
        draft.dates.append(line.cut(start, start + 8))


def _read_rounds(draft: _Draft, line: _Line) -> None:
    planned = line.integer(4, len(line.text), "the number of rounds")
    if draft.planned not in (None, planned):
        raise line.bad(4, f"an earlier line says {draft.planned} rounds")
    draft.planned = planned


def _read_colour(draft: _Draft, line: _Line) -> None:
    """`W` or `B` (152), `white1` or `black1`, maybe with `rank` (XXC)."""
    for word in line.cut(4, len(line.text)).lower().split():
        if word in ("w", "white1", "b", "black1"):
            draft.first_round_first = word[0] == "w"
        elif word != "rank":
            raise line.bad(4, f"{word!r} is not a first colour")


def _read_points_26(draft: _Draft, line: _Line) -> None:
    for start in range(5, len(line.text), 9):
        code = line.text[start].upper()
        points = line.decimal(start + 1, line.cut(start + 1, start + 5))
        if code not in (*POINTS_26, "X"):
            raise line.bad(start, f"{code!r} is not a result")
        for each in POINTS_26.get(code, ()):
            draft.points.setdefault(each, points)


def _read_points_x(draft: _Draft, line: _Line) -> None:
    """Record XXS; its points count before those of 162, which has fewer codes."""
    words = line.cut(4, len(line.text)).upper().split()
    for word in sorted(words, key=lambda word: not word.startswith(GENERAL)):
        code, _, points = word.partition("=")
        if code not in POINTS_X:
            raise line.bad(4, f"{code!r} is not a result")
        for each in POINTS_X[code]:
            draft.points[each] = line.decimal(4, points)


def _read_order(draft: _Draft, line: _Line) -> None:
    codes = line.cut(4, len(line.text)).upper().split(",")
    draft.order += [code.strip() for code in codes if code.strip()]


def _read_byes(draft: _Draft, line: _Line) -> None:
    kind, round = line.cut(4, 5).upper(), line.integer(6, 9, "the round")
    if kind not in ("F", "H", "Z"):
        raise line.bad(4, f"{kind!r} is not a bye")
    if not round:
        raise line.bad(6, "a bye needs a round")
    for start in range(10, len(line.text), 5):
        if number := line.integer(start, start + 4, "the player"):
            draft.byes.append(RequestedBye(kind, round, number))


def _read_zeroed(draft: _Draft, line: _Line) -> None:
    for word in line.cut(4, len(line.text)).split():
        if not NUMBER.fullmatch(word):
            raise line.bad(4, f"{word[:20]!r} is not a number")
        draft.zeroed.append(int(word))


POINTS_X: Final[Mapping[str, tuple[str, ...]]] = {
    "W": ("W", "FW", "FPB"), "D": ("D", "HPB"), "L": ("L", "FL", "ZPB"),
    "FW": ("FW",), "FL": ("FL",),
    "PAB": ("PAB",), "FPB": ("FPB",), "HPB": ("HPB",), "ZPB": ("ZPB",),
    "WW": ("W",), "BW": ("W",), "WD": ("D",), "BD": ("D",), "WL": ("L",), "BL": ("L",),
}  # fmt: skip
"""The codes of record XXS; those that differ only by colour are one here."""

GENERAL: Final = ("W=", "D=", "L=")
"""Codes for several results at once, which others on the line may then override."""

TEXTS: Final[Mapping[str, str]] = {
    "012": "name", "022": "city", "032": "federation", "042": "start", "052": "end",
    "092": "type", "102": "arbiter", "122": "times",
}  # fmt: skip

RECORDS: Final[Mapping[str, Callable[[_Draft, _Line], None]]] = {
    "001": _read_player, "112": _read_deputy, "132": _read_dates, "142": _read_rounds,
    "152": _read_colour, "162": _read_points_26, "212": _read_order, "240": _read_byes,
    "XXC": _read_colour, "XXR": _read_rounds, "XXS": _read_points_x, "XXZ": _read_zeroed,
}  # fmt: skip
