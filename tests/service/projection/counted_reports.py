"""Player reports counted from every game: slow, plain, and without the product's tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from notation.registry import find_dialect
from service.projection.player_games import Selection
from tests.service.projection.games.brute_force import Facts, identify

WENT = {"1-0": ("won", "lost"), "1/2-1/2": ("drawn", "drawn"), "0-1": ("lost", "won")}
KINDS = {"winning": ("won",), "unbeaten": ("won", "drawn"), "losing": ("lost",)}


@dataclass(frozen=True)
class Seat:
    """One side of a finished game, as the player of that side sees it."""

    facts: Facts
    side: int
    went: str
    persons: tuple[str, ...]
    others: tuple[str, ...]


def seats(facts: Iterable[Facts]) -> list[Seat]:
    """Both sides of every finished game, in the order in which the games were played."""
    found = []
    for one in sorted(facts, key=lambda one: (one.day, one.order)):
        if one.result is None:
            continue
        first, second = one.seats
        went = ("unclear", "unclear")
        if first and second and first[0] != second[0]:
            went = WENT.get(one.result, went)
        found += [Seat(one, n, went[n], one.seats[n], one.seats[1 - n]) for n in (0, 1)]
    return found


def of_player(found: Iterable[Seat], player: str, wanted: Selection) -> list[Seat]:
    """A player's seats that match a selection."""
    return [
        seat
        for seat in found
        if player in seat.persons
        and wanted.variant in (None, seat.facts.variant)
        and wanted.side in (None, seat.side)
        and wanted.speed in (None, seat.facts.speed)
        and (wanted.opponent is None or wanted.opponent in seat.others)
        and (wanted.since is None or wanted.since <= seat.facts.day)
        and (wanted.until is None or "" < seat.facts.day <= wanted.until)
    ]


def score(found: Iterable[Seat]) -> dict[str, int]:
    """How many of the seats were won, drawn, lost or unclear."""
    counted = Counter(seat.went for seat in found)
    return {went: counted[went] for went in ("won", "drawn", "lost", "unclear")}


def streaks(found: Iterable[Seat]) -> dict[str, tuple[int, int]]:
    """The longest and the current streak of each kind."""
    ways = [seat.went for seat in found if seat.went != "unclear" and seat.facts.day]
    told = {}
    for kind, good in KINDS.items():
        fitting = [way in good for way in ways]
        runs = [(fits, len(list(run))) for fits, run in groupby(fitting)]
        longest = max((length for fits, length in runs if fits), default=0)
        told[kind] = (longest, runs[-1][1] if runs and runs[-1][0] else 0)
    return told


def group(seat: Seat, by: str) -> str:
    """The group in which a seat is counted."""
    facts = seat.facts
    groups = {
        "all": "all",
        "variant": facts.variant,
        "side": "second" if seat.side else "first",
        "speed": facts.speed or "unknown",
        "year": facts.day[:4] or "unknown",
        "opening": facts.opening.name if facts.opening else "unknown",
    }
    return groups[by]


def opponents(found: Iterable[Seat], player: str) -> list[tuple[str, dict[str, int]]]:
    """The player's opponents, as whom they were merged into: most games first, then by id."""
    met: dict[str, list[Seat]] = {}
    for seat in found:
        if seat.others and seat.others[-1] != player:
            met.setdefault(seat.others[-1], []).append(seat)
    ordered = sorted(met, key=lambda id: (-len(met[id]), id))
    return [(id, score(met[id])) for id in ordered]


def openings(found: Iterable[Seat], variant: str) -> dict[tuple[int, str], dict[str, int]]:
    """The scores of first actions from the usual first position, by side."""
    written = find_dialect(variant)
    start = identify(variant, written.write_fen(written.start({})))
    begun: dict[tuple[int, str], list[Seat]] = {}
    for seat in found:
        facts = seat.facts
        if facts.variant == variant and facts.positions[0] == start and facts.actions:
            begun.setdefault((seat.side, facts.actions[0]), []).append(seat)
    return {first: score(some) for first, some in begun.items()}
