"""The engine confirms every fact in the examples of each game's rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from engine.position import Position
from engine.registry import VARIANTS
from notation.dialect import Dialect
from notation.errors import IllegalMove
from notation.registry import find_dialect
from service.boards.examples import Example, Line, find_examples, play_line
from service.boards.registry import find_board
from service.boards.scene import make_scene, map_cells, place_letters
from tests.project.tree import ROOT

RULES = ROOT / "docs" / "rules"
MOVE = re.compile(r"([a-z]\d+)([a-z]\d+)")


def load(variant: str) -> list[Example]:
    return find_examples((RULES / f"{variant}.md").read_text(encoding="utf-8"))


def every_example() -> Iterator[Any]:
    for variant in VARIANTS:
        for number, example in enumerate(load(variant), 1):
            yield pytest.param(example, id=f"{variant}-{number}")


EVERY = pytest.mark.parametrize("example", list(every_example()))


def open_example(example: Example, fen: str = "") -> tuple[Dialect, Position]:
    written = find_dialect(example.variant)
    return written, written.read_fen(fen or example.fen)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_rules_of_every_variant_have_examples_of_it(variant: str) -> None:
    page = (RULES / f"{variant}.md").read_text(encoding="utf-8")
    examples = find_examples(page)
    assert len(examples) == page.count("```example")
    assert len(examples) >= 4
    assert {example.variant for example in examples} == {variant}


@EVERY
def test_an_example_shows_something_in_a_position(example: Example) -> None:
    written, position = open_example(example)
    assert written.write_fen(position) == example.fen
    assert position.outcome() is None
    assert example.reach or example.legal or example.all or example.lines or example.refused
    assert example.shows.endswith(".")
    assert example.below in ("first", "second")


@EVERY
def test_a_piece_reaches_exactly_the_cells_that_are_named(example: Example) -> None:
    written, position = open_example(example)
    found: dict[str, set[str]] = {cell: set() for cell in example.reach}
    for action in position.legal():
        move = MOVE.match(written.coordinate(action))
        if move and move[1] in found:
            found[move[1]].add(move[2])
    assert found == {cell: set(cells) for cell, cells in example.reach.items()}


@EVERY
def test_the_actions_that_are_named_are_legal(example: Example) -> None:
    written, position = open_example(example)
    named = [written.resolve(position, token) for token in example.legal + (example.all or ())]
    assert len(set(named)) == len(named)
    if example.all is not None:
        assert set(named) == set(position.legal())


@EVERY
def test_what_is_refused_is_legal_where_the_reason_is_gone(example: Example) -> None:
    written, position = open_example(example)
    for refusal in example.refused:
        with pytest.raises(IllegalMove):
            written.resolve(position, refusal.play)
        if refusal.unless:
            _, other = open_example(example, refusal.unless)
            assert other.side == position.side
            written.resolve(other, refusal.instead or refusal.play)


@EVERY
def test_a_line_can_be_played_and_leads_where_it_is_said_to(example: Example) -> None:
    for line in example.lines:
        assert line.said.endswith(".")
        check_line(example, line)


def check_line(example: Example, line: Line) -> None:
    fen = play_line(example, line)
    shown = make_scene(example.variant, fen)
    board = find_board(example.variant)
    letters = place_letters(board, fen)
    assert set(line.makes) <= set(map_cells(board))
    assert {cell: letters.get(cell, "") for cell in line.makes} == dict(line.makes)
    if line.points is not None:
        assert shown.points == tuple(map(int, line.points.split("-")))
    if shown.outcome is None:
        assert line.ends is None
    else:
        assert line.ends == shown.turn


def test_a_wrong_fact_is_noticed() -> None:
    """The checks can fail: each kind of false fact is caught."""
    (example, *_) = load("kerd")
    line = example.lines[0]
    for wrong in (
        Line(line.play, line.said, ends="draw: stalemate"),
        Line(line.play, line.said),
        Line(line.play, line.said, {"f11": "q"}, ends=line.ends),
    ):
        with pytest.raises(AssertionError):
            check_line(example, wrong)
