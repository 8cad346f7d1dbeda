"""How lists describe a game: whose turn it is, how it went, what the clocks show."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from markupsafe import Markup, escape

from service.languages.texts import gettext, mark
from service.pages.site import FIRST_STRONG, POP_ISOLATE, pages
from service.pages.words import describe_reason
from service.player.names.shown import shown_name

Game = Mapping[str, Any]

SCORES: Final = {"1-0": ("1", "0"), "0-1": ("0", "1"), "1/2-1/2": ("½", "½")}
"""What each side has scored, by the result."""
SIDES: Final = ("first", "second")
STATES: Final = {
    "offered": mark("waiting for an opponent"),
    "choosing": mark("choosing in secret"),
    "running": mark("in progress"),
    "declined": mark("declined"),
    "withdrawn": mark("withdrawn"),
    "expired": mark("expired"),
}
"""Where a game stands in words, for states that need no more detail."""


@pages.app_template_filter("result")
def write_result(result: str) -> str:
    """A game's result as people write it.

    >>> write_result("1/2-1/2"), write_result("1-0")
    ('½-½', '1-0')
    """
    return result.replace("1/2", "½")


def name_seat(game: Game, side: str) -> Markup:
    """Who plays a side, or the game's name for the side if nobody is known.

    A name may be written from right to left; the text around it keeps its order.
    """
    seat = game["players"][side]
    return Markup("<bdi>{}</bdi>").format(shown_name(seat, gettext(seat["side"])))


@pages.app_template_filter("state")
def describe_state(game: Game, reader: str | None = None) -> str:
    """Whose turn it is in a listed game, or how it ended; `reader` is the reader's id.

    >>> ada = {"id": "a" * 16, "name": "Ada", "mark": None, "side": "South"}
    >>> nobody = {"id": None, "name": None, "mark": None, "side": "North"}
    >>> game = {"players": {"first": ada, "second": nobody}, "waits_for": ["first"],
    ...         "status": "running", "result": "*", "termination": None}
    >>> print(describe_state(game), describe_state(game, "a" * 16), sep="; ")
    <bdi>Ada</bdi> to act; Your turn
    >>> print(describe_state(game | {"status": "finished", "result": "0-1", "termination": "mate"}))
    <bdi>North</bdi> won: checkmate
    >>> describe_state(game | {"status": "offered", "waits_for": []})
    'waiting for an opponent'
    """
    if game["status"] == "finished":
        return _describe_end(game)
    awaited = game["waits_for"]
    if reader is not None and is_awaited(game, reader):
        return (
            gettext("Your turn") if game["status"] == "running" else gettext("Your secret choice")
        )
    if game["status"] == "running" and awaited:
        return fill(gettext("{name} to act"), name=name_seat(game, awaited[0]))
    if game["status"] == "choosing" and awaited:
        names = [name_seat(game, side) for side in awaited]
        if len(names) == 1:
            return fill(gettext("{name} to choose in secret"), name=names[0])
        text = gettext("{first} and {second} to choose in secret")
        return fill(text, first=names[0], second=names[1])
    if game["status"] == "offered" and all(game["players"][side]["id"] for side in SIDES):
        return gettext("waiting for an answer")
    return gettext(STATES.get(game["status"], str(game["status"])))


@pages.app_template_filter("turn")
def describe_turn(game: Game, side: str, reader: str | None = None) -> str:
    """What `describe_state` says when it is this side's turn, as text for an attribute.

    >>> ada = {"id": "a" * 16, "name": "Ada & Bo", "mark": None, "side": "South"}
    >>> game = {"players": {"first": ada}, "status": "running"}
    >>> describe_turn(game, "first")
    '\u2068Ada & Bo\u2069 to act'
    """
    said = str(describe_state({**game, "waits_for": [side]}, reader))
    isolated = said.replace("<bdi>", FIRST_STRONG).replace("</bdi>", POP_ISOLATE)
    return Markup(isolated).unescape()


def _describe_end(game: Game) -> Markup:
    scores = SCORES.get(game["result"])
    if scores is None:
        said = Markup(gettext("no result"))
    elif scores[0] == scores[1]:
        said = Markup(gettext("draw"))
    else:
        said = fill(gettext("{name} won"), name=name_seat(game, SIDES[scores.index("1")]))
    if not game["termination"]:
        return said
    return Markup("{}: {}").format(said, describe_reason(game["termination"]))


def fill(text: str, **values: Markup) -> Markup:
    """A text as HTML, with its `{name}` replaced by values that are HTML.

    >>> fill("{name} & others", name=Markup("<i>Ada</i>"))
    Markup('<i>Ada</i> &amp; others')
    """
    return escape(text).format(**values)


@pages.app_template_filter("awaits")
def is_awaited(game: Game, player: str) -> bool:
    """Whether a listed game waits for this player."""
    return any(game["players"][side]["id"] == player for side in game["waits_for"])


@pages.app_template_filter("score")
def find_score(game: Game, side: str) -> str:
    """What a side has scored in a finished game; empty if nobody has scored."""
    scores = SCORES.get(game["result"]) if game["status"] == "finished" else None
    return scores[SIDES.index(side)] if scores else ""


@pages.app_template_filter("left")
def count_time_left(game: Game, side: str) -> int | None:
    """The milliseconds on a side's clock now; None for a game without clocks.

    >>> clocks = {"first_ms": 1000, "second_ms": 9000, "running": "first",
    ...           "since": "2026-01-01T00:00:00.000Z"}
    >>> [count_time_left({"clocks": clocks}, side) for side in SIDES]
    [0, 9000]
    """
    clocks = game.get("clocks")
    if clocks is None:
        return None
    left = int(clocks[f"{side}_ms"])
    if clocks["running"] != side:
        return left
    spent = datetime.now(UTC) - datetime.fromisoformat(clocks["since"])
    return max(0, left - max(0, round(1000 * spent.total_seconds())))
