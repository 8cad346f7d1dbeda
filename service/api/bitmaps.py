"""Bitmaps for a web process: drawn by another process, and remembered."""

from __future__ import annotations

import subprocess
import sys
from functools import lru_cache
from typing import Final

from service.api.context import name_client
from service.api.errors import TooManyPictures
from service.api.rate_limits import count_request
from service.boards import rasterize
from service.storage.turns import Turns

AT_A_TIME: Final = 2
"""Pictures that are drawn at once for a web process."""
MOST_ADMITTED: Final = 12
"""Pictures that are drawn or wait to be drawn for it; further ones are refused."""
MOST_FOR_ONE: Final = 4
"""The same for one client."""
REMEMBERED: Final = 128
"""Pictures that a web process remembers, each of some 100 KiB at most."""
PRICE: Final = 30
"""The requests that a picture counts as for the rate limit, unless it is remembered."""

turns: Final = Turns(AT_A_TIME, MOST_ADMITTED, MOST_FOR_ONE, TooManyPictures)


@lru_cache(maxsize=REMEMBERED)
def paint(svg: str, ground: str, whose: str) -> bytes:
    """An SVG picture as a PNG, remembered for one player; an empty `whose` stands for strangers.

    A picture drawn for one player is drawn again for others, since the time it takes would reveal
    that somebody has seen it: who infiltrates in Kerd, for example. Raises TooManyRequests for a
    client with too many pictures, and TooManyPictures if too many wait.
    """
    with turns.take(name_client()):
        count_request(PRICE - 1)
        command = [sys.executable, "-P", rasterize.__file__, ground]
        done = subprocess.run(command, input=svg.encode(), stdout=subprocess.PIPE, check=True)
    return done.stdout
