"""A game's page: watching, replaying and playing it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from engine.side import Side
from service.game.permissions import may_act_for, officiates
from service.pages import api_client, session
from service.pages.annotations import find_form, may_admit, read_annotation, read_people
from service.pages.api_client import ApiRefused, get, get_actor
from service.pages.board_view import view_of
from service.pages.forms import KEY, read_fields
from service.pages.site import pages

SIDES = ("first", "second")
PGN = "application/x-chess-pgn"
LISTED = 300
"""Actions of a game that its page lists at most: its size must not grow with the game's length."""
AHEAD = 100
"""How many of them come after the position shown, where there are so many."""
WHOLE_NUMBERS = ("plies", "expected_version")
"""Fields of forms that are numbers in the API."""


@pages.get("/games/<id:id>")
def show_game(id: str) -> str:
    """The whole page, at the last action or at `ply`."""
    return render_page(id)


@pages.get("/games/<id:id>/board")
def show_board(id: str) -> str:
    """The board alone, for scripts that replay."""
    shown = get(f"/games/{id}", ply=request.args.get("ply"))
    return render_template(
        "parts/board.html", view=view_of(shown, choose_side_below(shown)), game=shown
    )


def render_page(
    id: str, problem: Mapping[str, Any] | None = None, at: int | str | None = None
) -> str:
    """The page, with the problem if a form was refused, at the action the form was about."""
    game = get(f"/games/{id}")
    ply = at if isinstance(at, int) and at <= game["ply"] else request.args.get("ply")
    shown = game if ply is None else get(f"/games/{id}", ply=ply)
    acting = find_own_sides(game)
    asked = game["to_act"] in acting or (game["status"] == "choosing" and acting)
    legal = get(f"/games/{id}/legal") if asked else {"actions": [], "choosable": {}}
    return render_template(
        "game.html",
        game=game,
        view=view_of(
            shown, choose_side_below(game), legal["actions"] if shown["ply"] == game["ply"] else []
        ),
        choosable={side: legal["choosable"].get(side, []) for side in acting},
        ply=shown["ply"],
        listed=choose_listed_plies(game["ply"], shown["ply"]),
        sides=acting,
        rules=may_rule(game),
        note=find_form(game, shown["ply"]),
        admits=may_admit(game),
        signature=read_signature(id),
        analysis=find_analysis(id),
        novelty=find_novelty(game),
        problem=problem,
    )


def choose_listed_plies(plies: int, ply: int) -> slice:
    """Return the slice of a game's actions to list where `ply` is shown.

    >>> choose_listed_plies(120, 5), choose_listed_plies(9000, 9000), choose_listed_plies(9000, 450)
    (slice(0, 120, None), slice(8700, 9000, None), slice(250, 550, None))
    """
    end = min(plies, max(ply + AHEAD, LISTED))
    return slice(max(0, end - LISTED), end)


def choose_side_below(game: Mapping[str, Any]) -> str:
    """The side nearest the reader: as asked for, else their own."""
    asked = request.args.get("below")
    own = find_own_sides(game)
    return asked if asked in SIDES else own[0] if own else SIDES[0]


def find_own_sides(game: Mapping[str, Any]) -> list[str]:
    """The sides that the reader acts for."""
    actor = get_actor()
    if actor is None:
        return []
    seats = read_people(game)
    return [name for side, name in zip(Side, SIDES, strict=True) if may_act_for(seats, actor, side)]


def may_rule(game: Mapping[str, Any]) -> bool:
    """Whether the reader may rule on the game, apart from a tournament's own arbiters."""
    actor = get_actor()
    return actor is not None and officiates(read_people(game), actor)


def read_signature(id: str) -> dict[str, str]:
    """The hash of the game's signed record, and the id of the signing key."""
    tags = api_client.get_text(f"/games/{id}", PGN).partition("\n\n")[0]
    found = dict(line[1:-2].split(' "', 1) for line in tags.splitlines())
    return {"hash": found["RecordHash"], "key": found["RecordSignature"].partition(".")[0]}


def find_analysis(id: str) -> Mapping[str, Any] | None:
    """The analysis of the game, or None if nobody has asked for one."""
    try:
        found: Mapping[str, Any] = get(f"/games/{id}/analysis")
    except ApiRefused as refused:
        if refused.problem["status"] != 404:
            raise
        return None
    return found


def find_novelty(game: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Where a finished game left the archive; None for others, and while the lists are away."""
    if game["status"] != "finished":
        return None
    try:
        found: Mapping[str, Any] = get(f"/games/{game['id']}/novelty")
    except ApiRefused as refused:
        # A game that was reopened meanwhile is finished no more.
        if refused.problem["status"] not in (409, 503):
            raise
        return None
    return found


@pages.post("/games/<id:id>/actions")
def play(id: str) -> Response | tuple[str, int]:
    """Play an action, and show the game as it is then."""
    return send_form(id, f"/games/{id}/actions")


@pages.post("/games/<id:id>/commands")
def send_game_command(id: str) -> Response | tuple[str, int]:
    """Carry out a command, and show the game as it is then."""
    return send_form(id, f"/games/{id}/commands")


@pages.post("/games/<id:id>/annotations")
def annotate_action(id: str) -> Response | tuple[str, int]:
    """Replace the annotation of an action, and show the game at that action."""
    session.check_csrf(request.form.get(session.FIELD))
    body = read_annotation()
    try:
        api_client.post(f"/games/{id}/commands", body)
    except ApiRefused as refused:
        return render_page(id, refused.problem, body["ply"]), int(refused.problem["status"])
    place = {"ply": body["ply"], "below": request.args.get("below")}
    return redirect(url_for("pages.show_game", id=id, **place), 303)


@pages.post("/games/<id:id>/rematch")
def ask_for_rematch(id: str) -> Response | tuple[str, int]:
    """Ask for a rematch, or accept one, and show the new game."""
    session.check_csrf(request.form.get(session.FIELD))
    try:
        made = api_client.post(f"/games/{id}/rematch", {})
    except ApiRefused as refused:
        return render_page(id, refused.problem), int(refused.problem["status"])
    return redirect(url_for("pages.show_game", id=made["id"]), 303)


def send_form(id: str, path: str) -> Response | tuple[str, int]:
    """Send the form's fields to the API; a refusal is shown above the game."""
    session.check_csrf(request.form.get(session.FIELD))
    try:
        api_client.post(path, read_fields(WHOLE_NUMBERS), request.form.get(KEY))
    except ApiRefused as refused:
        return render_page(id, refused.problem), int(refused.problem["status"])
    return redirect(url_for("pages.show_game", id=id, below=request.args.get("below")), 303)
