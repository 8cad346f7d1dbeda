"""A board's geometry as JSON: enough to draw what the pictures draw."""

from __future__ import annotations

import pytest

from engine.registry import VARIANTS
from notation.registry import find_dialect
from service.boards.geometry import describe_geometry, digest_geometry, find_common_class
from service.boards.registry import find_board
from service.boards.scene import make_scene, map_cells
from tests.service.boards.test_every_game import positions

EVERY = pytest.mark.parametrize("variant", VARIANTS)


@EVERY
def test_every_piece_is_drawn_as_in_the_pictures(variant: str) -> None:
    told = describe_geometry(variant)
    cells = {cell["name"]: cell for cell in told["cells"]}
    for fen, last in positions(variant):
        for name, figure in make_scene(variant, fen, last).standing.items():
            row = next(row for row in told["rows"] if name in row)
            letter = find_letter(fen, told["rows"].index(row), row.index(name))
            own = [one for one in told["figures"] if one["letter"] == letter]
            found = next((one for one in own if one["on"] in cells[name]["look"].split()), own[-1])
            assert (found["symbol"], found["name"]) == (figure.symbol, figure.name)
            assert found["side"] == ("first", "second")[figure.side]


def find_letter(fen: str, row: int, column: int) -> str:
    """The letter at a row and column of a position string, parsed by hand."""
    text = fen.split()[0].split("/")[row]
    for length in range(12, 0, -1):
        text = text.replace(str(length), "." * length)
    return text[column]


@EVERY
def test_cells_have_the_order_of_the_position_string(variant: str) -> None:
    told = describe_geometry(variant)
    assert [name for row in told["rows"] for name in row] == [one["name"] for one in told["cells"]]
    written = find_dialect(variant)
    assert told["start"] == written.write_fen(written.start({}))
    for one, cell in zip(told["cells"], map_cells(find_board(variant)).values(), strict=True):
        assert (one["x"], one["y"], one["path"]) == (cell.x, cell.y, cell.outline)


@EVERY
def test_every_figure_has_its_drawing(variant: str) -> None:
    told = describe_geometry(variant)
    drawn = " ".join(told["symbols"])
    for name in {one["symbol"] for one in told["figures"]} | {"threat", "choice"}:
        assert drawn.count(f'<symbol id="{name}"') == 1
    assert all('class="room"' in symbol for symbol in told["symbols"])


def test_whose_piece_it_is_follows_from_the_cell_in_katruji() -> None:
    own = [one for one in describe_geometry("katruji")["figures"] if one["letter"] == "P"]
    assert sorted((one["on"], one["side"], one["name"]) for one in own if one["on"]) == [
        ("north", "second", "North's Hutu (Private)"),
        ("south", "first", "South's Hutu (Private)"),
    ]
    assert (own[-1]["on"], own[-1]["name"]) == (None, "Hutu (Private)")
    assert {one["on"] for one in describe_geometry("kerd")["figures"]} == {None}


def test_boards_that_differ_have_different_digests() -> None:
    assert len({digest_geometry(variant) for variant in VARIANTS}) == len(VARIANTS)


def test_cells_without_a_class_of_their_own_are_refused() -> None:
    drawn = find_board("kerd")
    with pytest.raises(LookupError):
        find_common_class(drawn, [next(iter(map_cells(drawn).values()))])
