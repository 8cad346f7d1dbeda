"""The terms that players agree on before a game: as text, and read from forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from typing import Any, Final

from engine.registry import VARIANTS
from notation.errors import BadTimeControl
from notation.time_control import TIME_CONTROL, Stage, parse_time_control
from service.boards.registry import find_board
from service.game.terms import DRAW_BY_POINTS, PLY_LIMIT, Visibility
from service.game.values import SECRET_CHOICE, Mode, Secrecy
from service.languages.texts import gettext, mark, ngettext
from service.pages.api_client import ApiRefused
from service.pages.forms import read_number
from service.pages.site import format_date, pages

SECRECY: Final = {
    Secrecy.SEALED.value: mark("chosen here in secret"),
    Secrecy.UNKNOWN.value: mark("chosen over the board, unknown here"),
    Secrecy.NONE.value: mark("played without"),
}
"""How secret choices are handled, as text; each game has its own word for them."""
UNRATED: Final = frozenset({Mode.SCRIBE.value, Mode.IMPORT.value})
"""The modes of games that nobody expects to be rated."""
EXPIRIES: Final = {3600: mark("an hour"), 86400: mark("a day"), 604800: mark("a week")}
"""The numbers of seconds for which a challenge can stand, as offered in forms."""
RATED: Final = {"yes": True, "no": False}
DAY: Final = 86400
HOUR: Final = 3600
MINUTE: Final = 60
UNITS: Final = (DAY, HOUR, MINUTE, 1)
"""The seconds of a day, an hour, a minute and a second."""


@pages.app_template_filter("conditions")
def describe_conditions(game: Mapping[str, Any]) -> list[str]:
    """The terms of a game, a listed game or a tournament, as phrases; an empty list for none.

    >>> terms = {"time_control": "900+10", "ply_limit": 200, "draw_by_points": False, "rated": True}
    >>> terms |= {"infiltrators": "none", "set_up": False}
    >>> game = {"variant": "kerd", "mode": "challenge", "status": "running", "terms": terms}
    >>> describe_conditions(game)[1:]
    ['at most 200 actions', 'no infiltrators']
    >>> terms |= {"rated": False, "infiltrators": None, "ply_limit": None}
    >>> describe_conditions(game)
    ['15 minutes a side and 10 seconds per move', 'casual (not rated)']
    """
    terms = game["terms"]
    found = []
    if terms["time_control"] is not None:
        found.append(describe_time_control(terms["time_control"]))
    if terms["ply_limit"] is not None:
        limit = terms["ply_limit"]
        found.append(ngettext("at most %(num)s action", "at most %(num)s actions", limit))
    if terms["draw_by_points"]:
        found.append(gettext("a draw goes to the side with more points"))
    if (secrecy := terms[SECRET_CHOICE]) is not None:
        choices = find_board(game["variant"]).words["choices"]
        none = secrecy == Secrecy.NONE.value
        named = gettext(choices)
        without = gettext("no %(choices)s", choices=named)
        found.append(without if none else f"{named} {gettext(SECRECY[secrecy])}")
    if terms["set_up"]:
        found.append(gettext("begins in a set-up position"))
    offered = game["status"] == "offered"
    if offered and not found:
        found.append(gettext("standard rules, no time limit"))
    return [*found, *_describe_agreement(game, offered)]


def _describe_agreement(game: Mapping[str, Any], offered: bool) -> Iterator[str]:
    """What the players agree on besides the rules; the usual terms only before the beginning."""
    terms = game["terms"]
    if terms["rated"] and (offered or "kind" in game):
        yield gettext("rated")
    if not terms["rated"] and game.get("mode") not in UNRATED:
        yield gettext("casual (not rated)")
    if terms.get("no_show_minutes") is not None:
        minutes = describe_duration(int(60 * terms["no_show_minutes"]))
        yield gettext(
            "a player who does not appear within %(time)s of their first turn forfeits",
            time=minutes,
        )
    if offered and terms.get("visibility") == Visibility.PRIVATE:
        yield gettext("private: seen only by its players and anyone who has this address")
    if offered and terms["expires_at"] is not None:
        day, time = format_date(terms["expires_at"]), terms["expires_at"][11:16]
        yield gettext("expires on %(day)s at %(time)s UTC", day=day, time=time)


@pages.app_context_processor
def describe_secret_choices() -> dict[str, Any]:
    """What forms ask about secret choices: their field, the games' words for them, the answers.

    `secret_choices` has the variants by their word for such choices.
    """
    named: dict[str, list[str]] = {}
    for variant in VARIANTS.values():
        if variant.secret_choice:
            named.setdefault(find_board(variant.name).words["choices"], []).append(variant.name)
    shown = {"secret_field": SECRET_CHOICE, "secret_choices": named, "secrecy": SECRECY}
    return shown | {"expiries": EXPIRIES}


def describe_time_control(control: str) -> str:
    """A time control as text, or unchanged if it is not a common one.

    >>> [describe_time_control(control) for control in ("40/7200:3600", "-", "by agreement")]
    ['40 moves in 2 hours, then 1 hour a side', 'no time limit', 'time control by agreement']
    >>> [describe_time_control(control) for control in ("300d5", "1/259200")]
    ['5 minutes a side and a delay of 5 seconds per move', '3 days per move']
    >>> describe_time_control("600+0+30(5)")
    '10 minutes a side, then periods of 30 seconds: 5'
    """
    if control.startswith("*") and control[1:].isdecimal():
        return gettext("%(time)s per move", time=describe_duration(int(control[1:])))
    try:
        parsed = parse_time_control(control)
    except BadTimeControl:
        return gettext("time control %(control)s", control=control)
    if parsed.days_a_move:
        return gettext("%(time)s per move", time=describe_duration(parsed.stages[0].seconds))
    stages = [_describe_stage(stage) for stage in parsed.stages]
    if not stages:
        return gettext("no time limit")
    return reduce(lambda one, next: gettext("%(one)s, then %(next)s", one=one, next=next), stages)


def _describe_stage(stage: Stage) -> str:
    said = describe_duration(stage.seconds)
    if stage.moves:
        said = gettext("%(count)s moves in %(time)s", count=stage.moves, time=said)
    else:
        said = gettext("%(time)s a side", time=said)
    if stage.increment:
        time = describe_duration(stage.increment)
        said = gettext("%(before)s and %(time)s per move", before=said, time=time)
    if stage.delay:
        time = describe_duration(stage.delay)
        said = gettext("%(before)s and a delay of %(time)s per move", before=said, time=time)
    if stage.periods:
        text = gettext("%(before)s, then periods of %(time)s: %(count)s")
        time = describe_duration(stage.period)
        said = text % {"before": said, "time": time, "count": stage.periods}
    return said


def describe_duration(seconds: int) -> str:
    """A number of seconds as text.

    >>> describe_duration(5400), describe_duration(61), describe_duration(0)
    ('1 hour 30 minutes', '1 minute 1 second', '0 seconds')
    """
    parts = []
    for size in UNITS:
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(count_units(size, count))
    return " ".join(parts or [count_units(1, 0)])


def count_units(size: int, count: int) -> str:
    """The text for `count` days, hours, minutes or seconds; `size` is the unit in seconds."""
    if size == DAY:
        return ngettext("%(num)s day", "%(num)s days", count)
    if size == HOUR:
        return ngettext("%(num)s hour", "%(num)s hours", count)
    if size == MINUTE:
        return ngettext("%(num)s minute", "%(num)s minutes", count)
    return ngettext("%(num)s second", "%(num)s seconds", count)


def read_conditions(form: Mapping[str, str]) -> dict[str, str]:
    """The tags for the terms in a form; raises ApiRefused for a bad time."""
    return dict(_read_terms({name: value.strip() for name, value in form.items()}))


def read_time_control(form: Mapping[str, str], tags: dict[str, str]) -> dict[str, str]:
    """The time control in a form that asks the service to keep the clocks; removes its tag.

    Raises ApiRefused if the form names no time.
    """
    if not form.get("timed"):
        return {}
    if TIME_CONTROL not in tags:
        wrong = {"minutes": [gettext("Enter how many minutes each side has on the clock.")]}
        raise ApiRefused({"status": 422, "code": "invalid-request", "errors": wrong})
    return {"time_control": tags.pop(TIME_CONTROL)}


def list_time_fields(control: str) -> dict[str, str]:
    """The fields of a form by which the service keeps the clocks of a time control.

    There are none for a control that these fields cannot express.

    >>> list_time_fields("300+3"), list_time_fields("1/172800"), list_time_fields("300d5")
    ({'timed': 'yes', 'minutes': '5', 'increment': '3'}, {'timed': 'yes', 'days': '2'}, {})
    """
    try:
        parsed = parse_time_control(control)
    except BadTimeControl:
        return {}
    match parsed.stages:
        case [Stage(seconds=seconds)] if parsed.days_a_move and seconds % DAY == 0:
            return {"timed": "yes", "days": str(seconds // DAY)}
        case [Stage(None, seconds, increment, delay=0, periods=0)] if seconds % MINUTE == 0:
            minutes = str(seconds // MINUTE)
            return {"timed": "yes", "minutes": minutes, "increment": str(increment)}
    return {}


def read_terms(form: Mapping[str, str]) -> dict[str, Any]:
    """The terms in a form that are not tags: whether rated, who can see it, for how long."""
    body: dict[str, Any] = {}
    if form.get("rated") in RATED:
        body["rated"] = RATED[form["rated"]]
    if form.get("private"):
        body["visibility"] = Visibility.PRIVATE.value
    for name in ("expires_in_seconds", "no_show_minutes"):
        if form.get(name):
            body[name] = read_number(form[name])
    return body


def _read_terms(form: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if form.get("days"):
        days = read_number(form["days"])
        if isinstance(days, str) or not days or form.get("minutes") or form.get("increment"):
            wrong = {
                "days": [gettext("Enter a whole number, and leave minutes and seconds empty.")]
            }
            raise ApiRefused({"status": 422, "code": "invalid-request", "errors": wrong})
        yield TIME_CONTROL, f"1/{days * DAY}"
    given = {name: form.get(name) for name in ("minutes", "increment")}
    if any(given.values()):
        times = {name: read_number(text or "0") for name, text in given.items()}
        wrong = {
            name: [gettext("A whole number.")] for name, n in times.items() if isinstance(n, str)
        }
        if wrong or not any(times.values()):
            wrong = wrong or {"minutes": [gettext("Enter how many minutes each side has.")]}
            raise ApiRefused({"status": 422, "code": "invalid-request", "errors": wrong})
        yield TIME_CONTROL, f"{60 * int(times['minutes'])}+{times['increment']}"
    if limit := form.get("ply_limit"):
        yield PLY_LIMIT, limit
    if form.get("draw_by_points"):
        yield DRAW_BY_POINTS, "yes"
