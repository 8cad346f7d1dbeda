"""Kerd's boards: regions, check, what was lost, whose infiltrator is drawn."""

from __future__ import annotations

import pytest

from engine.kerd.board import AIR_REGION, LAND_REGION, SQUARES, WATER_REGION, region
from notation.kerd.names import NAMES
from service.boards.registry import board
from service.boards.scene import by_name, scene
from service.boards.svg import draw

REGIONS = {AIR_REGION: "air", LAND_REGION: "land", WATER_REGION: "water"}
BARE = "6k5/12/12/12/6T5/12/12/12/12/12/12/6K5 b - - - {} 1 - 30"


def test_every_square_has_the_colour_of_its_region() -> None:
    cells = by_name(board("kerd"))
    assert all(cells[NAMES[at]].look.split()[0] == REGIONS[region(at)] for at in SQUARES)
    assert cells["a1"].look == "water dark"


def test_a_king_in_check_is_marked() -> None:
    shown = scene("kerd", BARE.format("-/-"))
    assert shown.threatened == ["g12"]
    assert draw(shown).count('class="threat"') == 1
    assert "threatened: g12" in shown.description


@pytest.mark.parametrize(
    ("choices", "marked"), [("-/-", []), ("?/?", []), ("!/x", []), ("g8/?", ["g8"])]
)
def test_only_a_choice_that_the_position_names_is_drawn(choices: str, marked: list[str]) -> None:
    fen = BARE.format(choices).replace("6T5/", "6j5/")
    shown = scene("kerd", fen)
    assert shown.marked == marked
    assert draw(shown).count('class="mark"') == len(marked)


def test_what_a_side_has_lost_stands_beside_the_board() -> None:
    lost = {tray.side: dict(tray.pieces) for tray in scene("kerd", BARE.format("-/-")).trays}
    assert lost[0] == {"Q": 1, "T": 1, "S": 2, "H": 2, "B": 2, "J": 2, "C": 2, "P": 12}
    assert "K" not in lost[0]
    assert lost[1]["t"] == 2


def test_a_piece_that_has_changed_sides_is_not_lost() -> None:
    start = "tjshbqkbhsjt/pppppccppppp/5pp5/12/12/12/12/12/12/5PP5/PPPPPCCPPPPP/TJSHBQKBHSJT"
    turned = start.replace("pppppccppppp", "Pppppccppppp")
    shown = scene("kerd", f"{turned} b KQkq - - !/? 1 - 9")
    assert shown.trays == []


def test_a_finished_position_says_how_it_ended() -> None:
    mate = "5k6/12/4KQ6/12/12/12/12/12/12/12/12/12 b - - - -/- 1 - 40"
    assert scene("kerd", mate.replace("4KQ6", "5K6").replace("5k6/12", "5k6/5Q6")).turn == (
        "White has won: mate"
    )
