"""Without pruning, the search equals minimax."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.position import Position
from engine.registry import VARIANTS
from engine.search import PLAIN, Iteration, Limits, Search, Techniques
from engine.source import is_compiled
from notation.registry import find_dialect
from tests.engine.search.minimax import positions, score, scores

COMPILED = is_compiled(type(VARIANTS["katruji"].start()))
# Plies, and numbers of positions; plain Python has time for few.
DEPTH = {"katruji": 3, "kerak": 2, "kerd": 2, "kerd-draft": 2}
COUNT = {"katruji": 100, "kerak": 100, "kerd": 100, "kerd-draft": 100}
if not COMPILED:
    DEPTH = {"katruji": 2, "kerak": 2, "kerd": 1, "kerd-draft": 1}
    COUNT = dict.fromkeys(COUNT, 3)
MANY = 500

# Everything that only changes the order or the windows, or reuses results of equal depth.
EXACT = replace(Techniques().without_pruning(), quiescence=False, exchanges=True)
WITH_TABLE = replace(PLAIN, transposition_table=True)


def searched(
    name: str,
    position: Position,
    depth: int,
    techniques: Techniques,
    lines: int = 1,
    *,
    draw_by_points: bool = False,
) -> Iteration:
    search = Search(
        VARIANTS[name],
        techniques=techniques,
        draw_by_points=draw_by_points,
        table_mebibytes=1,
    )
    *_, last = search.iterate(position, Limits(depth=depth), lines=lines)
    return last


def compare(name: str, count: int, seed: int) -> None:
    """The scores of the best three lines, and of each line's action, equal minimax's."""
    for position in positions(name, count, seed):
        expected = dict(scores(VARIANTS[name], position, DEPTH[name]))
        for techniques in (PLAIN, EXACT):
            found = searched(name, position, DEPTH[name], techniques, lines=3)
            values = [line.score for line in found.lines]
            assert values == sorted(expected.values(), reverse=True)[:3]
            assert [expected[line.actions[0]] for line in found.lines] == values
            assert len({line.actions[0] for line in found.lines}) == len(values)


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_with_all_pruning_off_it_is_minimax(name: str) -> None:
    compare(name, COUNT[name], seed=0)


@pytest.mark.soak
@pytest.mark.parametrize("name", VARIANTS)
def test_with_all_pruning_off_it_is_minimax_on_many_positions(name: str) -> None:
    compare(name, MANY if COMPILED else 2 * COUNT[name], seed=3)


# Kerak: Red's Infantry can take the last captor, which draws at once.
DRAWS_NEAR = "c4/v5/7/8/9/4i3/3I3/6/4C {} - {} 40"


@pytest.mark.parametrize("points", ["3-5", "5-3", "5-5", "4-5"])
@pytest.mark.parametrize("side", "rb")
def test_a_draw_goes_to_the_side_with_more_points_where_that_is_agreed(
    side: str, points: str
) -> None:
    position = find_dialect("kerak").read_fen(DRAWS_NEAR.format(side, points))
    depth = 3 if COMPILED else 2
    expected = score(VARIANTS["kerak"], position, depth, 0, draw_by_points=True)
    for techniques in (PLAIN, EXACT):
        found = searched("kerak", position, depth, techniques, draw_by_points=True)
        assert found.lines[0].score == expected


@pytest.mark.parametrize("techniques", [WITH_TABLE, EXACT], ids=["table", "exact"])
@pytest.mark.parametrize("name", VARIANTS)
def test_the_table_and_the_order_change_no_result(name: str, techniques: Techniques) -> None:
    nodes = [0, 0]
    for position in positions(name, max(2, COUNT[name] // 8), seed=1):
        plain = searched(name, position, DEPTH[name] + 1, PLAIN)
        found = searched(name, position, DEPTH[name] + 1, techniques)
        assert found.lines[0].score == plain.lines[0].score
        assert found.lines[0].actions[0] == plain.lines[0].actions[0]
        nodes[0] += plain.nodes
        nodes[1] += found.nodes
    assert not COMPILED or nodes[1] < nodes[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_a_line_is_played_to_its_end(name: str) -> None:
    for position in positions(name, max(2, COUNT[name] // 8), seed=2):
        line = searched(name, position, DEPTH[name], PLAIN).lines[0]
        expected = score(VARIANTS[name], position, DEPTH[name], 0)
        side, ply = position.side, len(line.actions)
        for action in line.actions:
            position.play(action)
        value = score(VARIANTS[name], position, DEPTH[name] - ply, ply)
        assert line.score == expected == (value if position.side == side else -value)
