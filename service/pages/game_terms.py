"""What players agree on before a game, in words and in forms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from service.game.values import Secrecy
from service.pages.api_client import Refused
from service.pages.forms import number
from service.pages.site import pages

INFILTRATORS: Final = {
    Secrecy.SEALED.value: "infiltrators chosen here in secret",
    Secrecy.UNKNOWN.value: "infiltrators chosen over the board, unknown here",
    Secrecy.NONE.value: "no infiltrators",
}
"""How secret choices are dealt with, in words."""
PERIOD: Final = re.compile(r"(?:(?P<actions>\d{1,4})/)?(?P<time>\d{1,7})(?:\+(?P<more>\d{1,6}))?")
"""One period of a time control (PGN standard, 9.6.1): actions, seconds, seconds for each action."""
UNITS: Final = ((86400, "day", "days"), (3600, "hour", "hours"), (60, "minute", "minutes"))


@pages.app_template_filter("terms")
def terms(game: Mapping[str, Any]) -> list[str]:
    """The terms of a game, of one in a list or of a tournament, in words; none are none.

    >>> terms({"tags": {"PlyLimit": "200", "TimeControl": "900+10"}, "infiltrators": "none"})
    ['15 minutes a side and 10 seconds for each action', 'at most 200 actions', 'no infiltrators']
    """
    tags = game["tags"]
    found = []
    if tags.get("TimeControl", "?") not in ("?", ""):
        found.append(time_in_words(tags["TimeControl"]))
    if "PlyLimit" in tags:
        found.append(f"at most {tags['PlyLimit']} actions")
    if tags.get("DrawByPoints") == "yes":
        found.append("a draw goes to the side with more points")
    if game["infiltrators"] is not None:
        found.append(INFILTRATORS[game["infiltrators"]])
    # A tournament has it under the name that new games have it.
    if game.get("initial_fen") or (game.get("kind") and game.get("fen")):
        found.append("begins in a set-up position")
    return found


def time_in_words(control: str) -> str:
    """A time control in words, or as it is written where it is none of the usual.

    >>> time_in_words("40/7200:3600"), time_in_words("-"), time_in_words("by agreement")
    ('40 actions in 2 hours, then 1 hour a side', 'no limit of time', 'time control by agreement')
    """
    if control == "-":
        return "no limit of time"
    if control.startswith("*") and control[1:].isdecimal():
        return f"{duration(int(control[1:]))} for each action"
    periods = [PERIOD.fullmatch(part) for part in control.split(":")]
    if not all(periods):
        return f"time control {control}"
    return ", then ".join(_period(**period.groupdict()) for period in periods if period)


def _period(actions: str | None, time: str, more: str | None) -> str:
    said = duration(int(time))
    said = f"{actions} actions in {said}" if actions else f"{said} a side"
    return f"{said} and {duration(int(more))} for each action" if more and int(more) else said


def duration(seconds: int) -> str:
    """A time in words.

    >>> duration(5400), duration(61), duration(0)
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


def agreed(form: Mapping[str, str]) -> dict[str, str]:
    """The tags of the terms that a form asks for; raises Refused for a time that is none."""
    return dict(_agreed({name: value.strip() for name, value in form.items()}))


def _agreed(form: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    given = {name: form.get(name) for name in ("minutes", "increment")}
    if any(given.values()):
        times = {name: number(text or "0") for name, text in given.items()}
        wrong = {name: ["A whole number."] for name, n in times.items() if isinstance(n, str)}
        if wrong or not any(times.values()):
            wrong = wrong or {"minutes": ["How many each side has."]}
            raise Refused({"status": 422, "code": "invalid-request", "errors": wrong})
        yield "TimeControl", f"{60 * int(times['minutes'])}+{times['increment']}"
    if limit := form.get("ply_limit"):
        yield "PlyLimit", limit
    if form.get("draw_by_points"):
        yield "DrawByPoints", "yes"
