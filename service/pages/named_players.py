"""Players named in forms as pages show them, with the mark that distinguishes namesakes."""

from __future__ import annotations

from typing import Final

from service.pages.api_client import ApiRefused, get
from service.player.names.name_policy import MARK

NAMED: Final = ("player", "opponent")
"""The fields of forms that name players."""
LOOKED_AT: Final = 200
"""The most players with one name among whom the mark is looked for."""


def find_by_mark(shown: str) -> str:
    """The id of the player denoted by `Ann Lee #K7QF`; any other text is returned unchanged."""
    name, mark, code = (part.strip() for part in shown.rpartition(MARK))
    if not (name and mark and code):
        return shown
    try:
        found = get("/players", name=name, limit=LOOKED_AT)["items"]
    except ApiRefused:
        return shown
    ids = [one["id"] for one in found if one["mark"] is not None and one["mark"] == code.upper()]
    return str(ids[0]) if len(ids) == 1 else shown
