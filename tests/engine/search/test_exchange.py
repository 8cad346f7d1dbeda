"""Quiescence skips the capture of a defended, lesser piece, in Kerd and in Kerak."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.problems import FOLDER, read_problems
from engine.position import Position
from engine.registry import find_variant
from engine.search import WIN, Limits, Search
from engine.search.alphabeta import AlphaBeta
from engine.search.score import INFINITE
from engine.search.table import TranspositionTable
from engine.variant import Variant
from tests.engine import kerak_support
from tests.engine.kerd_support import DRAFT, at


def count_nodes(pieces: str, *, margin: int = 0, exchanges: bool = True) -> int:
    """The nodes of a quiescence search in Kerd Draft with White to act."""
    position = at(pieces, dialect=DRAFT)
    return count_of(find_variant("kerd-draft"), position, margin, exchanges=exchanges)


def count_of(variant: Variant, position: Position, margin: int, *, exchanges: bool) -> int:
    """The nodes of a quiescence search."""
    tree = variant.tree(position)
    alphabeta = AlphaBeta(
        tree,
        variant.exchanges(tree, margin),
        TranspositionTable(1),
        replace(variant.techniques, exchanges=exchanges, delta=False),
        variant.parameters,
        lambda _: 10**9,
    )
    alphabeta.search_node(0, -INFINITE, INFINITE, 0)
    return alphabeta.stack.nodes


@pytest.mark.parametrize("pieces", ["Qe5 pe9 td9 te12", "Te5 he9 pd10", "Qe5 te9 te12"])
def test_a_piece_does_not_take_a_lesser_one_that_is_defended(pieces: str) -> None:
    assert count_nodes(pieces) < count_nodes(pieces, exchanges=False)


@pytest.mark.parametrize("pieces", ["Qe5 pe9", "He5 tf7 te7", "Te5 te9 te12"])
def test_it_takes_what_is_not_defended_or_worth_as_much(pieces: str) -> None:
    assert count_nodes(pieces) == count_nodes(pieces, exchanges=False) > 1


def test_what_loses_no_more_than_the_margin_is_tried() -> None:
    pieces = "Qe5 te9 te12"
    assert count_nodes(pieces, margin=2_000) == count_nodes(pieces, exchanges=False)


OTHERS = "Ia5 Ia6 ii1"
"""Captors of both sides, out of the way."""


def count_in_kerak(pieces: str, *, exchanges: bool, margin: int = 0) -> int:
    """The nodes of a quiescence search in Kerak with Red to act."""
    position = kerak_support.at(pieces)
    return count_of(find_variant("kerak"), position, margin, exchanges=exchanges)


@pytest.mark.parametrize(
    "pieces",
    [
        # Two Infantry together are as strong as the Knight.
        f"Nd5 ie5 if4 ie6 {OTHERS}",
        # The Knight is supported, and so are they.
        f"Nd5 If5 ie5 if4 ne6 {OTHERS}",
    ],
)
def test_in_kerak_it_does_not_take_beside_enemies_that_are_as_strong(pieces: str) -> None:
    assert count_in_kerak(pieces, exchanges=True) < count_in_kerak(pieces, exchanges=False)
    assert count_in_kerak(pieces, exchanges=True, margin=200) == count_in_kerak(
        pieces, exchanges=False
    )


@pytest.mark.parametrize(
    "pieces",
    [
        # One Infantry alone is not as strong.
        f"Nd5 ie5 if4 {OTHERS}",
        # With its Infantry beside the target the Knight is stronger.
        f"Nd5 If5 ie5 if4 ie6 {OTHERS}",
        # The piece taken is worth as much.
        f"Nd5 ne5 if4 ie6 {OTHERS}",
        # Red has no captor, so that taking the last one of Blue's draws at once.
        "Nd5 Va5 ie5 ne6 vf4",
    ],
)
def test_in_kerak_it_takes_what_is_not_taken_back(pieces: str) -> None:
    count = count_in_kerak(pieces, exchanges=True)
    assert count == count_in_kerak(pieces, exchanges=False) > 1


def test_the_king_is_taken_wherever_it_is_defended() -> None:
    position = at("Ka1 Qe5 ke9 te12", dialect=DRAFT, checked=1)
    *_, last = Search(find_variant("kerd-draft"), table_mebibytes=1).iterate(
        position, Limits(depth=1)
    )
    assert last.lines[0].score == WIN - 1


def test_every_capture_answers_a_check() -> None:
    """In check, a losing capture is tried too; skipping it would look like mate."""
    (problem,) = [
        one
        for one in read_problems((FOLDER / "kerd-draft.txt").read_text("ascii").splitlines())
        if one.actions == ("j11i12",)
    ]
    position = DRAFT.read_fen(problem.fen)
    wrong = next(a for a in position.legal() if DRAFT.coordinate(a) == "j11j12")
    *_, last = Search(find_variant("kerd-draft"), table_mebibytes=1).iterate(
        position, Limits(depth=3), actions=[wrong]
    )
    assert last.lines[0].score != WIN - problem.plies
