"""The organiser's desk: forms that set up a tournament and direct it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from notation.time_control import TIME_CONTROL
from service.api.rate_limits import count_request
from service.game.values import SECRET_CHOICE
from service.languages.texts import gettext
from service.pages import api_client, session
from service.pages.api_client import ApiRefused
from service.pages.api_reference import list_values
from service.pages.forms import KEY, read_fields, read_number
from service.pages.game_conditions import read_conditions, read_terms, read_time_control
from service.pages.problem_texts import describe_problem
from service.pages.site import pages
from service.pages.tournament_presets import BOARD, HERE, PLACES, PRESETS, complete_fields
from service.pages.tournament_results import find_correction, name_boards, read_points, read_results
from service.pages.tournaments import RESULTS, is_arbiter, render_page

TIE_BREAKS: Final = 5
"""The number of tie-breaks for which the form has a place."""
EMPTIED: Final = ("starts_on", "ends_on")
"""Fields of the tournament's own data that can be cleared."""
WHOLE: Final = ("rounds", "cycles", "rating", "seed", "round", "board", "games", "deciders")
KNOCKOUT: Final = ("games", "deciders")
FLAGS: Final = ("by_game_points", "third_place")
AMEND: Final = "amend"
"""The type of the command that corrects a tournament's own data."""
MOST_NAMES: Final = 200
"""The most players that one form enters."""
SCHEMES: Final = {"standard/1": "1, ½, 0", "three-points/1": "3, 1, 0"}
"""The scoring schemes that the form offers, by name and version, in words."""


@pages.get("/tournaments/new")
def show_new_tournament() -> str:
    """The form that sets up a tournament."""
    return render_new_tournament(request.args)


@pages.post("/tournaments/new")
def set_up() -> Response | tuple[str, int]:
    """Set up the tournament that the form describes."""
    session.check_csrf(request.form.get(session.FIELD))
    try:
        wish = read_new_tournament(complete_fields(request.form))
        made = api_client.post("/tournaments", wish, request.form.get(KEY))
    except ApiRefused as refused:
        again = render_new_tournament(request.form, refused.problem)
        return again, int(refused.problem["status"])
    return redirect(url_for("pages.show_tournament", id=made["id"]), 303)


def render_new_tournament(
    asked: Mapping[str, str], problem: Mapping[str, Any] | None = None
) -> str:
    """The form as filled in, with the problem if it was refused."""
    return render_template(
        "new_tournament.html",
        asked=asked,
        problem=problem,
        arbiter=is_arbiter(),
        presets=PRESETS,
        places=PLACES,
        kinds=list_values("TournamentKind"),
        terms=list_values("Term"),
        schemes=SCHEMES,
        tie_breaks=TIE_BREAKS,
    )


def read_new_tournament(form: Mapping[str, str]) -> dict[str, Any]:
    """The body of the request that creates the tournament in the form.

    Raises ApiRefused for an invalid time.
    """
    numbers = {name: read_number(form[name]) for name in WHOLE if name in form}
    plain = ("name", "variant", "kind", SECRET_CHOICE, "fen")
    body: dict[str, Any] = {name: form[name] for name in plain if name in form}
    body |= {name: numbers[name] for name in ("rounds", "cycles") if name in numbers}
    if name := form.get("scoring", ""):
        scheme, _, version = name.partition("/")
        body["scoring"] = {"name": scheme, "version": read_number(version)}
    body["tags"] = read_conditions(form)
    body |= read_time_control(form, body["tags"]) | read_terms(form)
    # Only arbiters hold rated tournaments, and only games that are played here are rated.
    body.setdefault("rated", is_arbiter() and form.get("played", HERE) == HERE)
    body["over_the_board"] = form.get("played", HERE) == BOARD
    body |= {name: form[name] for name in ("starts_on", "ends_on") if name in form}
    body["order"] = [value for value in request.form.getlist("order") if value]
    body["self_entry"] = bool(form.get("self_entry"))
    if body.get("kind") == "knockout":
        numbers = {name: numbers[name] for name in KNOCKOUT if name in numbers}
        body["knockout"] = numbers | {name: name in form for name in FLAGS}
    return body


@pages.app_template_global()
def typed(type: str, name: str, default: object = "") -> object:
    """What was typed in a field of the refused form of this type; the default in all others."""
    return request.form.get(name, default) if is_refused(type) else default


@pages.app_template_global()
def is_refused(*types: str) -> bool:
    """Whether the page shows again a refused form of one of these types."""
    return request.form.get("type") in types


