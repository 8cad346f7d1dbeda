"""Tournaments written down in a few words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from service.tournament.scheme import STANDARD
from service.tournament.standings import Edition, Regulations, Term
from service.tournament.table import (
    Bye,
    Entrant,
    EntrantId,
    Kind,
    Mark,
    Meeting,
    Result,
    Table,
)


def meetings(lines: Sequence[str]) -> tuple[Meeting, ...]:
    """Lines of round, first, second, result, and the two sides' game points if they had any."""
    found = []
    for at, line in enumerate(lines):
        round, first, second, result, *points = line.split()
        both = (int(points[0]), int(points[1])) if points else None
        found.append(
            Meeting(
                int(round),
                EntrantId(first),
                EntrantId(second),
                None if result == "*" else Result(result),
                both,
                f"game-{at}",
            )
        )
    return tuple(found)


def table(
    kind: Kind,
    lines: Sequence[str],
    byes: Sequence[str] = (),
    ratings: Mapping[str, int] | None = None,
) -> Table:
    """The tournament of these games and byes, entrants seeded by name."""
    games = meetings(lines)
    resting = tuple(
        Bye(int(round), EntrantId(who), Mark(mark))
        for round, who, mark in (line.split() for line in byes)
    )
    names = sorted({each.first for each in games} | {each.second for each in games})
    entrants = tuple(
        Entrant(name, seed, rating=(ratings or {}).get(name)) for seed, name in enumerate(names, 1)
    )
    rounds = max([each.round for each in games] + [each.round for each in resting])
    return Table(kind, rounds, entrants, games, resting)


def by(*order: Term, edition: Edition = Edition.MARCH_2026) -> Regulations:
    """Regulations with the ordinary points."""
    return Regulations(STANDARD, order, edition)
