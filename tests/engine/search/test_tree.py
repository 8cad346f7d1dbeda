"""The games' search trees agree with their positions.

Only the search can walk a compiled tree. These tests show in plain Python that trees are right, and
`test_expected` that compiled ones find the same.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from engine.position import MAX_DEPTH, Action
from engine.registry import VARIANTS
from engine.source import is_compiled
from engine.tree import LOST, ONGOING, WON, evaluate
from notation.registry import find_dialect
from tests.engine.search.minimax import positions

pytestmark = pytest.mark.skipif(
    is_compiled(type(VARIANTS["katruji"].start())), reason="the methods of a tree are C's"
)
WALKS = 3


@pytest.mark.parametrize("name", VARIANTS)
def test_a_tree_follows_its_position(name: str) -> None:
    """On random walks, tree and position agree on actions, sides and ends.

    The tree's incremental hash equals that of a new tree, and of one from the position's FEN.
    """
    variant, written = VARIANTS[name], find_dialect(name)
    for seed, position in enumerate(positions(name, WALKS, seed=21)):
        random = Random(seed)
        tree: Any = variant.tree(position)
        keys = [tree.key]
        for ply in range(MAX_DEPTH):
            assert (tree.side, tree.ply) == (position.side, ply)
            if ply % 5 == 0:  # a new tree is slow to build
                fresh: Any = variant.tree(position)
                assert (tree.key, evaluate(tree)) == (fresh.key, evaluate(fresh))
                told: Any = variant.tree(written.read_fen(written.write_fen(position)))
                assert told.key == tree.key
            legal = [action for action in listed_moves(tree) if is_legal_move(tree, action)]
            assert sorted(legal) == position.legal()
            outcome = position.outcome()
            if outcome is not None:
                end = tree.result() if tree.result() != ONGOING else tree.result_without_moves()
                expected = 0 if outcome.winner is None else WON
                if outcome.winner not in (None, position.side):
                    expected = LOST
                assert end == expected
                break
            assert tree.result() == ONGOING
            action = Action(random.choice(legal))
            assert tree.make_move(action)
            position.play(action)
            keys.append(tree.key)
        while tree.ply:
            assert tree.key == keys.pop()
            tree.unmake_move()
        assert [tree.key] == keys


@pytest.mark.parametrize("name", VARIANTS)
def test_what_is_not_quiet_is_found_by_itself(name: str) -> None:
    for position in positions(name, WALKS, seed=22):
        tree: Any = VARIANTS[name].tree(position)
        last = tree.generate_moves(0)
        noisy = {
            (tree.moves[i], tree.move_scores[i]) for i in range(last) if tree.move_scores[i] > 0
        }
        last = tree.generate_noisy_moves(0)
        assert {(tree.moves[i], tree.move_scores[i]) for i in range(last)} == noisy


@pytest.mark.parametrize("name", VARIANTS)
def test_a_null_move_is_taken_back(name: str) -> None:
    for position in positions(name, WALKS, seed=23):
        tree: Any = VARIANTS[name].tree(position)
        if not tree.allows_null_move() or tree.in_check():
            continue
        before = (tree.key, tree.side, tree.position.key())
        tree.make_null_move()
        assert tree.side == 1 - before[1]
        assert tree.key != before[0]
        fresh: Any = VARIANTS[name].tree(tree.position)
        assert fresh.key == tree.key
        tree.unmake_null_move()
        assert (tree.key, tree.side, tree.position.key()) == before


@pytest.mark.parametrize("name", VARIANTS)
def test_a_null_move_of_a_position_is_that_of_its_tree(name: str) -> None:
    null_move = VARIANTS[name].null_move
    for position in positions(name, WALKS, seed=24):
        if null_move is None or getattr(position, "building", False):
            continue
        tree: Any = VARIANTS[name].tree(position)
        tree.make_null_move()
        passed: Any = VARIANTS[name].tree(null_move(position))
        assert (passed.key, passed.side) == (tree.key, tree.side)


def listed_moves(tree: Any) -> list[int]:
    return [tree.moves[i] for i in range(tree.generate_moves(0))]


def is_legal_move(tree: Any, action: int) -> bool:
    legal = bool(tree.make_move(action))
    if legal:
        tree.unmake_move()
    return legal
