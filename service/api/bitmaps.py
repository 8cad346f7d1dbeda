"""Pictures in pixels as the web process has them: drawn by another process, and remembered."""

from __future__ import annotations

import subprocess
import sys
from functools import lru_cache
from threading import BoundedSemaphore
from typing import Final

from service.api.context import get_web
from service.boards import rasterize

AT_A_TIME: Final = 2
"""Pictures that a web process has drawn at once; others wait."""
REMEMBERED: Final = 128
"""Pictures that a web process does not have drawn again, of some 100 KiB each at most."""
PRICE: Final = 30
"""Requests that a picture counts for with the rate limit, unless it is remembered."""

_turns: Final = BoundedSemaphore(AT_A_TIME)


@lru_cache(maxsize=REMEMBERED)
def paint(svg: str, ground: str) -> bytes:
    """An SVG picture as a PNG; raises TooManyRequests for a client that has had too many drawn."""
    limit = get_web().rate_limit
    if limit is not None:
        for _ in range(PRICE - 1):
            limit.count()
    command = [sys.executable, "-P", rasterize.__file__, ground]
    with _turns:
        done = subprocess.run(command, input=svg.encode(), stdout=subprocess.PIPE, check=True)
    return done.stdout
