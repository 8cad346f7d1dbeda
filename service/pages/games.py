"""Lists of games, searches, and the form that begins one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from service.pages import api_client, session
from service.pages.api_client import Refused, get, reader
from service.pages.game_terms import agreed
from service.pages.site import pages

SEARCHED = (
    "variant", "player", "status", "result", "termination", "event", "tag", "since", "until",
    "min_plies", "max_plies", "fen", "material",
)  # fmt: skip
"""The fields of the search form, as the API names them."""
SHOWN = 12
CONCERN = 100
"""Open games that concern the reader among which those are sought that they keep for others."""

Game = Mapping[str, Any]


@pages.get("/")
def home() -> str:
    """What goes on now, what ended lately, and what waits for the reader."""
    who = reader()
    own, kept = open_games(who["id"]) if who else ([], [])
    return render_template(
        "home.html",
        own=own,
        kept=kept,
        offered=get("/games", status="offered", limit=SHOWN)["items"],
        running=get("/games", status="running", limit=SHOWN)["items"],
        finished=get("/games", status="finished", limit=SHOWN)["items"],
    )


def open_games(id: str) -> tuple[list[Game], list[Game]]:
    """The newest open games that a player plays, and those that they keep for others."""
    own = get("/games", open_for=id, player=id, limit=SHOWN)["items"]
    concern = get("/games", open_for=id, limit=CONCERN)["items"]
    kept = [game for game in concern if id not in [seat["id"] for seat in game["players"].values()]]
    return own, kept[:SHOWN]


@pages.get("/games")
def games() -> tuple[str, int]:
    """Games by all that is asked for."""
    asked = {name: request.args[name].strip() for name in SEARCHED if request.args.get(name)}
    problem: Mapping[str, Any] | None = None
    found: Mapping[str, Any] = {"items": [], "next_cursor": None}
    try:
        found = get("/search", **asked, cursor=request.args.get("cursor"), limit=50)
    except Refused as refused:
        problem = refused.problem
    shown = render_template(
        "games.html",
        asked=asked,
        more=asked.keys() - {"variant", "status", "result", "event"},
        found=found,
        problem=problem,
    )
    return shown, int(problem["status"]) if problem else 200


@pages.get("/games/new")
def new_game() -> str:
    """The form that begins a game."""
    return render_template("new_game.html", asked=request.args, problem=None)


@pages.post("/games/new")
def begin_game() -> Response | tuple[str, int]:
    """Begin the game that the form describes."""
    session.check(request.form.get(session.FIELD))
    try:
        made = api_client.post("/games", wish(), request.form.get("key"))
    except Refused as refused:
        shown = render_template("new_game.html", asked=request.form, problem=refused.problem)
        return shown, int(refused.problem["status"])
    return redirect(url_for("pages.game", id=made["id"]), 303)


def wish() -> dict[str, Any]:
    """The game that the form asks for, as the API wants it."""
    form = {name: value.strip() for name, value in request.form.items() if value.strip()}
    body: dict[str, Any] = {
        name: form[name] for name in ("variant", "mode", "fen", "infiltrators") if name in form
    }
    body["tags"] = agreed(form)
    if form.get("mode") == "scribe":
        body["players"] = {
            side: {"name": form.get(f"{side}_name", "")} for side in ("first", "second")
        }
    else:
        body |= {name: form[name] for name in ("side", "opponent") if name in form}
    return body
