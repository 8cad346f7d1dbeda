"""A game's page: watching, replaying and playing it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from engine.side import Side
from service.game.events import BESIDE_BOARD
from service.game.permissions import may_act_for, officiates, plays_on
from service.pages import api_client, session
from service.pages.annotations import find_form, may_admit, read_annotation, read_people
from service.pages.api_client import ApiRefused, get, get_actor
from service.pages.board_view import view_of
from service.pages.forms import KEY, read_fields
from service.pages.game_analysis import choose_analysis, is_thorough
from service.pages.site import pages
from service.pages.turn import describe_turn, describe_words

SIDES = ("first", "second")
LISTED = 300
"""The most actions that a game's page lists: its size must not grow with the game's length."""
TOLD = (
    "id", "variant", "version", "status", "ply", "to_act", "result", "termination",
    "draw_offer", "retraction", "choices", "clocks",
)  # fmt: skip
"""The facts of a game that a page's scripts get, as in the game's stream."""
AHEAD = 100
"""How many of the listed actions come after the position shown, if there are that many."""
WHOLE_NUMBERS = ("plies", "expected_version")
"""Fields of forms that are numbers in the API."""


@pages.get("/games/<id:id>")
def show_game(id: str) -> str:
    """The whole page, at the last action or at `ply`."""
    return render_page(id)


def render_page(
    id: str, problem: Mapping[str, Any] | None = None, at: int | str | None = None
) -> str:
    """The page, with the problem if a form was refused, at the action the form was about."""
    seen = read_overview(id, at)
    game, position, legal = seen["game"], seen["position"], seen["legal"]
    acting = find_own_sides(game)
    newest = position["ply"] == game["ply"]
    playable = legal["actions"] if newest and game["to_act"] in acting else []
    choosable = {side: legal["choosable"].get(side, []) for side in acting}
    view = view_of(game, position, choose_side_below(game), playable)
    analysis = choose_analysis(seen["analysis"], game)
    return render_template(
        "game.html",
        game=game,
        view=view,
        choosable=choosable,
        turn=describe_turn(game, view, acting, choosable),
        ply=position["ply"],
        listed=choose_listed_plies(game["ply"], position["ply"]),
        sides=acting,
        playing=is_still_playing(game),
        rules=may_rule(game),
        note=find_form(game, position["ply"]),
        admits=may_admit(game),
        told=describe_table(seen, acting, playable),
        keeping=f"?below={asked}" if (asked := request.args.get("below")) in SIDES else "",
        signature={"hash": seen["record_hash"], "key": seen["record_key"]},
        analysis=analysis,
        thorough=analysis is None or is_thorough(analysis, game),
        novelty=seen["novelty"],
        problem=problem,
    )


def describe_table(
    seen: Mapping[str, Any], own: Sequence[str], playable: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The initial data for the page's scripts: the game as in its stream, and what is not there.

    `own` are the sides that the reader acts for, `playable` is what they may do in the position.
    """
    game = seen["game"]
    return {
        "own": own,
        "position": seen["position"],
        "legal": {**seen["legal"], "actions": playable},
        "now": seen["now"],
        "words": describe_words(game, own),
        **{name: game.get(name) for name in TOLD},
    }


def read_overview(id: str, at: int | str | None) -> Mapping[str, Any]:
    """A game with everything shown beside it, at the action `at` or else the requested one."""
    path = f"/games/{id}/overview"
    if isinstance(at, int):
        # A form can name an action that the game does not have.
        with suppress(ApiRefused):
            found: Mapping[str, Any] = get(path, ply=at)
            return found
    asked: Mapping[str, Any] = get(path, ply=request.args.get("ply"))
    return asked


def choose_listed_plies(plies: int, ply: int) -> slice:
    """Return the slice of a game's actions to list if `ply` is shown.

    >>> choose_listed_plies(120, 5), choose_listed_plies(9000, 9000), choose_listed_plies(9000, 450)
    (slice(0, 120, None), slice(8700, 9000, None), slice(250, 550, None))
    """
    end = min(plies, max(ply + AHEAD, LISTED))
    return slice(max(0, end - LISTED), end)


