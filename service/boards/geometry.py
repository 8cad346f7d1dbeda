"""A variant's board as JSON values: everything a client needs to draw any of its positions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from typing import Any

from notation.registry import find_dialect
from service.boards.board import Board, Cell, Figure
from service.boards.registry import find_board
from service.boards.scene import map_cells
from service.boards.svg import SIDES, add_room, load_symbols
from service.languages.texts import get_language, gettext

MARKS = "marks.svg"
"""The drawings that are not pieces: a threat, a choice."""


def digest_geometry(variant: str) -> str:
    """A digest that changes with the description of a variant's board, and with the language."""
    return _digest_geometry(variant, get_language())


@cache
def _digest_geometry(variant: str, language: str) -> str:
    return sha256(json.dumps(describe_geometry(variant)).encode()).hexdigest()[:16]


def describe_geometry(variant: str) -> dict[str, Any]:
    """The board of a variant as the first side sees it; raises UnknownVariant.

    `cells` are in the order of the position string; `rows` names those of each row. Everything is
    in units of the picture; `path` are outlines in SVG, `look` the classes of the style sheet.
    """
    drawn, written = find_board(variant), find_dialect(variant)
    symbols = load_symbols(drawn.sprite) | load_symbols(MARKS)
    return {
        "variant": variant,
        "sides": list(written.variant.sides),
        "start": written.write_fen(written.variant.start()),
        "width": drawn.width,
        "height": drawn.height,
        "span": drawn.span,
        "rows": [[cell.name for cell in row] for row in drawn.rows],
        "cells": [
            {"name": cell.name, "x": cell.x, "y": cell.y}
            | {"path": cell.outline, "look": cell.look, "text": cell.title}
            for cell in map_cells(drawn).values()
        ],
        "labels": [{"text": label.text, "x": label.x, "y": label.y} for label in drawn.labels],
        "strokes": [{"path": stroke.path, "look": stroke.look} for stroke in drawn.strokes],
        "legend": [{"path": k.path, "look": k.look, "text": gettext(k.text)} for k in drawn.legend],
        "figures": [figure for letter in drawn.letters for figure in list_figures(drawn, letter)],
        "symbols": [add_room(symbol) for symbol in symbols.values()],
        "words": {name: gettext(said) for name, said in drawn.words.items()},
    }


def list_figures(drawn: Board, letter: str) -> Iterator[dict[str, Any]]:
    """What a letter stands for: on the cells whose look has the class `on`, and beside the board.

    A piece that is the same on all cells is listed once, with `on` null.
    """
    beside = drawn.read_figure(letter, None)
    seen: dict[Figure, list[Cell]] = {}
    for cell in map_cells(drawn).values():
        seen.setdefault(drawn.read_figure(letter, cell), []).append(cell)
    if seen.keys() != {beside}:
        for figure, cells in seen.items():
            yield describe_figure(letter, figure, find_common_class(drawn, cells))
    yield describe_figure(letter, beside, None)


def describe_figure(letter: str, figure: Figure, on: str | None) -> dict[str, Any]:
    """A piece with the drawing and the name that it has on certain cells."""
    side = SIDES[figure.side]
    own = {"symbol": figure.symbol, "side": side, "name": figure.name, "text": figure.spoken}
    return {"letter": letter, "on": on, **own}


def find_common_class(drawn: Board, cells: list[Cell]) -> str:
    """The class that all these cells and no others have in their look; raises LookupError."""
    for name in cells[0].look.split():
        if [cell for cell in map_cells(drawn).values() if name in cell.look.split()] == cells:
            return name
    raise LookupError("pieces differ by cells that look alike")
