"""Tournaments played on a whole service, parts of which are killed on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import cycle
from typing import Any

import pytest

from tests.end_to_end.arena import Arena, every
from tests.end_to_end.conftest import Start
from tests.end_to_end.recount import count, read_report
from tests.end_to_end.running import Running, movelog
from tests.waiting import eventually

ORDER = ["match-points", "game-points", "buchholz", "sonneborn-berger", "progressive", "wins"]
VARIANTS = ["kerd", "kerd-draft", "kerak", "katruji"]
POINTLESS = ("kerd", "kerd-draft")
PERIOD = 2
"""Seconds of a rating period, so short that several end within the test."""


def order_of(variant: str) -> list[str]:
    """The ranking criteria: with game points only where the game counts points."""
    return [term for term in ORDER if term != "game-points" or variant not in POINTLESS]


def swiss(variant: str, rounds: int) -> dict[str, Any]:
    order = order_of(variant)
    return {"name": f"{variant} open", "variant": variant, "kind": "swiss", "rounds": rounds} | {
        "order": order
    }


def double_round_robin(variant: str) -> dict[str, Any]:
    order = order_of(variant)
    return {"name": f"{variant} cup", "variant": variant, "kind": "round-robin", "cycles": 2} | {
        "order": order
    }


def killing(running: Running) -> Iterator[Callable[[], None]]:
    """Yield functions that kill the pairer, the scorer and the projector in turn."""
    for part in cycle(("pairer", "scorer", "projector")):
        yield lambda part=part: running.kill(part)  # type: ignore[misc]


def check_recount(arena: Arena) -> None:
    """The standings equal a recount from the records and the report."""
    shown = arena.about("/standings")["standings"]
    own = count(
        arena.records(),
        arena.about("/trf", accept="text/plain"),
        game_points=arena.variant not in POINTLESS,
    )
    told = {one["player"]["name"]: one["values"].values() for one in shown}
    assert {name: tuple(map(Fraction, values)) for name, values in told.items()} == own
    places = [1 + sum(other > own[name] for other in own.values()) for name in told]
    assert [one["place"] for one in shown] == places
    report = read_report(arena.about("/trf", accept="text/plain"))
    assert {player.name: player.rank for player in report.values()} == dict(
        zip(told, places, strict=True)
    )


def check_rebuild(arena: Arena) -> None:
    """A rebuild reproduces the read models byte for byte."""
    paths = ["/standings", "/cross-table", "/rounds"]
    rated = [f"/players/{player}/ratings" for player in arena.tokens]
    others = ["/tournaments", *rated]

    def everything() -> list[Any]:
        told = [arena.about(path, accept="application/json") for path in paths]
        return told + [arena.get(path, accept="application/json") for path in others]

    games = 2 * (len(arena.tokens) - 1)

    def all_rated() -> bool:
        told = [arena.get(path)["ratings"].get(arena.variant, {}) for path in rated]
        found = [by_speed.get("untimed", []) for by_speed in told]
        return all(sum(period["games"] for period in periods) == games for periods in found)

    # Games are rated only once their period is over and has been processed.
    eventually(all_rated, "every game of the double round-robin is rated")
    before = everything()
    rebuilt = movelog(
        "rebuild", "--data-dir", arena.running.data_dir, MOVELOG_RATING_PERIOD=str(PERIOD)
    )
    assert (rebuilt.returncode, rebuilt.stderr) == (0, "")
    assert everything() == before


def check_correction(arena: Arena) -> None:
    """Correcting a game's result updates the standings, and `/standings/diff` shows the change."""
    before = arena.about("")["version"]
    [game, *_] = [
        one for one in arena.about("/rounds/1")["pairings"] if one["termination"] == "resignation"
    ]
    right = "0-1" if game["result"] == "1-0" else "1-0"
    correction = {"type": "correct-result", "result": right, "reason": "wrong board"}
    arena.send(game["game"], correction | {"termination": "resignation"}, arena.running.token)
    place = game["board"] - 1

    def corrected() -> bool:
        return bool(arena.about("/rounds/1")["pairings"][place]["result"] == right)

    eventually(corrected, "the correction is tallied")
    changes = arena.about(f"/standings/diff?from=version:{before}")["changes"]
    changed = {change["player"]["id"] for change in changes}
    assert {game["first"]["id"], game["second"]["id"]} <= changed


def test_small_tournaments_end_as_anybody_counts_them(start: Start) -> None:
    running = start(MOVELOG_RATING_PERIOD=str(PERIOD))
    for variant in VARIANTS:
        arena = Arena(running, swiss(variant, rounds=3), players=8)
        between = every(7, [lambda: running.kill("scorer")])
        for _ in range(3):
            arena.play_round(between)
        check_recount(arena)
    cup = Arena(running, double_round_robin("kerd"), players=4)
    for _ in range(6):
        cup.play_round(lambda done: None)
    check_recount(cup)
    check_rebuild(cup)


@pytest.mark.soak
@pytest.mark.parametrize("variant", VARIANTS)
def test_large_tournaments_end_as_anybody_counts_them(start: Start, variant: str) -> None:
    running = start(MOVELOG_RATING_PERIOD=str(PERIOD))
    arena = Arena(running, swiss(variant, rounds=9), players=64)
    between = every(13, killing(running))
    for number in range(9):
        arena.play_round(between)
        if number == 4:
            check_correction(arena)
    check_recount(arena)
    cup = Arena(running, double_round_robin(variant), players=8)
    between = every(9, killing(running))
    for _ in range(14):
        cup.play_round(between)
    check_recount(cup)
    check_rebuild(cup)
