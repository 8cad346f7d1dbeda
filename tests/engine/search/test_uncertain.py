"""Search of positions in which an infiltrator is unknown."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from engine.kerd import KERD
from engine.kerd.action import Deed, deed
from engine.kerd.board import UNKNOWN
from engine.kerd.kernel import Position
from engine.search import (
    WIN,
    Limits,
    Search,
    UncertainIteration,
    iterate_worlds,
    winning_chance,
)
from engine.search.time_management import TimeBudget
from engine.side import Side
from notation.kerd.names import SQUARE_OF
from notation.registry import find_dialect
from service.selfplay.opening import make_opening
from tests.engine.kerd_support import KERD as TEXTS
from tests.engine.kerd_support import START, at, play

FEW = Limits(depth=2)


def searched(
    position: Position, limits: Limits = FEW, lines: int = 1, worlds: int = 30
) -> UncertainIteration:
    """The last iteration of a search over worlds."""
    *_, last = iterate_worlds(Search(KERD), position, limits, lines=lines, worlds=worlds, seed=1)
    return last


def test_one_world_is_searched_as_ever() -> None:
    position = at("Qd4 pd6 pe9", infiltrators="d6/x", checked=1)
    plain = list(Search(KERD).iterate(position, Limits(depth=3), lines=3))
    uncertain = list(iterate_worlds(Search(KERD), position, Limits(depth=3), lines=3))
    for one, other in zip(plain, uncertain, strict=True):
        assert [line.score for line in one.lines] == [line.score for line in other.lines]
        assert [line.actions for line in one.lines] == [line.actions for line in other.lines]
        assert one.nodes == other.nodes
        assert other.worlds == 1
        assert all(line.lowest == line.highest == line.score for line in other.lines)


def test_an_execution_is_judged_over_all_worlds() -> None:
    # If the Commander next to the King is Black's, its reveal wins the Queen; otherwise executing
    # it wastes a Commander.
    position = at("Kg1 Qf2 Ce1 Pa2 Pb2 kg12 tl12", infiltrators="x/?", checked=1)
    found = searched(position, Limits(depth=2), lines=40)
    scores = {
        TEXTS.coordinate(line.actions[0]): line for line in found.lines if len(line.actions) > 0
    }
    execution = scores["X:e1"]
    assert execution.lowest < execution.score < execution.highest
    assert 0 <= execution.share < 1
    assert found.worlds == 4


def test_an_unknown_reveal_is_shown_to_nobody() -> None:
    # Any of these may be Black's infiltrator, but no line begins with a reveal.
    position = at("Ta5 Pb3 Hc3 Bd3 kk9", "b", infiltrators="x/?", checked=1)
    found = searched(position, lines=100)
    legal = position.legal()
    assert any(deed(action) is Deed.REVEAL for action in legal)
    assert all(deed(line.actions[0]) is not Deed.REVEAL for line in found.lines)
    assert found.score >= found.lines[0].score  # Black, who knows the choice, can do better


def opening(seed: int, plies: int) -> Position:
    """A position of a random game in which both choices are unknown."""
    position = make_opening(KERD, Random(seed), plies)
    assert isinstance(position, Position)
    for side in Side:
        position.choose(side, UNKNOWN)
    return position


def test_unknown_choices_hardly_make_a_search_less_deep() -> None:
    """They once divided the nodes among all worlds, which cost half of the depth."""
    depths = [0, 0]
    for seed in range(4):
        position = opening(seed, 8 + 10 * seed)
        *_, known = Search(KERD).iterate(KERD.plain_world(position), Limits(nodes=12_000))
        *_, found = iterate_worlds(Search(KERD), position, Limits(nodes=12_000), worlds=8)
        assert found.worlds > 1
        depths = [depths[0] + found.depth, depths[1] + known.depth]
    assert depths[0] > 0.85 * depths[1]


@pytest.mark.parametrize("seed", range(3))
def test_a_sample_does_not_decide_which_action_is_best(seed: int) -> None:
    """What one of few worlds contains by chance must not make an execution look good."""
    position = opening(seed, 10 + 8 * seed)
    *_, plain = Search(KERD).iterate(KERD.plain_world(position), Limits(depth=3), lines=3)
    for sample in range(3):
        *_, found = iterate_worlds(
            Search(KERD), position, Limits(depth=3), lines=3, worlds=2, seed=sample
        )
        assert found.worlds == 2
        assert [line.actions for line in found.lines] == [line.actions for line in plain.lines]


class Ticking:
    """A clock that goes on by ten milliseconds each time it is read."""

    def __init__(self) -> None:
        self.reads = 0

    def __call__(self) -> float:
        self.reads += 1
        return self.reads / 100


def budgeted(position: Position, budget: TimeBudget) -> list[UncertainIteration]:
    """The reports of a search on a clock; the clock shows that they take no more."""
    clock = Ticking()
    search = Search(KERD, table_mebibytes=1, clock=clock)
    found = list(iterate_worlds(search, position, Limits(budget=budget), worlds=4))
    assert clock.reads / 100 < 1.2 * budget.maximum
    return found


def test_a_clocks_budget_holds_for_all_searches() -> None:
    position = opening(1, 20)
    short, long = (budgeted(position, TimeBudget(each, 4 * each)) for each in (1.0, 6.0))
    assert 0.5 < short[-1].seconds < 4.1
    assert 3.0 < long[-1].seconds < 24.1
    assert long[-1].depth > short[-1].depth
    for found in (short, long):
        plain = found[-2]
        assert found[-1].depth == plain.depth  # the last one compares the worlds again
        assert found[-1].seconds - plain.seconds < 0.2 * plain.seconds


def test_a_clock_is_not_waited_for_where_only_hidden_actions_are_legal() -> None:
    position = at("Ka1 Qj11 Pb2 Pc2 kl12", "b", infiltrators="x/?", checked=1)
    assert not KERD.plain_world(position).legal()
    found = budgeted(position, TimeBudget(0.2, 60.0))
    assert found[-1].seconds < 0.5
    assert all(line.actions == () for one in found for line in one.lines)


def test_hidden_actions_alone_are_reported_depth_by_depth() -> None:
    position = at("Ka1 Qj11 Pb2 Pc2 kl12", "b", infiltrators="x/?", checked=1)
    found = list(iterate_worlds(Search(KERD), position, Limits(depth=3)))
    assert [one.depth for one in found] == [1, 2, 3]
    assert all(one.complete for one in found)
    (only,) = iterate_worlds(Search(KERD), position, Limits(nodes=1))
    assert only.lines[0].actions == ()
    assert not only.complete


def test_no_piece_is_revealed_at_will() -> None:
    # If free to reveal any White piece, Black would pick the best; only one world allows that.
    position = at("Ta5 Pb3 Hc3 Bd3 kk9", "b", infiltrators="x/?", checked=1)
    (at_will,) = Search(KERD).iterate(position, Limits(depth=1))
    assert deed(at_will.lines[0].actions[0]) is Deed.REVEAL
    (found,) = iterate_worlds(Search(KERD), position, Limits(depth=1), worlds=30)
    assert found.score < at_will.lines[0].score


def test_limits_hold_for_all_worlds_together() -> None:
    start = TEXTS.read_fen(START)
    for nodes in (1, 500, 5000):
        *_, last = iterate_worlds(Search(KERD), start, Limits(nodes=nodes), worlds=8)
        assert last.nodes <= nodes + 1
        assert last.lines
        assert last.lines[0].actions[0] in start.legal()
        assert not last.complete


def test_the_worlds_get_what_the_plain_one_leaves() -> None:
    start = TEXTS.read_fen(START)
    found = list(iterate_worlds(Search(KERD), start, Limits(nodes=24_000), worlds=4))
    *plain, last = found
    assert [one.depth for one in plain] == list(range(1, len(plain) + 1))
    assert plain[-1].nodes == 22_500
    assert (last.depth, last.nodes) == (plain[-1].depth, 24_000)
    assert [one.complete for one in found] == [True] * (len(plain) - 1) + [False, False]
    for one in found:
        assert all(line.lowest <= line.score <= line.highest for line in one.lines)


def test_a_decided_game_ends_the_search_of_every_world() -> None:
    position = at("Ka1 qb8 tb9 pk9", "b", infiltrators="?/x", checked=1)
    found = list(iterate_worlds(Search(KERD), position, Limits(depth=40)))
    assert found[-1].complete
    assert found[-1].score == WIN - 1
    assert found[-1].depth < 5
    assert found[-1].nodes < 5_000


def test_a_depth_is_the_same_for_all_worlds() -> None:
    position = at("Kg1 Qf2 Ce1 Pa2 Pb2 kg12 tl12", infiltrators="x/?", checked=1)
    *_, last = iterate_worlds(Search(KERD), position, Limits(depth=2), lines=3, worlds=30)
    assert last.complete
    assert last.depth == 2
    sample = KERD.worlds(position, 30, Random(0))
    assert last.worlds == len(sample) == 4
    for line in last.lines:
        action = line.actions[0]
        chance = 0.0
        for world in sample:
            *_, alone = Search(KERD).iterate(world.position, Limits(depth=2), actions={action})
            chance += world.weight * winning_chance(KERD, alone.lines[0].score)
        assert winning_chance(KERD, line.score) == pytest.approx(chance, abs=0.02)


def test_stop_ends_it_with_a_line() -> None:
    start = TEXTS.read_fen(START)
    (only,) = iterate_worlds(Search(KERD), start, Limits(depth=30), worlds=8, stop=lambda: True)
    assert not only.complete
    assert only.lines[0].actions


@pytest.mark.parametrize(("lines", "worlds"), [(0, 8), (1, 1)])
def test_nothing_is_searched_for_no_lines_or_by_a_guess(lines: int, worlds: int) -> None:
    with pytest.raises(ValueError, match=r"[01]"):
        list(iterate_worlds(Search(KERD), TEXTS.read_fen(START), FEW, lines=lines, worlds=worlds))


def test_a_decided_score_is_decided_in_every_world() -> None:
    # Mate in one, whatever White has chosen.
    position = at("Ka1 qb8 tb9 pk9", "b", infiltrators="?/x", checked=1)
    found = searched(position)
    assert found.worlds == 2
    assert found.score == found.lines[0].lowest == WIN - 1
    assert found.lines[0].share == 1
    assert winning_chance(KERD, found.score) == 1


def test_no_secret_has_a_part_in_it() -> None:
    """Two games that differ only in a hidden choice get the same analysis."""
    sealing = find_dialect("kerd").sealing
    assert sealing is not None
    told: list[Sequence[tuple[object, ...]]] = []
    for choice in ("d2", "h1"):
        position = TEXTS.read_fen(START)
        position.choose(Side.SECOND, SQUARE_OF[choice])
        play(position, "d2d4", "d11d9", "d4d5")
        masked = sealing.view(position, [Side.SECOND])
        assert isinstance(masked, Position)
        assert masked.choice_of(Side.SECOND) == UNKNOWN
        iterations = iterate_worlds(Search(KERD), masked, Limits(nodes=3000), lines=2, worlds=4)
        told.append([(i.depth, i.nodes, i.score, i.lines, i.complete) for i in iterations])
    assert told[0] == told[1]


def test_a_mate_in_every_world_is_told_as_one() -> None:
    # White has revealed, so Black can execute nothing, and no choice of Black's helps.
    position = at("Ka1 Qg11 Th11 Pa2 kg12 pl8", side="b", infiltrators="!/?", checked=1)
    assert not position.legal()
    found = searched(position)
    assert found.score == -WIN
    assert [(line.score, line.actions) for line in found.lines] == [(-WIN, ())]
    assert found.complete
