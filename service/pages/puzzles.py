"""Puzzles: today's, those of a game and a theme, and one to solve."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from flask import redirect, render_template, request
from werkzeug.wrappers import Response

from service.boards.scene import find_cells, make_scene
from service.languages.texts import gettext, mark
from service.pages.api_client import ApiRefused, get
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
"""What pages call the themes."""


@pages.app_template_filter("theme")
def name_theme(theme: str) -> str:
    """The name of a theme; nothing for an unknown one."""
    return gettext(NAMES[theme]) if theme in NAMES else ""


@pages.get("/puzzles")
def list_puzzles() -> str:
    """Show today's puzzles, and the themes of each game's."""
    counted = defaultdict(list)
    for one in get("/puzzles/themes")["items"]:
        counted[one["variant"]].append((one["theme"], one["puzzles"]))
    games = [
        (variant, get("/puzzles/daily", variant=variant), themes)
        for variant, themes in counted.items()
    ]
    return render_template("puzzles.html", games=games)


@pages.get("/puzzles/next")
def go_to_next() -> Response:
    """Lead to the puzzle behind another, of the same game and theme as those before."""
    asked = read_filter()
    found = get("/puzzles/next", after=request.args.get("after") or None, **asked)
    return redirect(find_address(found["id"], asked))


@pages.get("/puzzles/<puzzle>")
def show_puzzle(puzzle: str) -> tuple[str, int]:
    """A puzzle as it stands after the actions `played`, and behind another one, `action`."""
    found, asked = get(f"/puzzles/{puzzle}"), read_filter()
    played = request.args.get("played", "").split()
    action = request.args.get("action", "").split()
    solution = get(f"/puzzles/{puzzle}/solution")["line"]
    given_up = "solution" in request.args
    own = [one["action"] for one in solution if one["side"] == found["side"]]
    if given_up:
        played, action = own, []
    tried, problem = try_actions(puzzle, played, action)
    right = [one["action"] for one in tried["played"] if one["side"] == found["side"]]
    hint = find_hint(own, right) if "hint" in request.args and tried["standing"] != "solved" else ""
    position = tried["position"]
    scene = make_scene(found["variant"], position["fen"], position["action"])
    below = found["side"]
    picture = {"variant": found["variant"], "fen": position["fen"], "below": below}
    picture |= {"last": position["action"]} if position["action"] else {}
    page = render_template(
        "puzzle.html",
        puzzle=found,
        asked=asked,
        tried=tried,
        problem=problem,
        right=" ".join(right),
        hint=hint,
        solution=solution if given_up else None,
        scene=scene,
        picture=f"/api/v1/board.svg?{urlencode(picture | ({'targets': hint} if hint else {}))}",
        analysis=f"/analysis?{urlencode({'variant': found['variant'], 'fen': found['fen']})}",
        next=f"/puzzles/next?{urlencode({'after': puzzle} | asked)}",
    )
    return page, 422 if problem else 200


def try_actions(
    puzzle: str, played: Sequence[str], action: Sequence[str]
) -> tuple[dict[str, Any], Mapping[str, Any] | None]:
    """How a puzzle stands after these actions, and why the newest one cannot be played."""
    path = f"/puzzles/{puzzle}/position"
    try:
        return get(path, actions=" ".join([*played, *action])), None
    except ApiRefused as refused:
        # Refused again where it is the actions before that cannot be read.
        return get(path, actions=" ".join(played)), refused.problem


def find_hint(own: Sequence[str], right: Sequence[str]) -> str:
    """The cell where the next action of a solution begins; empty where it begins on none."""
    cells = find_cells(own[len(right)])
    return cells[0] if cells else ""


def read_filter() -> dict[str, str]:
    """The game and the theme whose puzzles the reader goes through."""
    return {name: request.args[name] for name in ("variant", "theme") if request.args.get(name)}


def find_address(puzzle: str, asked: Mapping[str, str]) -> str:
    """The address of a puzzle's page within those of a game and a theme."""
    return f"/puzzles/{puzzle}?{urlencode(asked)}" if asked else f"/puzzles/{puzzle}"
