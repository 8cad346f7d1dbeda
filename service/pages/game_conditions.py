"""The terms that players agree on before a game: as text, and read from forms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from engine.registry import VARIANTS
from service.boards.registry import find_board
from service.game.values import SECRET_CHOICE, Secrecy
from service.pages.api_client import ApiRefused
from service.pages.forms import read_number
from service.pages.site import pages

SECRECY: Final = {
    Secrecy.SEALED.value: "chosen here in secret",
    Secrecy.UNKNOWN.value: "chosen over the board, unknown here",
    Secrecy.NONE.value: "played without",
}
"""How secret choices are handled, as text; each game has a word for them."""
PERIOD: Final = re.compile(r"(?:(?P<actions>\d{1,4})/)?(?P<time>\d{1,7})(?:\+(?P<more>\d{1,6}))?")
"""One period of a time control (PGN standard, 9.6.1): actions, seconds, seconds for each action."""
UNITS: Final = ((86400, "day", "days"), (3600, "hour", "hours"), (60, "minute", "minutes"))


@pages.app_template_filter("conditions")
def describe_conditions(game: Mapping[str, Any]) -> list[str]:
    """The terms of a game, a listed game or a tournament, as phrases; an empty list for none.

    >>> tags = {"PlyLimit": "200", "TimeControl": "900+10"}
    >>> describe_conditions({"variant": "kerd", "tags": tags, "infiltrators": "none"})
    ['15 minutes a side and 10 seconds for each action', 'at most 200 actions', 'no infiltrators']
    """
    tags = game["tags"]
    found = []
    if tags.get("TimeControl", "?") not in ("?", ""):
        found.append(describe_time_control(tags["TimeControl"]))
    if "PlyLimit" in tags:
        found.append(f"at most {tags['PlyLimit']} actions")
    if tags.get("DrawByPoints") == "yes":
        found.append("a draw goes to the side with more points")
    if (secrecy := game[SECRET_CHOICE]) is not None:
        choices = find_board(game["variant"]).words["choices"]
        none = secrecy == Secrecy.NONE.value
        found.append(f"no {choices}" if none else f"{choices} {SECRECY[secrecy]}")
    # A tournament has the position as `fen`, as a new game does.
    if game.get("initial_fen") or (game.get("kind") and game.get("fen")):
        found.append("begins in a set-up position")
    return found


@pages.app_context_processor
def describe_secret_choices() -> dict[str, Any]:
    """What forms ask about secret choices: their field, what the games call them, the answers.

    `secret_choices` has the variants by the word that they have for their choices.
    """
    named: dict[str, list[str]] = {}
    for variant in VARIANTS.values():
        if variant.secret_choice:
            named.setdefault(find_board(variant.name).words["choices"], []).append(variant.name)
    return {"secret_field": SECRET_CHOICE, "secret_choices": named, "secrecy": SECRECY}


def describe_time_control(control: str) -> str:
    """A time control as text, or unchanged if it is not a common one.

    >>> [describe_time_control(control) for control in ("40/7200:3600", "-", "by agreement")]
    ['40 actions in 2 hours, then 1 hour a side', 'no limit of time', 'time control by agreement']
    """
    if control == "-":
        return "no limit of time"
    if control.startswith("*") and control[1:].isdecimal():
        return f"{describe_duration(int(control[1:]))} for each action"
    periods = [PERIOD.fullmatch(part) for part in control.split(":")]
    if not all(periods):
        return f"time control {control}"
    return ", then ".join(_describe_period(**period.groupdict()) for period in periods if period)


def _describe_period(actions: str | None, time: str, more: str | None) -> str:
    said = describe_duration(int(time))
    said = f"{actions} actions in {said}" if actions else f"{said} a side"
    return (
        f"{said} and {describe_duration(int(more))} for each action" if more and int(more) else said
    )


def describe_duration(seconds: int) -> str:
    """A number of seconds as text.

    >>> describe_duration(5400), describe_duration(61), describe_duration(0)
    ('1 hour 30 minutes', '1 minute 1 second', '0 seconds')
    """
    parts = []
    for size, one, several in UNITS:
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {one if count == 1 else several}")
    if seconds or not parts:
        parts.append(f"{seconds} {'second' if seconds == 1 else 'seconds'}")
    return " ".join(parts)


def read_conditions(form: Mapping[str, str]) -> dict[str, str]:
    """The tags for the terms of a form; raises Refused for a bad time."""
    return dict(_read_terms({name: value.strip() for name, value in form.items()}))


def _read_terms(form: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    given = {name: form.get(name) for name in ("minutes", "increment")}
    if any(given.values()):
        times = {name: read_number(text or "0") for name, text in given.items()}
        wrong = {name: ["A whole number."] for name, n in times.items() if isinstance(n, str)}
        if wrong or not any(times.values()):
            wrong = wrong or {"minutes": ["How many each side has."]}
            raise ApiRefused({"status": 422, "code": "invalid-request", "errors": wrong})
        yield "TimeControl", f"{60 * int(times['minutes'])}+{times['increment']}"
    if limit := form.get("ply_limit"):
        yield "PlyLimit", limit
    if form.get("draw_by_points"):
        yield "DrawByPoints", "yes"