def choose_side_below(game: Mapping[str, Any]) -> str:
    """The side nearest the reader: as requested, else their own."""
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


def is_still_playing(game: Mapping[str, Any]) -> bool:
    """Whether the reader plays in the game and it is not over: then no analysis is offered."""
    actor = get_actor()
    return actor is not None and plays_on(read_people(game), actor)


def may_rule(game: Mapping[str, Any]) -> bool:
    """Whether the reader may rule on the game other than as a tournament's own arbiter."""
    actor = get_actor()
    return actor is not None and officiates(read_people(game), actor)


@pages.get("/games/<id:id>/actions")
@pages.get("/games/<id:id>/commands")
@pages.get("/games/<id:id>/annotations")
@pages.get("/games/<id:id>/rematch")
def show_game_after_refusal(id: str) -> Response:
    """Lead to the game: a refused form leaves its own address in the browser.

    The scripts of that page load it again from there.
    """
    ply, below = request.args.get("ply"), request.args.get("below")
    return redirect(url_for("pages.show_game", id=id, ply=ply, below=below))


@pages.post("/games/<id:id>/actions")
def play(id: str) -> Response | tuple[str, int]:
    """Play an action, and show the game as it is then.

    A page that follows the game needs no page for an answer: with `answer=part` there is nothing to
    show, or the words of the refusal alone.
    """
    if request.args.get("answer") != "part":
        return send_form(id, post_action)
    session.check_csrf(request.form.get(session.FIELD))
    try:
        post_action(id)
    except ApiRefused as refused:
        words = render_template("parts/problem.html", problem=refused.problem)
        return words, int(refused.problem["status"])
    return Response(status=204)


def post_action(id: str) -> None:
    """Play the form's action; raises ApiRefused."""
    post_as_seen(f"/games/{id}/actions")


def post_as_seen(path: str) -> None:
    """Post the form in the position that the reader has seen; raises ApiRefused.

    An offer or an annotation that came meanwhile has not changed that position.
    """
    wish = read_fields(WHOLE_NUMBERS)
    try:
        api_client.post(path, wish, request.form.get(KEY))
    except ApiRefused as refused:
        if not is_same_position(refused.problem):
            raise
        # Without the key, which belongs to the first request.
        api_client.post(path, {**wish, "expected_version": refused.problem["actual"]})


def is_same_position(problem: Mapping[str, Any]) -> bool:
    """Whether a request was refused only because of events that left the position as it was.

    >>> stale = {"code": "wrong-version", "expected": 4, "actual": 5}
    >>> is_same_position({**stale, "missed": [{"version": 5, "type": "draw-offered/1"}]})
    True
    >>> is_same_position({**stale, "missed": [{"version": 5, "type": "action-played/1"}]})
    False
    """
    if problem["code"] != "wrong-version":
        return False
    missed = problem["missed"]
    complete = len(missed) == problem["actual"] - problem["expected"]
    return complete and all(event["type"] in BESIDE_BOARD for event in missed)


@pages.get("/games/<id:id>/combat")
def show_combat(id: str) -> str:
    """The part of a page that breaks a capture down, from `from` to `to` after `ply` actions."""
    asked = {name: request.args.get(name) for name in ("from", "to", "ply")}
    return render_template("parts/combat.html", combat=get(f"/games/{id}/combat", **asked))


@pages.post("/games/<id:id>/commands")
def send_game_command(id: str) -> Response | tuple[str, int]:
    """Carry out a command, and show the game as it is then."""
    return send_form(id, post_command)


def post_command(id: str) -> None:
    """Carry out the form's command; raises ApiRefused."""
    post_as_seen(f"/games/{id}/commands")


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


def send_form(id: str, post: Callable[[str], None]) -> Response | tuple[str, int]:
    """Send the form to the API with `post`; a refusal is shown above the game."""
    session.check_csrf(request.form.get(session.FIELD))
    try:
        post(id)
    except ApiRefused as refused:
        return render_page(id, refused.problem), int(refused.problem["status"])
    return redirect(url_for("pages.show_game", id=id, below=request.args.get("below")), 303)
