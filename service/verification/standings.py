"""Recomputes standings that the service gave, from the log of their tournament."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from service.log.values import Recorded
from service.tournament.evolve import fold
from service.tournament.scheme import text_of
from service.tournament.state import TournamentState
from service.verification.decoding import object_in, recorded
from service.verification.errors import Location, Unverifiable, Wrong
from service.verification.events import TOURNAMENT, verify_events
from service.verification.keys import PublicKeys
from service.verification.report import VerificationResult
from service.verification.tournament import rank

SUBJECT: Final = "standings of a tournament"
COLUMNS: Final = ("place", "id", "name")
"""The columns of a table before its terms."""


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """A player's place according to a file, and the numbers by term; `line` if it has lines."""

    player: str
    place: str
    values: Mapping[str, str]
    line: int | None = None


@dataclass(frozen=True, slots=True)
class StandingsTable:
    """Standings according to a file: of which version and after how many rounds, if it says so."""

    order: Sequence[str]
    rows: Sequence[StandingsRow]
    tournament: str | None = None
    version: int | None = None
    rounds: int | None = None


def verify_standings(data: bytes, log: bytes, keys: PublicKeys | None) -> VerificationResult:
    """Verify standings (JSON or CSV) against the exported log of their tournament."""
    try:
        if verify_events(log, keys).error is not None:
            raise Unverifiable("the log is not a tournament's, whole and right")
        *lines, head = log.splitlines()
        entries = [
            recorded(object_in(line, number), Location(line=number, event=number))
            for number, line in enumerate(lines, 1)
        ]
        stream = str(json.loads(head)["stream"])
        if not stream.startswith(TOURNAMENT):
            raise Unverifiable("the log is a game's: give the tournament's")
        found = read_table(data)
        check_table(found, stream.removeprefix(TOURNAMENT), entries)
    except (Wrong, Unverifiable) as error:
        return VerificationResult(SUBJECT, (), error)
    told = f"standings: {len(found.rows)} players, places and numbers as the log makes them"
    return VerificationResult(SUBJECT, (f"{told}; their names are not in the log",))


def read_table(data: bytes) -> StandingsTable:
    """The standings in a file; raises Wrong if it has neither form that the service gives."""
    try:
        text = data.decode()
        return read_json(json.loads(text)) if text.lstrip().startswith("{") else read_csv(text)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise Wrong("the file holds no standings as the service gives them") from error


def read_json(given: Mapping[str, Any]) -> StandingsTable:
    """The standings in the API's answer; raises LookupError, TypeError or AttributeError."""
    rows = [
        StandingsRow(one["player"]["id"], str(one["place"]), dict(one["values"].items()))
        for one in given["standings"]
    ]
    return StandingsTable(
        given["order"], rows, given["id"], int(given["version"]), int(given["round"])
    )


def read_csv(text: str) -> StandingsTable:
    """The standings in a CSV table; raises ValueError for one with other columns."""
    header, *rows = csv.reader(text.splitlines())
    if tuple(header[: len(COLUMNS)]) != COLUMNS:
        raise ValueError(header)
    order = header[len(COLUMNS) :]
    return StandingsTable(
        order,
        [
            StandingsRow(id, place, dict(zip(order, values, strict=True)), line)
            for line, (place, id, _, *values) in enumerate(rows, 2)
        ],
    )


def check_table(found: StandingsTable, id: str, entries: Sequence[Recorded]) -> None:
    """Raise Wrong for the first difference from the log, or Unverifiable."""
    if found.tournament not in (None, id):
        raise Wrong(f"these are the standings of {found.tournament}, not of {id}")
    version = len(entries) if found.version is None else found.version
    if version > len(entries):
        raise Unverifiable(f"the log ends at version {len(entries)}, before version {version}")
    state = fold(id, entries[:version])
    if state is None:
        raise Wrong(f"version {version} is before the tournament began")
    due = compute_rows(state, found.rounds)
    order = list(state.rules.regulations.order)
    if list(found.order) != order:
        raise Wrong(f"the order is {', '.join(order)}, not {', '.join(found.order)}")
    for row, right in zip(found.rows, due, strict=False):
        check_row(row, right)
    if len(found.rows) != len(due):
        raise Wrong(f"{len(found.rows)} players are ranked here, {len(due)} by the log")


def compute_rows(state: TournamentState, rounds: int | None) -> Sequence[StandingsRow]:
    """The rows of the standings of a state, after all rounds or the first `rounds`."""
    order = state.rules.regulations.order
    return [
        StandingsRow(
            one.entrant,
            str(one.place),
            {str(term): text_of(value) for term, value in zip(order, one.values, strict=True)},
        )
        for one in rank(state, rounds)
    ]


def check_row(row: StandingsRow, due: StandingsRow) -> None:
    """Raise Wrong if a row has another player, place or number than the one due."""
    where = Location(line=row.line)
    if row.player != due.player:
        raise Wrong(f"{row.player} stands where the log has {due.player}", where)
    if row.place != due.place:
        raise Wrong(f"{row.player} has place {row.place}, by the log {due.place}", where)
    for term, value in due.values.items():
        if row.values.get(term) != value:
            stated = row.values.get(term, "none")
            raise Wrong(f"{row.player} has {term} {stated}, by the log {value}", where)
    if row.values != due.values:
        raise Wrong(f"{row.player} has numbers that are no terms of the tournament", where)
