"""Kerak's boards: hexagons that touch, hands, threatened Castles."""

from __future__ import annotations

from itertools import combinations

import pytest

from engine.kerak.board import BOARD
from notation.kerak.token import SPACE_OF
from notation.registry import find_dialect
from service.boards.kerak import RADIUS
from service.boards.registry import find_board
from service.boards.scene import make_scene, map_cells


def test_spaces_are_neighbours_on_the_picture_exactly_where_they_are_on_the_board() -> None:
    cells = map_cells(find_board("kerak"))
    for one, other in combinations(cells.values(), 2):
        away = ((one.x - other.x) ** 2 + (one.y - other.y) ** 2) ** 0.5
        near = BOARD.distance(SPACE_OF[one.name], SPACE_OF[other.name]) == 1
        assert (away < 1.8 * RADIUS) == near
        assert not near or away == pytest.approx(3**0.5 * RADIUS, abs=0.1)


def test_each_row_lies_above_the_one_nearer_the_first_side() -> None:
    heights = [{cell.y for cell in row} for row in find_board("kerak").rows]
    assert [len(found) for found in heights] == [1] * 9
    assert heights == sorted(heights, key=min)
    assert find_board("kerak").rows[-1][0].name == "a5"


def test_the_hand_stands_beside_the_board() -> None:
    start = make_scene("kerak", find_dialect("kerak").write_fen(find_dialect("kerak").start({})))
    assert [tray.in_hand for tray in start.trays] == [True, True]
    assert start.trays[0].pieces == (("I", 9), ("A", 3), ("V", 2), ("N", 2), ("H", 1), ("C", 1))


@pytest.mark.parametrize("side", ["r", "b"])
def test_a_castle_that_can_be_captured_is_marked_whoevers_turn_it_is(side: str) -> None:
    shown = make_scene("kerak", f"c4/I5/A6/8/9/8/7/6/4C {side} - 0-0 40")
    assert shown.threatened == ["e9"]


def test_losses_are_counted_when_all_have_been_placed() -> None:
    shown = make_scene("kerak", "c4/I5/A6/8/9/8/7/6/4C r - 0-0 40")
    assert dict(shown.trays[0].pieces) == {"I": 8, "A": 2, "V": 2, "N": 2, "H": 1}
