"""Drawing a scene as SVG."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from html import escape
from importlib.resources import files
from typing import Final

from service.boards.board import Board, Cell, Figure
from service.boards.scene import Scene, map_cells

_SYMBOL: Final = re.compile(
    r'(?P<head><symbol id="(?P<name>[\w-]+)" viewBox="(?P<box>[\d. -]+)">)'
    r"(?P<drawing>.*?</symbol>)",
    re.DOTALL,
)
SIDES: Final = ("first", "second")
LARGE: Final = 10
"""The factor from the units of a page's picture to its own size."""


@cache
def load_style() -> str:
    """The style sheet of all boards, light and dark."""
    return files("service.boards").joinpath("style.css").read_text(encoding="utf-8")


@cache
def load_symbols(sprite: str) -> dict[str, str]:
    """The drawings of a game's pieces, by their names."""
    text = files("service.boards").joinpath("pieces", sprite).read_text(encoding="utf-8")
    return {one["name"]: one[0] for one in _SYMBOL.finditer(text)}


@cache
def add_room(symbol: str) -> str:
    """A drawing with an invisible rectangle of the size of its view box.

    A piece's place on the screen is then the place of its middle, however lopsided the drawing.
    """
    one = _SYMBOL.match(symbol)
    assert one is not None
    x, y, width, height = one["box"].split()
    room = f'<rect class="room" x="{x}" y="{y}" width="{width}" height="{height}"/>'
    return f"{one['head']}{room}{one['drawing']}"


def draw_picture(scene: Scene, flipped: bool = False, targets: Iterable[str] = ()) -> str:
    """The scene as a standalone picture, with its style sheet and the drawings it needs."""
    needed = {figure.symbol for figure in scene.standing.values()} | {"threat", "choice"}
    drawings = load_symbols(scene.board.sprite) | load_symbols("marks.svg")
    definitions = "".join(drawings[name] for name in drawings if name in needed)
    return _draw_svg(
        scene, flipped, targets, f"<style>{load_style()}</style><defs>{definitions}</defs>"
    )


def draw(scene: Scene, flipped: bool = False, targets: Iterable[str] = ()) -> str:
    """The scene as an SVG element of a page that has the style sheet.

    With `flipped`, the second side is at the bottom. The element has the drawings of all kinds of
    pieces, which the page's trays use too.

    `targets` are cells to be highlighted. Every cell has its name in `data-cell`. A piece has its
    name in `data-piece` and its cell in `data-on`. A highlight has its cell in `data-target`.
    Its own size is large, so that a style sheet can limit its width and its height, and it keeps
    its shape.
    """
    drawings = (load_symbols(scene.board.sprite) | load_symbols("marks.svg")).values()
    definitions = "".join(map(add_room, drawings))
    size = f' width="{LARGE * scene.board.width:.0f}" height="{LARGE * scene.board.height:.0f}"'
    return _draw_svg(scene, flipped, targets, f"<defs>{definitions}</defs>", size)


def _draw_svg(
    scene: Scene, flipped: bool, targets: Iterable[str], head: str, size: str = ""
) -> str:
    board = scene.board
    cells = map_cells(board)
    turn = f' transform="rotate(180 {board.width / 2:g} {board.height / 2:g})"' if flipped else ""
    title = f"<title>{escape(scene.title)}</title><desc>{escape(scene.description)}</desc>"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board {scene.variant.name}" role="img"'
        f'{size} viewBox="0 0 {board.width:.0f} {board.height:.0f}">',
        title,
        head,
        f"<g{turn}>",
        *_ground(board),
        *(f'<path class="last" d="{cells[name].outline}"/>' for name in scene.last),
        "</g>",
        *_draw_labels(board, flipped),
        *_draw_pieces(scene, cells, flipped),
        f'<g class="hints"{turn}>',
        *_draw_targets(scene, cells, targets),
        "</g></svg>",
    ]
    return "".join(parts)


def _ground(board: Board) -> Iterator[str]:
    """The cells, and the lines drawn over them."""
    for row in board.rows:
        for cell in row:
            rest = f"><title>{escape(cell.title)}</title></path>" if cell.title else "/>"
            yield f'<path class="cell {cell.look}" data-cell="{cell.name}" d="{cell.outline}"{rest}'
    for stroke in board.strokes:
        yield f'<path class="{stroke.look}" d="{stroke.path}"/>'


def _draw_labels(board: Board, flipped: bool) -> Iterator[str]:
    yield '<g class="labels" aria-hidden="true">'
    for label in board.labels:
        x, y = _turn(board, label.x, label.y, flipped)
        yield f'<text x="{x:g}" y="{y:g}" dy=".35em">{label.text}</text>'
    yield "</g>"


def _draw_pieces(scene: Scene, cells: Mapping[str, Cell], flipped: bool) -> Iterator[str]:
    """The pieces, upright whichever side is at the bottom, and the signs on some of them."""
    for name, figure in scene.standing.items():
        x, y = _turn(scene.board, cells[name].x, cells[name].y, flipped)
        if name in scene.threatened:
            yield _use("threat", x, y, scene.board.span * 1.1, "threat")
        yield use(figure, x, y, scene.board.span, name)
        if name in scene.marked:
            yield use_sign("choice", x + 0.3 * scene.board.span, y - 0.3 * scene.board.span, 17)


def _draw_targets(scene: Scene, cells: Mapping[str, Cell], targets: Iterable[str]) -> Iterator[str]:
    for name in targets:
        look, part = ("capture", 0.46) if name in scene.letters else ("target", 0.17)
        yield (
            f'<circle class="{look}" data-target="{name}" cx="{cells[name].x:g}"'
            f' cy="{cells[name].y:g}" r="{part * scene.board.span:g}"/>'
        )


def use(figure: Figure, x: float, y: float, span: float, cell: str | None = None) -> str:
    """A piece around a point; on a cell it has its name and that of the cell."""
    stands = f' data-piece="{escape(figure.name)}" data-on="{cell}"' if cell else ""
    return _use(figure.symbol, x, y, span, f"piece {SIDES[figure.side]}", stands)


def use_sign(symbol: str, x: float, y: float, span: float) -> str:
    """A sign of `marks.svg` around a point."""
    return _use(symbol, x, y, span, "mark")


def _use(symbol: str, x: float, y: float, span: float, look: str, data: str = "") -> str:
    return (
        f'<use class="{look}"{data} href="#{symbol}" x="{x - span / 2:.1f}"'
        f' y="{y - span / 2:.1f}" width="{span:g}" height="{span:g}"/>'
    )


def _turn(board: Board, x: float, y: float, flipped: bool) -> tuple[float, float]:
    return (board.width - x, board.height - y) if flipped else (x, y)
