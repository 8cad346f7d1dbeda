"""A scene as a picture of so many pixels, for what shows no SVG: messengers, previews, documents.

What turns it into pixels knows no variables and no screen: so all colours are written out first,
light or dark.
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
"""Pixels that a picture is wide and high, at least and at most."""
USUAL: Final = 800
"""Pixels that a picture is wide if nothing is said."""
GROUNDS: Final = ("#fbfaf6", "#191816")
"""What a picture lies on, light and dark: the pages' colours."""

_VARIABLE: Final = re.compile(r"(--[\w-]+):\s*([^;}]+);")
_USE: Final = re.compile(r"var\((--[\w-]+)\)")
_MEDIA: Final = re.compile(r"@media \(([^{]*)\) \{((?:[^{}]|\{[^{}]*\})*)\}")
_DARK: Final = "prefers-color-scheme: dark"


@cache
def resolve_style(dark: bool) -> str:
    """The boards' style sheet for one scheme of colours, without variables or conditions."""
    text = load_style()
    plain = _MEDIA.sub("", text)
    colours = dict(_VARIABLE.findall(plain))
    if dark:
        for condition, rules in _MEDIA.findall(text):
            colours |= dict(_VARIABLE.findall(rules)) if condition == _DARK else {}
    return _USE.sub(lambda used: colours[used[1]], _VARIABLE.sub("", plain))


def fit_height(scene: Scene, width: int) -> int:
    """The height at which a picture of this width shows the board and nothing else, in pixels."""
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
    """The scene as an SVG of so many pixels, the board in the middle, as large as there is room.

    Without a height it is as high as the board. Raises ValueError for a size out of bounds.
    """
    tall = fit_height(scene, width) if height is None else height
    if not (LEAST <= width <= MOST and LEAST <= tall <= MOST):
        raise ValueError(f"a picture is {LEAST} to {MOST} pixels wide and high")
    drawn = draw_picture(scene, flipped, targets).replace(load_style(), resolve_style(dark), 1)
    return drawn.replace("<svg ", f'<svg width="{width}" height="{tall}" ', 1)
