"""The arbiter's desk: forms that set up a tournament and direct it."""

from __future__ import annotations

from typing import Any

from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from service.game.values import SECRET_CHOICE
from service.pages import api_client, session
from service.pages.api_client import ApiRefused
from service.pages.api_reference import list_values
from service.pages.forms import KEY, read_fields, read_number
from service.pages.game_conditions import read_conditions, read_terms, read_time_control
from service.pages.site import pages
from service.pages.tournaments import is_arbiter, render_page

TIE_BREAKS = 5
"""How many places of the order the form has."""
WHOLE = ("rounds", "cycles", "rating", "seed", "round", "board", "games", "deciders")
KNOCKOUT = ("games", "deciders")
FLAGS = ("by_game_points", "third_place")
SCHEMES = {"standard/1": "1, ½, 0", "three-points/1": "3, 1, 0"}
"""The scoring schemes that the form offers, by name and version, in words."""


@pages.get("/tournaments/new")
def show_new_tournament() -> str:
    """The form that sets up a tournament."""
    return render_template(
        "new_tournament.html", asked=request.args, problem=None, **list_form_choices()
    )


@pages.post("/tournaments/new")
def set_up() -> Response | tuple[str, int]:
    """Set up the tournament that the form describes."""
    session.check_csrf(request.form.get(session.FIELD))
    try:
        made = api_client.post("/tournaments", read_new_tournament(), request.form.get(KEY))
    except ApiRefused as refused:
        again = render_template(
            "new_tournament.html",
            asked=request.form,
            problem=refused.problem,
            **list_form_choices(),
        )
        return again, int(refused.problem["status"])
    return redirect(url_for("pages.show_tournament", id=made["id"]), 303)


def list_form_choices() -> dict[str, Any]:
    """Return the choices of the form, and whether the reader may use it."""
    return {
        "arbiter": is_arbiter(),
        "kinds": list_values("TournamentKind"),
        "terms": list_values("Term"),
        "schemes": SCHEMES,
        "tie_breaks": TIE_BREAKS,
    }


def read_new_tournament() -> dict[str, Any]:
    """The body of the request that creates the form's tournament."""
    form = read_fields(WHOLE)
    plain = ("name", "variant", "kind", "rounds", "cycles", SECRET_CHOICE, "fen")
    body: dict[str, Any] = {name: form[name] for name in plain if name in form}
    if name := form.get("scoring", ""):
        scheme, _, version = name.partition("/")
        body["scoring"] = {"name": scheme, "version": read_number(version)}
    body["tags"] = read_conditions(request.form)
    body |= read_time_control(request.form, body["tags"]) | read_terms(request.form)
    body["order"] = [value for value in request.form.getlist("order") if value]
    if body.get("kind") == "knockout":
        numbers = {name: form[name] for name in KNOCKOUT if name in form}
        body["knockout"] = numbers | {name: name in form for name in FLAGS}
    return body


@pages.post("/tournaments/<id:id>/commands")
def send_tournament_command(id: str) -> Response | tuple[str, int]:
    """Carry out an arbiter's command; a refusal is shown above the tournament."""
    session.check_csrf(request.form.get(session.FIELD))
    try:
        api_client.post(f"/tournaments/{id}/commands", read_command(), request.form.get(KEY))
    except ApiRefused as refused:
        return render_page(id, refused.problem), int(refused.problem["status"])
    return redirect(url_for("pages.show_tournament", id=id), 303)


def read_command() -> dict[str, Any]:
    """The body of the form's command.

    `pairing` stands for a round and a board (`3.2`), `points` for both sides' (`4-2`), `first` and
    `second`, each as often as there are boards, for free pairings.
    """
    body = read_fields(WHOLE)
    if pairing := body.pop("pairing", ""):
        round, _, board = pairing.partition(".")
        body |= {"round": read_number(round), "board": read_number(board)}
    if points := body.pop("points", ""):
        body["points"] = [read_number(one.strip()) for one in points.split("-")]
    if "first" in request.form:
        boards = zip(request.form.getlist("first"), request.form.getlist("second"), strict=False)
        body["boards"] = [{"first": one, "second": other} for one, other in boards if one or other]
        body.pop("first", None)
        body.pop("second", None)
    return body
