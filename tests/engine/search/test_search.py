"""What a search guarantees besides scores: limits, stops, lines, repeatability."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from engine.errors import InvalidLimits
from engine.katruji.board import ALKA
from engine.position import MAX_DEPTH, Action, Position
from engine.registry import VARIANTS
from engine.search import WIN, Iteration, Limits, Search, evaluate, is_decided, plies_to_end
from engine.search.limit_watch import POLL_INTERVAL
from notation.registry import find_dialect
from tests.engine.search.minimax import positions

NAMES = sorted(VARIANTS)


def example(name: str, seed: int = 5) -> Position:
    return next(positions(name, 1, seed))


def search(name: str, *, seed: int = 0, clock: Iterator[float] | None = None) -> Search:
    told = clock or iter(count())
    return Search(VARIANTS[name], table_mebibytes=1, seed=seed, clock=lambda: next(told))


def timeless(iterations: list[Iteration]) -> list[Iteration]:
    return [replace(iteration, seconds=0.0) for iteration in iterations]


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({}, "limits"),
        ({"depth": 0}, "depth"),
        ({"depth": MAX_DEPTH + 1}, "depth"),
        ({"nodes": 0}, "nodes"),
        ({"seconds": 0.0}, "seconds"),
        ({"seconds": float("nan")}, "seconds"),
    ],
)
def test_limits_are_positive_and_at_least_one(values: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidLimits) as caught:
        Limits(**values)
    assert caught.value.field == field
    assert str(caught.value).startswith(field)


@pytest.mark.parametrize(
    ("points", "score", "agreed"),
    [("3-5", 0, 1 - WIN), ("4-5", 0, 0), ("5-5", 0, WIN - 1)],
)
def test_a_draw_is_what_the_players_agreed(points: str, score: int, agreed: int) -> None:
    # Kerak: the one action searched takes the last captor, which gains a point and draws.
    position = find_dialect("kerak").read_fen(f"c4/v5/7/8/9/4i3/3I3/6/4C r - {points} 40")
    taking = find_dialect("kerak").resolve(position, "Ixe4")
    for by_points, expected in ((False, score), (True, agreed)):
        kerak = Search(VARIANTS["kerak"], table_mebibytes=1, draw_by_points=by_points)
        *_, last = kerak.iterate(position, Limits(depth=3), actions=[taking])
        assert last.lines[0].score == expected
        after = position.copy()
        after.play(taking)
        (only,) = kerak.iterate(after, Limits(depth=3))
        assert only.lines[0].score == max(-1, min(1, -expected)) * WIN


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("nodes", [1, 50, 700])
def test_the_limit_of_nodes_is_kept_and_there_is_a_line(name: str, nodes: int) -> None:
    position = example(name)
    found = list(search(name).iterate(position, Limits(nodes=nodes)))
    assert [iteration.depth for iteration in found] == [*range(1, len(found) + 1)]
    assert found[-1].nodes <= nodes
    assert all(iteration.lines[0].actions[0] in position.legal() for iteration in found)
    assert [iteration.complete for iteration in found[:-1]] == [True] * (len(found) - 1)


def test_the_limit_of_time_is_kept() -> None:
    found = list(search("katruji").iterate(example("katruji"), Limits(seconds=6)))
    assert not found[-1].complete
    assert found[-1].seconds >= 6
    assert found[-1].nodes <= 6 * POLL_INTERVAL


@pytest.mark.parametrize("name", NAMES)
def test_a_stop_ends_it_within_the_nodes_between_two_polls(name: str) -> None:
    asked = iter([False, True])
    found = list(search(name).iterate(example(name), Limits(depth=40), stop=lambda: next(asked)))
    assert not found[-1].complete
    assert found[-1].nodes <= 2 * POLL_INTERVAL
    assert found[-1].lines[0].actions


def test_the_position_stays_as_it_is() -> None:
    for name in NAMES:
        position = example(name)
        before = position.key()
        list(search(name).iterate(position, Limits(nodes=300)))
        assert position.key() == before


@pytest.mark.parametrize("name", NAMES)
def test_the_same_search_finds_the_same(name: str) -> None:
    position = example(name)
    searches = search(name, seed=3), search(name, seed=3)
    first, second = (list(one.iterate(position, Limits(nodes=900), lines=2)) for one in searches)
    assert timeless(first) == timeless(second)
    searches[0].forget()
    again = list(searches[0].iterate(position, Limits(nodes=900), lines=2))
    assert timeless(again) == timeless(first)


def test_the_seed_decides_between_equal_actions() -> None:
    position = VARIANTS["kerak"].start()
    found = {
        next(search("kerak", seed=seed).iterate(position, Limits(nodes=1))).lines[0].actions
        for seed in range(8)
    }
    assert len(found) > 1


def test_there_are_as_many_lines_as_asked_for_and_possible() -> None:
    position = example("katruji")
    *_, last = search("katruji").iterate(position, Limits(nodes=2_000), lines=3)
    scores = [line.score for line in last.lines]
    assert scores == sorted(scores, reverse=True)
    assert len({line.actions[0] for line in last.lines}) == 3
    *_, last = search("katruji").iterate(position, Limits(depth=1), lines=500)
    assert len(last.lines) == len(position.legal())
    with pytest.raises(ValueError, match="0"):
        next(search("katruji").iterate(position, Limits(depth=1), lines=0))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("nodes", [1_000, 1_700])
def test_lines_are_best_first_wherever_the_search_was_stopped(name: str, nodes: int) -> None:
    for position in positions(name, 24, seed=3):
        *_, last = search(name).iterate(position, Limits(nodes=nodes), lines=4)
        scores = [line.score for line in last.lines]
        assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("name", NAMES)
def test_no_action_is_listed_that_was_not_searched(name: str) -> None:
    position = example(name)
    (full,) = search(name).iterate(position, Limits(depth=1), lines=500)
    scores = {line.actions[0]: line.score for line in full.lines}
    (cut,) = search(name).iterate(position, Limits(nodes=full.nodes // 2), lines=500)
    assert not cut.complete
    assert 1 < len(cut.lines) < len(full.lines)
    for line in cut.lines:
        assert line.score == scores[line.actions[0]]


def test_a_search_that_found_nothing_has_one_line() -> None:
    position = example("kerak")
    (found,) = search("kerak").iterate(position, Limits(nodes=1), lines=8)
    (first,) = found.lines
    assert first.score == evaluate(VARIANTS["kerak"], position)
    assert position.is_legal(first.actions[0])


def test_a_finished_game_has_its_score_and_no_action() -> None:
    position = example("katruji")
    while ALKA not in position.legal():
        position.play(next(a for a in reversed(position.legal()) if not captures(position, a)))
    side = position.side
    position.play(ALKA)
    (only,) = search("katruji").iterate(position, Limits(depth=3))
    outcome = position.outcome()
    assert outcome is not None
    assert (only.depth, only.complete, only.lines[0].actions) == (0, True, ())
    assert only.lines[0].score == (WIN if outcome.winner == side else -WIN)


def captures(position: Position, action: Action) -> bool:
    after = position.copy()
    after.play(action)
    return after.points() != position.points()


def test_only_decided_scores_tell_a_distance() -> None:
    position = example("kerd-draft")
    before = evaluate(VARIANTS["kerd-draft"], position)
    assert not is_decided(before)
    with pytest.raises(ValueError, match=str(before)):
        plies_to_end(before)


@pytest.mark.parametrize("name", VARIANTS)
def test_lines_are_as_long_as_the_search_is_deep_or_end_the_game(name: str) -> None:
    position = example(name)
    remembering = search(name)
    again = [
        found for _ in range(2) for found in remembering.iterate(position, Limits(nodes=3_000))
    ]
    for found in again:
        for line in found.lines if found.complete else ():
            played = position.copy()
            for action in line.actions:
                played.play(action)
            assert len(line.actions) >= found.depth or played.outcome() is not None
