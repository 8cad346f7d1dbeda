"""Lists of games, the search, and the form that creates a game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from service.game.values import SECRET_CHOICE
from service.pages import api_client, session
from service.pages.api_client import ApiRefused, get, get_reader
from service.pages.game_conditions import read_conditions, read_terms, read_time_control
from service.pages.site import pages

SEARCHED = (
    "variant", "player", "side", "opponent", "mode", "status", "result", "termination", "event",
    "tag", "since", "until", "min_plies", "max_plies", "min_points", "max_points", "min_rating",
    "max_rating", "speed", "computer", "opening", "fen", "min_ply", "max_ply", "material",
    "actions", "pieces", "sort",
)  # fmt: skip
"""The fields of the search form, as the API names them."""
OPPONENT = ("side", "opponent", "opponent_name")
SHOWN = 12
CONCERN = 100
"""How many of the reader's open games are searched for those they only keep score for."""

Game = Mapping[str, Any]


@pages.get("/")
def show_home() -> str:
    """The reader's open games, open challenges, running and finished games."""
    who = get_reader()
    own, kept = find_open_games(who["id"]) if who else ([], [])
    return render_template(
        "home.html",
        own=own,
        kept=kept,
        challenged=get("/me/challenges")["items"][:SHOWN] if who else [],
        offered=get("/challenges", limit=SHOWN)["items"],
        running=get("/games", status="running", limit=SHOWN)["items"],
        finished=get("/games", status="finished", limit=SHOWN)["items"],
    )


def find_open_games(id: str) -> tuple[list[Game], list[Game]]:
    """The newest open games of a player: those they play, and those they keep score for."""
    own = get("/games", open_for=id, player=id, limit=SHOWN)["items"]
    concern = get("/games", open_for=id, limit=CONCERN)["items"]
    kept = [game for game in concern if id not in [seat["id"] for seat in game["players"].values()]]
    return own, kept[:SHOWN]


@pages.get("/games")
def show_games() -> tuple[str, int]:
    """The games that match the search form."""
    asked = {name: request.args[name].strip() for name in SEARCHED if request.args.get(name)}
    problem: Mapping[str, Any] | None = None
    found: Mapping[str, Any] = {"items": [], "next_cursor": None}
    try:
        found = get("/search", **asked, cursor=request.args.get("cursor"), limit=50)
    except ApiRefused as refused:
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
def show_new_game() -> str:
    """The form that creates a game."""
    return render_new_game(request.args, None)


def render_new_game(asked: Mapping[str, str], problem: Mapping[str, Any] | None) -> str:
    """The form that creates a game, filled in as asked."""
    computers = get("/computers")["items"]
    return render_template("new_game.html", asked=asked, problem=problem, computers=computers)


@pages.post("/games/new")
def create_game() -> Response | tuple[str, int]:
    """Create the game that the form describes."""
    session.check_csrf(request.form.get(session.FIELD))
    try:
        made = api_client.post("/games", read_new_game(), request.form.get("key"))
    except ApiRefused as refused:
        return render_new_game(request.form, refused.problem), int(refused.problem["status"])
    return redirect(url_for("pages.show_game", id=made["id"]), 303)


def read_new_game() -> dict[str, Any]:
    """The body of the request that creates the form's game."""
    form = {name: value.strip() for name, value in request.form.items() if value.strip()}
    body: dict[str, Any] = {
        name: form[name] for name in ("variant", "mode", "fen", SECRET_CHOICE) if name in form
    }
    body["tags"] = read_conditions(form)
    body |= read_time_control(form, body["tags"]) | read_terms(form)
    if form.get("mode") == "scribe":
        body["players"] = {
            side: {"name": form.get(f"{side}_name", "")} for side in ("first", "second")
        }
    else:
        body |= {name: form[name] for name in OPPONENT if name in form}
        if "computer" in form:
            body["opponent_name"] = form["computer"]
    return body
