"""The search field of every page: players and games by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from flask import render_template, request

from service.pages.api_client import ApiRefused, get
from service.pages.named_players import find_by_mark
from service.pages.site import pages

AGAINST: Final = re.compile(r"\s+(?:-|–|—|vs?\.?|against)\s+", re.IGNORECASE)
"""Matches what separates two players' names."""
LONGEST: Final = 200
"""The most characters of a name to search for."""
PLAYERS: Final = 20
"""The most players on the page."""
GAMES: Final = 20
"""The most games in each list on the page."""

Page = Mapping[str, Any]
NOTHING: Final[Page] = {"items": [], "next_cursor": None}


@pages.get("/search")
def show_found() -> str:
    """Players whose names have the text, their games, and games of the event of this name."""
    text = request.args.get("q", "").strip()[:LONGEST]
    names = AGAINST.split(text, maxsplit=1)
    alone = len(names) == 1
    sought = dict(zip(("player", "opponent"), map(find_by_mark, names), strict=False))
    return render_template(
        "found.html",
        text=text,
        sought=sought,
        players=_find("/players", name=text, limit=PLAYERS) if text and alone else NOTHING,
        games=_find("/search", **sought, sort="updated", limit=GAMES) if text else NOTHING,
        events=_find("/search", event=text, limit=GAMES) if text else NOTHING,
    )


def _find(path: str, **query: str | int) -> Page:
    """A page of a list; an empty one if the API cannot search for this."""
    try:
        found: Page = get(path, **query)
    except ApiRefused as refused:
        if refused.problem["status"] not in (400, 422):
            raise
        return NOTHING
    return found
