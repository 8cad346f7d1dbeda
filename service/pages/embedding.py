"""Boards that other sites show in a frame: a game's, or that of any position.

Nobody is signed in there. Cookies are not read, so that a frame shows only what everybody may know.
There are no forms, and the only script of a game's frame only reads what strangers may read, so
that clicks misdirected by another site (clickjacking) do nothing.
"""

from __future__ import annotations

from typing import Any, Final

from flask import Blueprint, Response, g, render_template, request

from engine.errors import UnknownVariant
from notation.errors import NotationError
from notation.registry import find_dialect
from service.boards.scene import make_scene
from service.languages.texts import gettext
from service.pages.api_client import ApiRefused, get
from service.pages.board_view import BoardView, view_of
from service.pages.site import DEFAULT_VARIANT, FRAMED

embed = Blueprint(FRAMED, __name__, url_prefix="/embed")

SIDES: Final = ("first", "second")
START: Final = "start"
"""The name of a game's first position, as in the API."""
HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self';"
    " form-action 'none'; base-uri 'none'; frame-ancestors *",
    "Cache-Control": "public, no-cache",
    "Referrer-Policy": "strict-origin-when-cross-origin",
}
"""The headers of pages that every site may frame, and that can run nothing."""
LIVE: Final = "; script-src 'self'; connect-src 'self'"
"""What a game's frame may also do: run this service's own scripts, and ask it for news."""


@embed.before_request
def forget_reader() -> None:
    """Make all requests as a stranger."""
    g.stranger = True


@embed.get("/games/<id:id>")
def show_embedded_game(id: str) -> str:
    """A game as it stands, or as it stood after `ply` actions."""
    seen = get(f"/games/{id}/overview", ply=request.args.get("ply"))
    game, position = seen["game"], seen["position"]
    return render_template(
        "embed/game.html", game=game, view=view_of(game, position, find_side_below())
    )


@embed.get("/position")
def show_embedded_position() -> str | tuple[str, int]:
    """Any position; `last` is the action that led to it."""
    variant = request.args.get("variant", DEFAULT_VARIANT)
    fen = request.args.get("fen", START).strip()
    try:
        written = find_dialect(variant)
        if fen in ("", START):
            fen = written.write_fen(written.start({}))
        scene = make_scene(variant, fen, request.args.get("last"))
    except (NotationError, UnknownVariant) as error:
        problem = {"title": gettext("Bad position"), "detail": str(error)}
        return render_template("embed/problem.html", problem=problem), 422
    view = BoardView(scene, fen, find_side_below())
    return render_template("embed/position.html", view=view, variant=variant)


def find_side_below() -> str:
    """The side at the lower edge, as requested."""
    asked = request.args.get("below")
    return asked if asked in SIDES else SIDES[0]


@embed.errorhandler(ApiRefused)
def show_embedded_refusal(error: ApiRefused) -> tuple[str, int]:
    """Say in the frame why there is no board."""
    problem: Any = error.problem
    return render_template("embed/problem.html", problem=problem), int(problem["status"])


@embed.after_request
def let_be_framed(response: Response) -> Response:
    """Let every site show the response."""
    response.headers.update(HEADERS)
    if request.endpoint == f"{FRAMED}.show_embedded_game" and response.status_code == 200:
        response.headers["Content-Security-Policy"] += LIVE
    return response
