"""Tournaments in a compact notation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hypothesis import strategies as st

from service.tournament.scheme import STANDARD
from service.tournament.standings import Edition, RankTerm, Regulations
from service.tournament.table import (
    Bye,
    Entrant,
    EntrantId,
    Mark,
    Meeting,
    Result,
    Table,
    TournamentKind,
)

BYES = (Mark.PAIRING_BYE, Mark.FULL_BYE, Mark.HALF_BYE, Mark.ZERO_BYE)


def meetings(lines: Sequence[str]) -> tuple[Meeting, ...]:
    """Meetings from lines of round, first, second, result, and both sides' game points if any."""
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
    kind: TournamentKind,
    lines: Sequence[str],
    byes: Sequence[str] = (),
    ratings: Mapping[str, int] | None = None,
) -> Table:
    """The tournament of these games and byes; entrants are seeded by name."""
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


def by(*order: RankTerm, edition: Edition = Edition.MARCH_2026) -> Regulations:
    """Regulations with standard scoring."""
    return Regulations(STANDARD, order, edition)


def draw_rounds(
    draw: st.DrawFn,
    names: Sequence[EntrantId],
    rounds: int,
    meet: Callable[[int, EntrantId, EntrantId], Meeting],
    marks: st.SearchStrategy[Mark | None],
) -> tuple[tuple[Meeting, ...], tuple[Bye, ...]]:
    """Draw rounds in which nobody plays twice; the others may have byes with `marks`."""
    played: list[Meeting] = []
    byes: list[Bye] = []
    for round in range(1, rounds + 1):
        order = draw(st.permutations(names))
        boards = draw(st.integers(0, len(names) // 2))
        pairs = zip(order[: 2 * boards : 2], order[1 : 2 * boards : 2], strict=True)
        played += [meet(round, first, second) for first, second in pairs]
        for each in order[2 * boards :]:
            if mark := draw(marks):
                byes.append(Bye(round, each, mark))
    return tuple(played), tuple(byes)
