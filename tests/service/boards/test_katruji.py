"""Katruji's boards: the uczuda, and pieces that belong to a hajat."""

from __future__ import annotations

from collections import Counter
from random import Random

from engine.katruji.board import SQUARES, hajat
from notation.registry import find_dialect
from service.boards.gains import list_gains
from service.boards.katruji import UCZUDA
from service.boards.registry import find_board
from service.boards.scene import make_scene, map_cells
from service.boards.svg import draw

KATRUJI = find_dialect("katruji")
START = "1SOO/1PSO/1PPS/4/4/SPP1/OSP1/OOS1 s 0-0 - 0 1"


def test_the_uczuda_parts_the_hajats() -> None:
    cells = map_cells(find_board("katruji"))
    looks = [("south", "north")[hajat(square)] for square in SQUARES]
    assert [
        cell.look.split()[0] for row in find_board("katruji").rows[::-1] for cell in row
    ] == looks
    assert cells["a4"].y - cells["a5"].y == cells["a3"].y - cells["a4"].y + UCZUDA
    assert draw(make_scene("katruji", START)).count('class="uczuda"') == 1


def test_r38_a_piece_has_both_its_names_and_is_named_by_the_hajat_it_stands_in() -> None:
    shown = make_scene("katruji", START)
    assert shown.standing["a1"].name == "South's Isza (Officer)"
    assert shown.standing["a3"].name == "South's Ali (Sergeant)"
    assert shown.standing["b6"].name == "North's Hutu (Private)"


def test_points_and_turn_are_told() -> None:
    shown = make_scene("katruji", START)
    assert (shown.title, shown.points) == ("Katruji: South to act, move 1", (0, 0))


def test_captured_pieces_are_known_from_the_game_and_not_from_the_position() -> None:
    random, position = Random(1), KATRUJI.start({})
    first, actions = position.copy(), []
    captured: list[list[str]] = [[], []]
    for _ in range(40):
        action = random.choice(position.legal())
        actions.append(action)
        side, target = position.side, KATRUJI.coordinate(action).partition("=")[0][-2:]
        there = make_scene("katruji", KATRUJI.write_fen(position)).standing.get(target)
        if there is not None and there.side != side:
            captured[side].append(there.symbol[-1])
        position.play(action)
    fen = KATRUJI.write_fen(position)
    told = make_scene("katruji", fen, gains=list_gains(first, actions)).trays
    assert [tray.title for tray in told] == ["South has captured", "North has captured"]
    assert [list(Counter(dict(tray.pieces)).elements()) for tray in told] == [
        sorted(letters) for letters in captured
    ]
    assert list(make_scene("katruji", fen).trays) == []
