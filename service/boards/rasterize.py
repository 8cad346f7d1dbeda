"""Turns an SVG picture into a PNG; run as a program, it converts its input to its output.

resvg holds Python's lock while it draws, a fifth of a second for a large board. So a process that
has other things to do runs it in a separate program.
"""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path
from typing import Final

import resvg_py

FONT: Final = "DejaVu Sans"
FONT_FILE: Final = Path(__file__).with_name("fonts") / "DejaVuSans.ttf"
MOST_SECONDS: Final = 20
"""Seconds of processor time that a picture may take."""


def rasterize(svg: str, ground: str) -> bytes:
    """An SVG picture as a PNG on a background of this colour, without the system's fonts."""
    return resvg_py.svg_to_bytes(
        svg_string=svg,
        background=ground,
        skip_system_fonts=True,
        font_files=[str(FONT_FILE)],
        font_family=FONT,
        sans_serif_family=FONT,
    )


def main() -> None:
    """Draw the input on the background that the first argument names, at a low priority."""
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    sys.stdout.buffer.write(rasterize(sys.stdin.buffer.read().decode(), sys.argv[1]))


if __name__ == "__main__":
    main()
