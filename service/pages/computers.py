"""The computer's levels on pages: which exist, and which one was last chosen in a browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from flask import request
from werkzeug.wrappers import Response

from service.computer.levels import PLAYER_OF
from service.pages.api_client import get
from service.pages.site import pages

COOKIE: Final = "movelog_level"
"""The cookie with the name of the computer's player that was last chosen."""
YEAR: Final = 365 * 24 * 3600
USUAL: Final = "computer-2"
"""The player of the default level."""


@pages.app_template_global()
def choose_level(usual: str = USUAL) -> str:
    """The name of the computer's player that the reader chose last, else the usual one."""
    kept = request.cookies.get(COOKIE, "")
    return kept if kept in PLAYER_OF else usual


def list_levels() -> Sequence[Mapping[str, Any]]:
    """The computer's players with their levels, weakest first."""
    found: Sequence[Mapping[str, Any]] = get("/computers")["items"]
    return found


def remember_level(answer: Response) -> None:
    """Store the level in the form that was sent, if it names one, in a cookie."""
    name = request.form.get("computer", "")
    if name in PLAYER_OF:
        answer.set_cookie(
            COOKIE, name, max_age=YEAR, secure=request.is_secure, httponly=True, samesite="Lax"
        )
