"""Puzzles: today's, those of a game and a theme, one to solve, and the reader's own attempts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from flask import redirect, render_template, request
from werkzeug.wrappers import Response

from service.boards.scene import make_scene
from service.languages.formats import format_number
from service.languages.texts import gettext, mark
from service.pages import api_client, session
from service.pages.api_client import ApiRefused, get, get_reader
from service.pages.board_view import BoardView
from service.pages.piece_pictures import load_drawings
from service.pages.signing_in import sign_in_path
from service.pages.site import pages

NAMES: Final[Mapping[str, str]] = {
    "mate": mark("Mate"),
    "king-capture": mark("Capture of the King"),
    "castle-capture": mark("Capture of the Castle"),
    "yara": "Yara",
    "yemubus": "Yemubus",
    "clock-claim": mark("Kyan-A-Alka and Alka"),
    "execution": mark("Execution"),
    "reveal": mark("Reveal"),
    "fork": mark("Fork"),
    "trap": mark("Trap"),
    "region-trap": mark("Trapped by the region"),
    "sacrifice": mark("Sacrifice"),
    "promotion": mark("Promotion"),
    "quiet": mark("Quiet action"),
    "advantage": mark("Advantage"),
    "win-at-once": mark("Win at once"),
    "short": mark("Short"),
    "long": mark("Long"),
}
"""The names of the themes on pages."""
MINUS: Final = "\u2212"
SHOWN: Final = 50
"""The number of attempts on a page."""


@pages.app_template_filter("theme")
def name_theme(theme: str) -> str:
    """The name of a theme; empty for an unknown one."""
    return gettext(NAMES[theme]) if theme in NAMES else ""


@pages.app_template_filter("change")
def describe_change(change: Mapping[str, float]) -> str:
    """By how much a rating has changed, as the difference of the rounded values.

    >>> describe_change({"before": 1500.0, "after": 1507.4})
    '+7'
    >>> describe_change({"before": 1500.4, "after": 1480.6})
    '\u221219'
    """
    points = round(change["after"]) - round(change["before"])
    sign = MINUS if points < 0 else "+"
    return f"{sign}{format_number(abs(points))}"


@pages.app_template_filter("attempted")
def describe_attempt(attempt: Mapping[str, Any]) -> str:
    """How the reader's first attempt at a puzzle went, with the change of the rating."""
    how = (
        gettext("Solved at the first attempt.")
        if attempt["solved"]
        else gettext("Not solved at the first attempt.")
    )
    if attempt["rating"] is None:
        return how
    rating = gettext(
        "Your puzzle rating: %(rating)s (%(change)s).",
        rating=format_number(round(attempt["rating"]["after"])),
        change=describe_change(attempt["rating"]),
    )
    return f"{how} {rating}"


@pages.get("/puzzles")
def list_puzzles() -> str:
    """Show today's puzzles, the themes of each game's, and what the reader is rated."""
    counted = defaultdict(list)
    for one in get("/puzzles/themes")["items"]:
        counted[one["variant"]].append((one["theme"], one["puzzles"]))
    games = [
        (variant, get("/puzzles/daily", variant=variant), themes)
        for variant, themes in counted.items()
    ]
    who = get_reader()
    ratings = {} if who is None else get(f"/players/{who['id']}/puzzle-ratings")["ratings"]
    return render_template("puzzles.html", games=games, ratings=ratings)


@pages.get("/puzzles/attempts")
def list_attempts() -> str | Response:
    """The reader's own attempts, newest first; strangers are led to the sign-in."""
    who = get_reader()
    if who is None:
        return redirect(sign_in_path())
    path = f"/players/{who['id']}/puzzle-attempts"
    found = get(path, cursor=request.args.get("cursor"), limit=SHOWN)
    ratings = get(f"/players/{who['id']}/puzzle-ratings")["ratings"]
    return render_template("puzzle_attempts.html", found=found, ratings=ratings)


@pages.get("/puzzles/next")
def go_to_next() -> Response:
    """Lead to another puzzle, of the same game and theme as those before."""
    asked = read_filter(request.args)
    found = get("/puzzles/next", after=request.args.get("after") or None, **asked)
    return redirect(find_address(found["id"], asked))


