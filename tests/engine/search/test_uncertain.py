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


def test_unknown_choices_hardly_make_a_search_less_deep() -> None:
    """They once divided the nodes among all worlds, which cost half of the depth."""
    for seed in range(4):
        position = make_opening(KERD, Random(seed), 8 + 10 * seed)
        hidden = position.copy()
        assert isinstance(hidden, Position)
        for side in Side:
            hidden.choose(side, UNKNOWN)
        *_, known = Search(KERD).iterate(KERD.plain_world(hidden), Limits(nodes=10_000))
        *_, found = iterate_worlds(Search(KERD), hidden, Limits(nodes=12_000), worlds=8)
        assert found.worlds == 8
        assert found.depth >= known.depth
        assert found.nodes == 12_000


@pytest.mark.parametrize("seed", range(6))
def test_a_sample_does_not_decide_which_action_is_best(seed: int) -> None:
    """What one of few worlds contains by chance must not make an execution look good."""
    position = make_opening(KERD, Random(seed), 10 + 8 * seed)
    assert isinstance(position, Position)
    for side in Side:
        position.choose(side, UNKNOWN)
    *_, plain = Search(KERD).iterate(KERD.plain_world(position), Limits(depth=3))
    for sample in range(3):
        *_, found = iterate_worlds(Search(KERD), position, Limits(depth=3), worlds=2, seed=sample)
        assert found.worlds == 2
        assert found.lines[0].actions == plain.lines[0].actions


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
    found = list(iterate_worlds(Search(KERD), start, Limits(nodes=200_000), worlds=4))
    plain = [one for one in found if one.nodes <= 187_500]
    assert len(found) > len(plain) > 3
    assert [one.depth for one in plain] == list(range(1, len(plain) + 1))
    assert found[-1].depth == plain[-1].depth
    assert found[-1].nodes == 200_000
    for one in found:
        assert all(line.lowest <= line.score <= line.highest for line in one.lines)


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
