"""What the API refuses, in words for people: no headers, no schemas, no names of fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from service.pages.site import flat, pages

WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "missing-token": (
        "You are not signed in",
        "Sign in to go on. If you were signed in, your token has been revoked or has expired.",
    ),
    "bad-token": (
        "This token is not good",
        "It has been revoked, has expired or was mistyped. Sign in with another one; if you have"
        " none left, ask an admin for a new one.",
    ),
    "invalid-request": ("That cannot be", "Please mend what is named here."),
}
"""Title and text by the problem's code, where the API's own are for programs."""
SIGNING_IN: Final = ("missing-token", "bad-token")
"""Problems after which one signs in."""
FIELDS: Final = {
    "name": "Name",
    "players.first.name": "First side's name",
    "players.second.name": "Second side's name",
    "opponent": "Opponent's id",
    "minutes": "Minutes for each side",
    "increment": "Seconds more for each action",
    "fen": "First position",
    "rounds": "Rounds",
    "cycles": "Cycles",
}
"""Fields as the forms call them."""


@pages.app_template_filter("plain")
def plain(problem: Mapping[str, Any]) -> dict[str, Any]:
    """A problem as a page tells it: `title`, `detail`, `errors`, `signs_in`.

    >>> plain({"code": "missing-token", "title": "A token is needed", "detail": "send it"})["title"]
    'You are not signed in'
    """
    code = problem.get("code", "")
    title, detail = WORDS.get(
        code, (problem.get("title") or "That did not work", problem.get("detail", ""))
    )
    errors = list(_errors(problem.get("errors") or {}))
    return {
        "title": title,
        "detail": detail,
        "errors": errors,
        "signs_in": code in SIGNING_IN,
    }


def _errors(errors: object) -> Iterator[tuple[str, str]]:
    for field, said in flat(errors):
        yield FIELDS.get(field, field), said
