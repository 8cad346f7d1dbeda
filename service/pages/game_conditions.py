"""The terms that players agree on before a game: as text, and read from forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from engine.registry import VARIANTS
from notation.errors import BadTimeControl
from notation.time_control import TIME_CONTROL, Stage, parse_time_control
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
    if tags.get(TIME_CONTROL, "?") not in ("?", ""):
        found.append(describe_time_control(tags[TIME_CONTROL]))
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
    >>> [describe_time_control(control) for control in ("300d5", "1/259200")]
    ['5 minutes a side and a delay of 5 seconds for each action', '3 days for each action']
    >>> describe_time_control("600+0+30(5)")
    '10 minutes a side, then periods of 30 seconds: 5'
    """
    if control.startswith("*") and control[1:].isdecimal():
        return f"{describe_duration(int(control[1:]))} for each action"
    try:
        parsed = parse_time_control(control)
    except BadTimeControl:
        return f"time control {control}"
    if parsed.days_a_move:
        return f"{describe_duration(parsed.stages[0].seconds)} for each action"
    return ", then ".join(map(_describe_stage, parsed.stages)) or "no limit of time"


def _describe_stage(stage: Stage) -> str:
    said = describe_duration(stage.seconds)
    said = f"{stage.moves} actions in {said}" if stage.moves else f"{said} a side"
    if stage.increment:
        said += f" and {describe_duration(stage.increment)} for each action"
    if stage.delay:
        said += f" and a delay of {describe_duration(stage.delay)} for each action"
    if stage.periods:
        said += f", then periods of {describe_duration(stage.period)}: {stage.periods}"
    return said


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


def read_time_control(form: Mapping[str, str], tags: dict[str, str]) -> dict[str, str]:
    """The time control of a form that asks the service to keep the clocks; its tag is taken out.

    Raises ApiRefused where the form names no time.
    """
    if not form.get("timed"):
        return {}
    if TIME_CONTROL not in tags:
        wrong = {"minutes": ["How many each side has on the clock."]}
        raise ApiRefused({"status": 422, "code": "invalid-request", "errors": wrong})
    return {"time_control": tags.pop(TIME_CONTROL)}


def _read_terms(form: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    given = {name: form.get(name) for name in ("minutes", "increment")}
    if any(given.values()):
        times = {name: read_number(text or "0") for name, text in given.items()}
        wrong = {name: ["A whole number."] for name, n in times.items() if isinstance(n, str)}
        if wrong or not any(times.values()):
            wrong = wrong or {"minutes": ["How many each side has."]}
            raise ApiRefused({"status": 422, "code": "invalid-request", "errors": wrong})
        yield TIME_CONTROL, f"{60 * int(times['minutes'])}+{times['increment']}"
    if limit := form.get("ply_limit"):
        yield "PlyLimit", limit
    if form.get("draw_by_points"):
        yield "DrawByPoints", "yes"
