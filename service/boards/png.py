"""A scene at a size in pixels, for programs that show no SVG: messengers, previews, documents.

The program that turns it into pixels supports neither variables nor media queries. So all colours
are written out first, light or dark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from service.boards.scene import Scene
from service.boards.svg import draw_picture, load_style

LEAST: Final = 64
MOST: Final = 1200
"""The least and the most pixels of a picture's width and height."""
USUAL: Final = 800
"""The default width of a picture in pixels."""
GROUNDS: Final = ("#fbfaf6", "#191816")
"""The background of a picture, light and dark: the colours of the pages."""

_VARIABLE: Final = re.compile(r"(--[\w-]+):\s*([^;}]+);")
_USE: Final = re.compile(r"var\((--[\w-]+)\)")
_MEDIA: Final = re.compile(r"@media \(([^{]*)\) \{((?:[^{}]|\{[^{}]*\})*)\}")
_DARK: Final = "prefers-color-scheme: dark"


@cache
def resolve_style(dark: bool) -> str:
    """The boards' style sheet for one colour scheme, without variables or conditions."""
    text = load_style()
    plain = _MEDIA.sub("", text)
    colours = dict(_VARIABLE.findall(plain))
    if dark:
        for condition, rules in _MEDIA.findall(text):
            colours |= dict(_VARIABLE.findall(rules)) if condition == _DARK else {}
    return _USE.sub(lambda used: colours[used[1]], _VARIABLE.sub("", plain))


def fit_height(scene: Scene, width: int) -> int:
    """The height in pixels at which a picture of this width shows only the board."""
    return max(LEAST, min(MOST, round(width * scene.board.height / scene.board.width)))


def draw_sized(
    scene: Scene,
    flipped: bool = False,
    targets: Iterable[str] = (),
    *,
    width: int = USUAL,
    height: int | None = None,
    dark: bool = False,
) -> str:
    """The scene as an SVG of a size in pixels, with the board centred and as large as possible.

    Without a height it is as high as the board. Raises ValueError for a size out of bounds.
    """
    tall = fit_height(scene, width) if height is None else height
    if not (LEAST <= width <= MOST and LEAST <= tall <= MOST):
        raise ValueError(f"a picture is {LEAST} to {MOST} pixels wide and high")
    drawn = draw_picture(scene, flipped, targets).replace(load_style(), resolve_style(dark), 1)
    return drawn.replace("<svg ", f'<svg width="{width}" height="{tall}" ', 1)