@pages.get("/puzzles/<puzzle>")
def show_puzzle(puzzle: str) -> str:
    """A puzzle from its beginning."""
    return render_puzzle(puzzle, get(f"/puzzles/{puzzle}/position"), read_filter(request.args))


@pages.post("/puzzles/<puzzle>")
def try_puzzle(puzzle: str) -> tuple[str, int]:
    """A puzzle after the actions `played` and another one, `action`, or with the `help` asked for.

    Sent again it is the same: what is over is recorded once.
    """
    session.check_csrf(request.form.get(session.FIELD))
    played = request.form.get("played", "").split()
    action = request.form.get("action", "").split()
    help = request.form.get("help")
    tried, problem = try_actions(puzzle, played, action, help)
    solution = None
    if help == "solution":
        solution = get(f"/puzzles/{puzzle}/solution")
        own = [one["action"] for one in solution["line"] if one["side"] == solution["side"]]
        tried, _ = try_actions(puzzle, own, [], None)
    page = render_puzzle(puzzle, tried, read_filter(request.form), problem, solution, help)
    return page, 422 if problem else 200


@pages.post("/puzzles/<puzzle>/withdrawal")
def withdraw_puzzle(puzzle: str) -> Response:
    """Withdraw a puzzle, for an admin, and lead to the others."""
    session.check_csrf(request.form.get(session.FIELD))
    reason = {"reason": request.form.get("reason", "")}
    api_client.ask("PUT", f"/puzzles/{puzzle}/withdrawal", {}, reason)
    return redirect("/puzzles", 303)


def render_puzzle(
    puzzle: str,
    tried: Mapping[str, Any],
    asked: Mapping[str, str],
    problem: Mapping[str, Any] | None = None,
    solution: Mapping[str, Any] | None = None,
    help: str | None = None,
) -> str:
    """The page of a puzzle in its present state."""
    found, position = get(f"/puzzles/{puzzle}"), tried["position"]
    right = [one["action"] for one in tried["played"] if one["side"] == found["side"]]
    picture = {"variant": found["variant"], "fen": position["fen"], "below": found["side"]}
    picture |= {"last": position["action"]} if position["action"] else {}
    picture |= {"targets": tried["hint"]} if tried["hint"] else {}
    scene = make_scene(found["variant"], position["fen"], position["action"])
    return render_template(
        "puzzle.html",
        puzzle=found,
        asked=asked,
        tried=tried,
        problem=problem,
        right=" ".join(right),
        solution=solution,
        help=help,
        view=BoardView(scene, position["fen"], found["side"], legal=tried["actions"]),
        drawings=load_drawings(found["variant"]),
        picture=f"/api/v1/board.svg?{urlencode(picture)}",
        analysis=f"/analysis?{urlencode({'variant': found['variant'], 'fen': found['fen']})}",
        next=f"/puzzles/next?{urlencode({'after': puzzle} | dict(asked))}",
    )


def try_actions(
    puzzle: str, played: Sequence[str], action: Sequence[str], help: str | None
) -> tuple[dict[str, Any], Mapping[str, Any] | None]:
    """The state of a puzzle after these actions, and why the newest one cannot be played."""
    path = f"/puzzles/{puzzle}/attempts"
    try:
        return api_client.post(path, {"actions": [*played, *action], "help": help}), None
    except ApiRefused as refused:
        # Refused again if it is the earlier actions that cannot be read.
        return api_client.post(path, {"actions": [*played]}), refused.problem


def read_filter(values: Mapping[str, str]) -> dict[str, str]:
    """The game and the theme whose puzzles the reader is solving."""
    return {name: values[name] for name in ("variant", "theme") if values.get(name)}


def find_address(puzzle: str, asked: Mapping[str, str]) -> str:
    """The address of a puzzle's page among those of a game and a theme."""
    return f"/puzzles/{puzzle}?{urlencode(asked)}" if asked else f"/puzzles/{puzzle}"