@pages.get("/tournaments/<id:id>/commands")
def show_after_refusal(id: str) -> Response:
    """Lead to the tournament: a refused form leaves its own address in the browser."""
    return redirect(url_for("pages.show_tournament", id=id))


@pages.post("/tournaments/<id:id>/commands")
def send_tournament_command(id: str) -> Response | tuple[str, int]:
    """Carry out a command; a refusal is shown above the tournament.

    What a correction changed is told on the page that follows.
    """
    session.check_csrf(request.form.get(session.FIELD))
    before = api_client.get(f"/tournaments/{id}/rounds")
    body: dict[str, Any] = {}
    try:
        if names := request.form.get("names"):
            enter_players(id, names)
            return redirect(url_for("pages.show_tournament", id=id), 303)
        body = read_command()
        api_client.post(f"/tournaments/{id}/commands", body, request.form.get(KEY))
    except ApiRefused as refused:
        problem = name_boards(refused.problem, body)
        return render_page(id, problem), int(problem["status"])
    changed = find_correction(body, before["rounds"])
    since = {} if changed is None else {"since": before["version"], "corrected": changed}
    return redirect(url_for("pages.show_tournament", id=id, **since), 303)


def enter_players(id: str, names: str) -> None:
    """Enter the players of a list, one a line, each optionally with a rating after a comma.

    Those who can enter do; raises ApiRefused, which names the others and has their lines in
    `remaining`. If the list is too long, nobody enters. Each name counts as a request.
    """
    listed = list(read_names(names))
    if len(listed) > MOST_NAMES:
        said = gettext("At most %(number)s at a time. Nobody was entered.", number=MOST_NAMES)
        refusal = {"status": 422, "code": "invalid-request", "errors": {"names": [said]}}
        raise ApiRefused({**refusal, "remaining": names})
    refused: dict[str, list[str]] = {}
    remaining: list[str] = []
    for number, (name, rating) in enumerate(listed):
        if number:
            count_request()
        wish = {"type": "enter", "name": name} | ({} if rating is None else {"rating": rating})
        key = request.form.get(KEY)
        try:
            api_client.post(f"/tournaments/{id}/commands", wish, key and f"{key}-{number}")
        except ApiRefused as error:
            if error.problem["status"] not in (409, 422):
                raise
            told = describe_problem(error.problem)
            errors = "; ".join(said for _, said in told["errors"])
            refused[name] = [errors or told["detail"] or told["title"]]
            remaining.append(name if rating is None else f"{name}, {rating}")
    if refused:
        problem = {"status": 422, "code": "not-all-entered", "errors": refused}
        raise ApiRefused({**problem, "remaining": "\n".join(remaining)})


def read_names(text: str) -> Iterator[tuple[str, int | None]]:
    r"""The names in a list, one a line, with the rating after a comma.

    >>> list(read_names("Ada, 1850\n\nLovelace, Ada"))
    [('Ada', 1850), ('Lovelace, Ada', None)]
    """
    for line in filter(str.strip, text.splitlines()):
        name, comma, last = line.strip().rpartition(",")
        rating = read_number(last.strip())
        if comma and isinstance(rating, int):
            yield name.strip(), rating
        else:
            yield line.strip(), None


def read_command() -> dict[str, Any]:
    """The body of the form's command; raises ApiRefused for invalid results.

    `pairing` names a round and a board (`3.2`), `points` are both sides' (`4-2`); `first` and
    `second`, each repeated for every board, are free pairings.
    """
    body = read_fields(WHOLE)
    if body.get("type") == RESULTS:
        return read_results(request.form)
    if body.get("type") == AMEND:
        return read_amendment(body, request.form)
    if pairing := body.pop("pairing", ""):
        round, _, board = pairing.partition(".")
        body |= {"round": read_number(round), "board": read_number(board)}
    if points := body.pop("points", ""):
        body["points"] = read_points(points)
    if "first" in request.form:
        boards = zip(request.form.getlist("first"), request.form.getlist("second"), strict=False)
        body["boards"] = [{"first": one, "second": other} for one, other in boards if one or other]
        body.pop("first", None)
        body.pop("second", None)
    return body


def read_amendment(body: dict[str, Any], form: Mapping[str, str]) -> dict[str, Any]:
    """The body of the command that corrects the tournament's own data.

    Minutes and seconds make a time control; dates that are empty are removed.
    """
    tags = read_conditions(form)
    for name in ("minutes", "increment", "days"):
        body.pop(name, None)
    if TIME_CONTROL in tags:
        body["time_control"] = tags[TIME_CONTROL]
    return body | {name: None for name in EMPTIED if name in form and not form[name]}
