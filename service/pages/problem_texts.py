"""How pages describe the API's problems to people: without headers, schemas or field names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from service.languages.texts import gettext, mark
from service.pages.site import flatten_errors, pages

TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "missing-token": (
        mark("You are not signed in"),
        mark("Sign in to continue. If you were signed in, your session has ended."),
    ),
    "bad-token": (
        mark("This token is not valid"),
        mark(
            "It was revoked, has expired or was mistyped. Sign in another way; if you have lost"
            " every way to sign in, ask an admin for a link."
        ),
    ),
    "sign-in-refused": (
        mark("You could not be signed in"),
        mark("The name and the password do not match. Check both; the password is case-sensitive."),
    ),
    "log-unavailable": (
        mark("The service cannot be reached just now"),
        mark(
            "Please try again in a few seconds. What you sent may or may not have arrived: check"
            " before you send it again."
        ),
    ),
    "too-few-replicas": (
        mark("The service cannot keep this safely just now"),
        mark(
            "Please try again in a few seconds. What you sent has probably arrived: check before"
            " you send it again."
        ),
    ),
    "overtaken-by-others": (
        mark("Too many people were changing this"),
        mark("Your request changed nothing. Please try again in a few seconds."),
    ),
    "bad-address": (
        mark("This is not an e-mail address"),
        mark("It should look like ada@club.example."),
    ),
    "not-all-entered": (
        mark("Not everybody could be entered"),
        mark("The others have been entered. Check these:"),
    ),
    "invalid-request": (
        mark("Some fields are not valid"),
        mark("Please correct the fields named here."),
    ),
    "wrong-version": ("", mark("Look at what has changed, then try again.")),
}
"""Title and text by problem code, for problems whose own texts address programs.

An empty title leaves the problem's own.
"""
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
    "name": mark("Name"),
    "address": mark("Address"),
    "events": mark("Tell me when"),
    "players.first.name": mark("First side's name"),
    "players.second.name": mark("Second side's name"),
    "opponent": mark("Opponent's id"),
    "opponent_name": mark("Opponent's name"),
    "minutes": mark("Minutes for each side"),
    "increment": mark("Seconds added per move"),
    "days": mark("Days per move"),
    "rated": mark("For ratings"),
    "no_show_minutes": mark("Minutes after which an absent player forfeits"),
    "fen": mark("First position"),
    "rounds": mark("Rounds"),
    "starts_on": mark("First day"),
    "ends_on": mark("Last day"),
    "cycles": mark("Cycles"),
}
"""The labels of fields in the forms, by the field's path in the API."""


@pages.app_template_filter("plain")
def describe_problem(problem: Mapping[str, Any]) -> dict[str, Any]:
    """A problem as shown on pages: `title`, `detail`, `errors`, `signs_in`.

    >>> problem = {"code": "missing-token", "title": "A token is needed", "detail": "send it"}
    >>> describe_problem(problem)["title"]
    'You are not signed in'
    """
    code = problem.get("code", "")
    own = problem.get("title") or mark("Something went wrong"), problem.get("detail", "")
    title, detail = TEXTS.get(code, own)
    title, detail = say_text(title or own[0]), say_text(detail)
    if code in NAMING and (field := problem.get("field")) in FIELDS:
        said = f"{gettext(FIELDS[field])}:"
        title, detail = gettext("A field is not valid"), detail.replace(f"{field}:", said, 1)
    if nearest := problem.get("nearest"):
        # The page itself lists them for selection.
        hint = gettext("; nearest: {actions}").format(actions=", ".join(nearest))
        detail = detail.removesuffix(hint)
    errors = list(_list_errors(problem.get("errors") or {}))
    return {
        "title": title,
        "detail": detail,
        "errors": errors,
        "signs_in": code in SIGNING_IN,
    }


@pages.app_template_filter("opening_sentence")
def begin_sentence(detail: str) -> str:
    """A text with an initial capital, unless it begins with an action, a cell or a field.

    >>> begin_sentence("this link has expired"), begin_sentence("a4 is empty")
    ('This link has expired', 'a4 is empty')
    """
    first = detail.partition(" ")[0]
    return detail[:1].upper() + detail[1:] if first.isalpha() else detail


def _list_errors(errors: object) -> Iterator[tuple[str, str]]:
    for field, said in flatten_errors(errors):
        yield say_text(FIELDS.get(field, field)), say_text(said)


def say_text(text: str) -> str:
    """A text of a problem in the reader's language; one that is in no catalogue is unchanged."""
    return gettext(text) if text else text
