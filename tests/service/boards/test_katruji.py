"""Katruji's boards: the uczuda, and pieces that belong to a hajat."""

from __future__ import annotations

from engine.katruji.board import SQUARES, hajat
from service.boards.katruji import UCZUDA
from service.boards.registry import board
from service.boards.scene import by_name, scene
from service.boards.svg import draw

START = "1SOO/1PSO/1PPS/4/4/SPP1/OSP1/OOS1 s 0-0 - 0 1"


def test_the_uczuda_parts_the_hajats() -> None:
    cells = by_name(board("katruji"))
    looks = [("south", "north")[hajat(square)] for square in SQUARES]
    assert [cell.look.split()[0] for row in board("katruji").rows[::-1] for cell in row] == looks
    assert cells["a4"].y - cells["a5"].y == cells["a3"].y - cells["a4"].y + UCZUDA
    assert draw(scene("katruji", START)).count('class="uczuda"') == 1


def test_a_piece_is_named_by_the_hajat_it_stands_in() -> None:
    shown = scene("katruji", START)
    assert shown.standing["a1"].name == "South's Officer"
    assert shown.standing["d8"].name == "North's Officer"


def test_points_and_turn_are_told() -> None:
    shown = scene("katruji", START)
    assert (shown.title, shown.points) == ("Katruji: South to act, move 1", (0, 0))
