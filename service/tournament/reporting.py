"""Tournaments written as FIDE reports, and reports read as the events of a tournament."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from service.errors import BadValue
from service.log.values import Event
from service.tournament import events
from service.tournament.commands import CreateTournament
from service.tournament.pairing.berger import berger, number_of_rounds
from service.tournament.scheme import scheme_to_json
from service.tournament.setup import is_day
from service.tournament.state import TournamentState, public, table
from service.tournament.table import Bye, EntrantId, Meeting, Table, TournamentKind
from service.tournament.trf import Details, Report, report_of, scheme_of, table_of
from service.tournament.trf.conversion import TERMS
from service.tournament.trf.errors import Inconsistent

REPORTED: Final = "as reported"
"""The reason given for the results that a report brings."""
KINDS: Final = (TournamentKind.SWISS, TournamentKind.ROUND_ROBIN, TournamentKind.FREE)
"""The kinds that a report can be imported as: a bracket cannot be derived from one."""


def make_report(state: TournamentState, names: Mapping[str, str]) -> Report:
    """Build the report of a tournament from what is public; raises NotReportable."""
    seen = public(state)
    rules = seen.rules
    begun, changed = (
        datetime.fromtimestamp(at / 1000, UTC).strftime("%Y/%m/%d")
        for at in (seen.created_at, seen.updated_at)
    )
    details = Details(
        name=rules.name,
        start=begun if rules.starts_on is None else write_day(rules.starts_on),
        end=write_day(rules.ends_on) if rules.ends_on else changed if seen.finished else "",
        arbiter=names.get(seen.arbiters[0], ""),
        deputies=tuple(names.get(player, "") for player in seen.arbiters[1:]),
    )
    return report_of(
        table(seen, names), rules.regulations, details, rules.rounds, rules.first_round_first
    )


def write_day(day: str) -> str:
    """A day in the form that reports use.

    >>> write_day("2030-01-31")
    '2030/01/31'
    """
    return day.replace("-", "/")


def read_day(text: str) -> str | None:
    """A day of a report in ISO 8601; None if it is not one.

    >>> read_day("2030/01/31"), read_day("2030.01.31"), read_day("31 January"), read_day("")
    ('2030-01-31', '2030-01-31', None, None)
    """
    day = text.strip().replace("/", "-").replace(".", "-")
    return day if is_day(day) else None


def make_creation(report: Report, variant: str, kind: TournamentKind) -> CreateTournament:
    """Make the command that creates the tournament of a report: over the board, not rated.

    Days that cannot be read, or an end before the start, are left out.
    """
    codes = {code: term.value for term, code in TERMS.items() if code}
    order = [codes[code] for code in report.order if code in codes]
    rounds = max([report.planned or 1, *(len(player.rounds) for player in report.players)])
    starts_on, ends_on = read_day(report.details.start), read_day(report.details.end)
    if starts_on and ends_on and ends_on < starts_on:
        ends_on = None
    return CreateTournament(
        name=report.details.name.strip(),
        variant=variant,
        kind=kind,
        scoring=scheme_to_json(scheme_of(report)),
        order=order if "match-points" in order else (),
        rounds=rounds if kind is TournamentKind.SWISS else None,
        first_round_first=report.first_round_first is not False,
        rated=False,
        over_the_board=True,
        starts_on=starts_on,
        ends_on=ends_on,
    )


def list_names(report: Report) -> list[str]:
    """The players' names; raises BadValue for equal ones, which would be ambiguous."""
    names = [player.name.strip() for player in report.players]
    if len(set(names)) != len(names):
        raise BadValue("name", "two players of the report have the same name")
    return names


def derive_events(
    report: Report, kind: TournamentKind, players: Mapping[str, str]
) -> Sequence[Event]:
    """Derive a tournament's events from its report; `players` maps names to ids.

    Raises Inconsistent.
    """
    found = table_of(report, kind)
    if kind is TournamentKind.ROUND_ROBIN:
        check_schedule(found)
    ids = {str(player.number): players[player.name.strip()] for player in report.players}
    made: list[Event] = [
        events.PlayerEntered(
            player=ids[str(player.number)], rating=player.rating, seed=player.number
        )
        for player in report.players
    ]
    for round in range(1, found.rounds + 1):
        made += [_round(found, round, ids), events.RoundReady(round=round)]
    later = (bye for bye in found.byes if bye.round > found.rounds)
    made += [
        events.ByeGranted(player=ids[bye.entrant], round=bye.round, bye=bye.kind) for bye in later
    ]
    return made


def check_schedule(found: Table) -> None:
    """Raise Inconsistent for a round robin that cannot be continued without repeated pairings.

    Unless all rounds are there, a player's opponents must be those of the Berger table.
    """
    numbers = sorted((entrant.id for entrant in found.entrants), key=int)
    if len(numbers) < 2 or found.rounds >= number_of_rounds(len(numbers)):
        return
    schedule = berger(numbers)
    for meeting in sorted(found.meetings, key=lambda one: (one.round, int(one.first))):
        boards = schedule[meeting.round - 1].boards
        due = {
            one: other for b in boards for one, other in ((b.first, b.second), (b.second, b.first))
        }
        if due.get(meeting.first) != meeting.second:
            raise Inconsistent(int(meeting.first), meeting.round, describe_due(meeting, due))


def describe_due(meeting: Meeting, due: Mapping[EntrantId, EntrantId]) -> str:
    """What the Berger table has in place of a reported meeting."""
    wanted = due.get(meeting.first)
    has = "no opponent" if wanted is None else f"player {wanted}"
    return (
        f"the opponent is player {meeting.second}, but {has} in the Berger table of the starting "
        "numbers, by which an unfinished round robin continues"
    )


def _round(found: Table, round: int, ids: Mapping[str, str]) -> events.RoundPaired:
    meetings = [meeting for meeting in found.meetings if meeting.round == round]
    boards = tuple(_board(number, meeting, ids) for number, meeting in enumerate(meetings, 1))
    byes = tuple(_bye(bye, ids) for bye in found.byes if bye.round == round)
    return events.RoundPaired(round=round, boards=boards, byes=byes)


def _board(number: int, meeting: Meeting, ids: Mapping[str, str]) -> dict[str, Any]:
    told = {"board": number, "first": ids[meeting.first], "second": ids[meeting.second]}
    if meeting.result is None:
        return told
    return {**told, "result": meeting.result.value, "reason": REPORTED}


def _bye(bye: Bye, ids: Mapping[str, str]) -> dict[str, str]:
    return {"player": ids[bye.entrant], "bye": bye.kind.value}
