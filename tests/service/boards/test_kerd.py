"""Kerd's boards: regions, check, lost pieces, and which infiltrators are drawn."""

from __future__ import annotations

import re

import pytest

from engine.kerd.board import (
    AIR_REGION,
    JUMPER_HOME,
    KING_CASTLED,
    KING_HOME,
    LAND_REGION,
    SQUARES,
    TOWER_CASTLED,
    TOWER_HOME,
    WATER_REGION,
    promotes_on,
    region,
)
from notation.kerd.names import NAMES
from service.boards.registry import find_board
from service.boards.scene import make_scene, map_cells
from service.boards.svg import draw
from service.languages.texts import use_language
from tests.project.tree import ROOT

REGIONS = {AIR_REGION: "air", LAND_REGION: "land", WATER_REGION: "water"}
BARE = "6k5/12/12/12/6T5/12/12/12/12/12/12/6K5 b - - - {} 1 - 30"


def test_every_square_has_the_colour_of_its_region() -> None:
    cells = map_cells(find_board("kerd"))
    assert all(cells[NAMES[at]].look.split()[0] == REGIONS[region(at)] for at in SQUARES)
    assert cells["a1"].look == "water dark"


def test_a_king_in_check_is_marked() -> None:
    shown = make_scene("kerd", BARE.format("-/-"))
    assert shown.threatened == ["g12"]
    assert draw(shown).count('class="threat"') == 1
    assert "threatened: g12" in shown.description


@pytest.mark.parametrize(
    ("choices", "marked"), [("-/-", []), ("?/?", []), ("!/x", []), ("g8/?", ["g8"])]
)
def test_only_a_choice_that_the_position_names_is_drawn(choices: str, marked: list[str]) -> None:
    fen = BARE.format(choices).replace("6T5/", "6j5/")
    shown = make_scene("kerd", fen)
    assert shown.marked == marked
    assert draw(shown).count('class="mark"') == len(marked)


def test_what_a_side_has_lost_stands_beside_the_board() -> None:
    lost = {tray.side: dict(tray.pieces) for tray in make_scene("kerd", BARE.format("-/-")).trays}
    assert lost[0] == {"Q": 1, "T": 1, "S": 2, "H": 2, "B": 2, "J": 2, "C": 2, "P": 12}
    assert "K" not in lost[0]
    assert lost[1]["t"] == 2


def test_a_piece_that_has_changed_sides_is_not_lost() -> None:
    start = "tjshbqkbhsjt/pppppccppppp/5pp5/12/12/12/12/12/12/5PP5/PPPPPCCPPPPP/TJSHBQKBHSJT"
    turned = start.replace("pppppccppppp", "Pppppccppppp")
    shown = make_scene("kerd", f"{turned} b KQkq - - !/? 1 - 9")
    assert shown.trays == []


def test_a_finished_position_says_how_it_ended() -> None:
    mate = "5k6/12/4KQ6/12/12/12/12/12/12/12/12/12 b - - - -/- 1 - 40"
    assert make_scene("kerd", mate.replace("4KQ6", "5K6").replace("5k6/12", "5k6/5Q6")).turn == (
        "White has won: mate"
    )


def promoting(side: int) -> set[str]:
    """The squares on which a side promotes."""
    return {NAMES[at] for at in SQUARES if promotes_on(side, at)}


def said(variant: str, words: str) -> set[str]:
    """The squares of a board whose titles contain these words."""
    return {name for name, cell in map_cells(find_board(variant)).items() if words in cell.title}


def test_r37_promotion_squares_and_castling_are_drawn_and_named() -> None:
    assert said("kerd", "White's Pawns promote here") == promoting(0)
    assert said("kerd", "Black's Pawns promote here") == promoting(1)
    assert said("kerd", "the King castles to here") == {NAMES[at] for at in KING_CASTLED}
    assert said("kerd", "the Tower castles to here") == {NAMES[at] for at in TOWER_CASTLED}
    assert map_cells(find_board("kerd"))["a8"].title == "a8, water: White's Pawns promote here"
    drawn = {stroke.look: stroke.path.count("M") for stroke in find_board("kerd").strokes[1:]}
    assert drawn == {"promotion first": 10, "promotion second": 10, "castling": 8}
    picture = draw(make_scene("kerd", BARE.format("-/-")))
    assert picture.count("promote here</title>") == 20
    assert picture.count("castles to here</title>") == 8


def test_each_reader_has_the_squares_in_their_language() -> None:
    board = find_board("kerd")
    assert map_cells(board)["a8"].title.startswith("a8, water")
    with use_language("de"):
        assert map_cells(board)["a8"].title.startswith("a8, Wasser")
    assert map_cells(board)["a8"].title.startswith("a8, water")


@pytest.mark.parametrize("side", ["first", "second"])
def test_r37_a_sign_lies_within_its_square(side: str) -> None:
    cells = map_cells(find_board("kerd"))
    (stroke,) = (one for one in find_board("kerd").strokes if one.look == f"promotion {side}")
    corners = re.findall(r"M([\d.]+) ([\d.]+)h(-?\d+)v(-?\d+)z", stroke.path)
    middles = {
        (float(x) + float(across) / 2, float(y) + float(down) / 2) for x, y, across, down in corners
    }
    inside = {
        name
        for name, cell in cells.items()
        for x, y in middles
        if abs(cell.x - x) < find_board("kerd").span / 2
        and abs(cell.y - y) < find_board("kerd").span / 2
    }
    assert inside == promoting(("first", "second").index(side))


def test_r37_the_draft_has_neither_and_shows_none() -> None:
    assert said("kerd-draft", "here") == set()
    assert [stroke.look for stroke in find_board("kerd-draft").strokes] == ["shore"]
    assert [key.text for key in find_board("kerd-draft").legend] == ["water", "land", "air"]
    assert len(find_board("kerd").legend) == 6


def test_r37_the_published_map_is_the_engines() -> None:
    page = (ROOT / "docs" / "rules" / "kerd.md").read_text(encoding="utf-8")
    rows = re.findall(r"^ ?(\d+)  ((?:[wla][+-]? *){12})$", page, re.MULTILINE)
    assert [int(rank) for rank, _ in rows] == list(range(12, 0, -1))
    told = {
        f"{file}{rank}": cell
        for rank, row in rows
        for file, cell in zip("abcdefghijkl", row.split(), strict=True)
    }
    signs = dict.fromkeys(promoting(0), "+") | dict.fromkeys(promoting(1), "-")
    assert told == {NAMES[at]: REGIONS[region(at)][0] + signs.get(NAMES[at], "") for at in SQUARES}


def test_r37_the_published_castling_is_the_engines() -> None:
    page = (ROOT / "docs" / "rules" / "kerd.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \w+ `O.*` \| (\w+) to (\w+) \| (\w+) to (\w+) \| (\w+) \|$", page, re.M)
    tables = (KING_HOME, KING_CASTLED, TOWER_HOME, TOWER_CASTLED, JUMPER_HOME)
    assert rows == [tuple(NAMES[table[n]] for table in tables) for n in range(4)]
