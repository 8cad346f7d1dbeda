"""How pages word the API's problems for people: without headers, schemas or field names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from service.pages.site import flatten_errors, pages

TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "missing-token": (
        "You are not signed in",
        "Sign in to continue. If you were signed in, your session has ended.",
    ),
    "bad-token": (
        "This token is not valid",
        "It was revoked, has expired or was mistyped. Sign in in another way; if you have lost"
        " every way to sign in, ask an admin for a link.",
    ),
    "sign-in-refused": (
        "You could not be signed in",
        "The name and the password do not belong together. Check both; the password tells capital"
        " and small letters apart.",
    ),
    "log-unavailable": (
        "The service cannot be reached just now",
        "Please try again in a few seconds. What you sent may have arrived or not: check"
        " before you send it again.",
    ),
    "overtaken-by-others": (
        "Too many people were changing this",
        "Nothing was changed by what you sent. Please try again in a few seconds.",
    ),
    "bad-address": ("This is no e-mail address", "Write it as in ada@club.example."),
    "not-all-entered": (
        "Not everybody could be entered",
        "The others have been entered. Check these:",
    ),
    "invalid-request": ("Some fields are not valid", "Please correct the fields named here."),
}
"""Title and text by problem code, for problems whose own texts address programs."""
SIGNING_IN: Final = (
    "missing-token",
    "bad-token",
    "stale-session",
    "lesser-session",
    "anothers-link",
)
"""Codes of the problems that signing in solves."""
NAMING: Final = ("bad-value", "computer-is-casual", "contradictory-terms")
"""Codes of the problems that name the field that is wrong."""
FIELDS: Final = {
    "name": "Name",
    "address": "Address",
    "events": "Tell me when",
    "players.first.name": "First side's name",
    "players.second.name": "Second side's name",
    "opponent": "Opponent's id",
    "opponent_name": "Opponent's name",
    "minutes": "Minutes for each side",
    "increment": "Seconds added for each action",
    "days": "Days for each action",
    "rated": "For ratings",
    "no_show_minutes": "Minutes after which a player who has not come loses",
    "fen": "First position",
    "rounds": "Rounds",
    "starts_on": "First day",
    "ends_on": "Last day",
    "cycles": "Cycles",
}
"""The labels of fields in the forms, by the field's path in the API."""


@pages.app_template_filter("plain")
def describe_problem(problem: Mapping[str, Any]) -> dict[str, Any]:
    """A problem as pages show it: `title`, `detail`, `errors`, `signs_in`.

    >>> problem = {"code": "missing-token", "title": "A token is needed", "detail": "send it"}
    >>> describe_problem(problem)["title"]
    'You are not signed in'
    """
    code = problem.get("code", "")
    title, detail = TEXTS.get(
        code, (problem.get("title") or "Something went wrong", problem.get("detail", ""))
    )
    if code in NAMING and (field := problem.get("field")) in FIELDS:
        title, detail = "A field is not valid", detail.replace(f"{field}:", f"{FIELDS[field]}:", 1)
    errors = list(_list_errors(problem.get("errors") or {}))
    return {
        "title": title,
        "detail": detail,
        "errors": errors,
        "signs_in": code in SIGNING_IN,
    }


def _list_errors(errors: object) -> Iterator[tuple[str, str]]:
    for field, said in flatten_errors(errors):
        yield FIELDS.get(field, field), said
