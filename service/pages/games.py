"""Lists of games, the search, and the form for creating a game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from service.game.values import SECRET_CHOICE
from service.ids import ID
from service.pages import api_client, session
from service.pages.api_client import ApiRefused, get
from service.pages.computers import list_levels, remember_level
from service.pages.forms import KEY
from service.pages.game_conditions import (
    list_time_fields,
    read_conditions,
    read_terms,
    read_time_control,
)
from service.pages.named_players import NAMED, find_by_mark
from service.pages.site import pages

SEARCHED = (
    "variant", "player", "side", "opponent", "mode", "status", "result", "termination", "event",
    "tag", "since", "until", "min_plies", "max_plies", "min_points", "max_points", "min_rating",
    "max_rating", "speed", "computer", "opening", "fen", "min_ply", "max_ply", "material",
    "actions", "pieces", "sort",
)  # fmt: skip
"""The fields of the search form, as the API names them."""
OPPONENT = ("side", "opponent", "opponent_name")


@pages.get("/games")
def show_games() -> tuple[str, int]:
    """The games that match the search form."""
    asked = {name: request.args[name].strip() for name in SEARCHED if request.args.get(name)}
    problem: Mapping[str, Any] | None = None
    found: Mapping[str, Any] = {"items": [], "next_cursor": None}
    try:
        sought = {name: find_by_mark(asked[name]) for name in NAMED if name in asked}
        found = get("/search", **asked | sought, cursor=request.args.get("cursor"), limit=50)
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
    """The form that creates a game, filled in as requested."""
    return render_template(
        "new_game.html",
        asked=dict(asked.items()) | list_time_fields(asked.get("time_control", "")),
        problem=problem,
        computers=list_levels(),
        opponent=find_opponent(asked.get("opponent", "")),
    )


def find_opponent(id: str) -> Mapping[str, Any] | None:
    """The player named by a link to the form; None if it names nobody."""
    if not ID.match(id):
        return None
    try:
        found: Mapping[str, Any] = get(f"/players/{id}")
    except ApiRefused as refused:
        if refused.problem["status"] != 404:
            raise
        return None
    return found


@pages.post("/games/new")
def create_game() -> Response:
    """Create the game that the form describes."""
    session.check_csrf(request.form.get(session.FIELD))
    return begin_new_game()


def begin_new_game() -> Response:
    """Create the game that the form describes and lead there; the form if it is refused."""
    try:
        made = api_client.post("/games", read_new_game(), request.form.get(KEY))
    except ApiRefused as refused:
        page = render_new_game(request.form, refused.problem)
        return make_response(page, int(refused.problem["status"]))
    answer = redirect(url_for("pages.show_game", id=made["id"]), 303)
    remember_level(answer)
    return answer


def read_new_game() -> dict[str, Any]:
    """The body of the request that creates the game in the form."""
    form = {name: value.strip() for name, value in request.form.items() if value.strip()}
    body: dict[str, Any] = {
        name: form[name] for name in ("variant", "mode", "fen", SECRET_CHOICE) if name in form
    }
    body["tags"] = read_conditions(form)
    body |= read_time_control(form, body["tags"]) | read_terms(form)
    if "time_control" in form:
        body["time_control"] = form["time_control"]
    if form.get("mode") == "scribe":
        body["players"] = {
            side: {"name": form.get(f"{side}_name", "")} for side in ("first", "second")
        }
    else:
        body |= read_opponent(form)
    return body


def read_opponent(form: Mapping[str, str]) -> dict[str, str]:
    """The side and the opponent in a form, in the form of the API."""
    body = {name: form[name] for name in OPPONENT if name in form}
    if "computer" in form:
        return body | {"opponent_name": form["computer"]}
    shown = body.get("opponent_name", "")
    if (id := find_by_mark(shown)) != shown:
        del body["opponent_name"]
        body["opponent"] = id
    return body
