"""What all games' pictures have in common: they show and describe everything in a position."""

from __future__ import annotations

from random import Random
from xml.etree import ElementTree

import pytest

from engine.registry import VARIANTS
from notation.registry import find_dialect
from service.boards.registry import BOARDS, find_board
from service.boards.scene import Scene, make_scene, place_letters
from service.boards.svg import draw, draw_picture, load_symbols

SVG = "{http://www.w3.org/2000/svg}"
EVERY = pytest.mark.parametrize("variant", VARIANTS)


def positions(variant: str, plies: int = 60) -> list[tuple[str, str | None]]:
    """The first position of a random game and every tenth after it, with the action before each."""
    written, random = find_dialect(variant), Random(variant)
    position = written.start({})
    found: list[tuple[str, str | None]] = [(written.write_fen(position), None)]
    for ply in range(1, plies + 1):
        legal = position.legal()
        if not legal:
            break
        action = random.choice(legal)
        position.play(action)
        if ply % 10 == 0:
            found.append((written.write_fen(position), written.coordinate(action)))
    return found


def uses(shown: Scene, flipped: bool = False) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(draw(shown, flipped))
    return [one for one in root.iter(f"{SVG}use") if one.attrib["class"].startswith("piece")]


def test_every_variant_has_a_board() -> None:
    assert BOARDS.keys() == VARIANTS.keys()


@EVERY
def test_every_piece_stands_in_the_middle_of_its_cell(variant: str) -> None:
    drawn = find_board(variant)
    cells = {cell.name: cell for row in drawn.rows for cell in row}
    for fen, last in positions(variant):
        shown = make_scene(variant, fen, last)
        expected = sorted(
            (drawn.read_figure(letter, cells[name]).symbol, cells[name].x, cells[name].y)
            for name, letter in place_letters(drawn, fen).items()
        )
        half = drawn.span / 2
        found = sorted(
            (one.attrib["href"][1:], float(one.attrib["x"]) + half, float(one.attrib["y"]) + half)
            for one in uses(shown)
        )
        for (symbol, *place), (own, *middle) in zip(found, expected, strict=True):
            assert symbol == own
            assert place == pytest.approx(middle, abs=0.1)


@EVERY
def test_a_flipped_board_has_each_piece_at_the_opposite_place(variant: str) -> None:
    drawn = find_board(variant)
    for fen, last in positions(variant):
        shown = make_scene(variant, fen, last)
        for one, other in zip(uses(shown), uses(shown, flipped=True), strict=True):
            for axis, size in (("x", drawn.width), ("y", drawn.height)):
                ends = float(one.attrib[axis]) + float(other.attrib[axis]) + drawn.span
                assert ends == pytest.approx(size, abs=0.2)


@EVERY
def test_every_symbol_that_is_used_is_defined_and_everything_is_inside(variant: str) -> None:
    drawn = find_board(variant)
    for fen, last in positions(variant):
        root = ElementTree.fromstring(draw_picture(make_scene(variant, fen, last)))
        defined = {symbol.attrib["id"] for symbol in root.iter(f"{SVG}symbol")}
        assert {one.attrib["href"][1:] for one in root.iter(f"{SVG}use")} <= defined
        for text in root.iter(f"{SVG}text"):
            assert 0 < float(text.attrib["x"]) < drawn.width
            assert 0 < float(text.attrib["y"]) < drawn.height


@EVERY
def test_every_cell_is_there_once_and_has_its_coordinate_at_the_edge(variant: str) -> None:
    fen, _ = positions(variant, 0)[0]
    root = ElementTree.fromstring(draw(make_scene(variant, fen)))
    names = [
        one.attrib["data-cell"] for one in root.iter(f"{SVG}path") if "data-cell" in one.attrib
    ]
    assert len(names) == len(set(names)) == sum(len(row) for row in find_board(variant).rows)
    edge = {text.text for text in root.iter(f"{SVG}text")}
    assert {name[0] for name in names} | {name[1:] for name in names} == edge


@EVERY
def test_the_description_names_every_piece(variant: str) -> None:
    for fen, last in positions(variant):
        shown = make_scene(variant, fen, last)
        for name, figure in shown.standing.items():
            said = next(s for s in shown.description.split("; ") if s.startswith(f"{figure.name} "))
            assert name in said.removeprefix(figure.name).replace(",", "").split()


@EVERY
def test_every_piece_has_a_drawing_of_its_own(variant: str) -> None:
    drawn = find_board(variant)
    found = load_symbols(drawn.sprite)
    used = {drawn.read_figure(letter, None).symbol for letter in drawn.letters}
    assert used == found.keys()
    assert len({text.partition(">")[2] for text in found.values()}) == len(found)


@EVERY
def test_the_last_action_is_pointed_out(variant: str) -> None:
    for fen, last in positions(variant)[1:]:
        shown = make_scene(variant, fen, last)
        assert shown.last
        assert all(name in (last or "") for name in shown.last)
        assert draw(shown).count('class="last"') == len(shown.last)


@EVERY
def test_a_picture_needs_nothing_from_elsewhere(variant: str) -> None:
    text = draw_picture(make_scene(variant, positions(variant)[-1][0]))
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert " style=" not in text
    assert "<script" not in text
