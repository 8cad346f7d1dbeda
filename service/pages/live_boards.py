"""The boards of several games on a page, as everybody may know them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from service.api.responses import NDJSON
from service.api.schemas.feed import MOST_BOARDS
from service.pages.api_client import get_text

Board = Mapping[str, Any]
"""How a game stands, in the form of the stream for boards."""


def find_boards(ids: Iterable[str]) -> dict[str, Board]:
    """How these games stand, by id; without those that cannot be read."""
    wanted = list(dict.fromkeys(ids))
    found: dict[str, Board] = {}
    for first in range(0, len(wanted), MOST_BOARDS):
        games = ",".join(wanted[first : first + MOST_BOARDS])
        for line in get_text("/boards", NDJSON, games=games).splitlines():
            board = json.loads(line)
            found[board["id"]] = board
    return found
