"""The analysis board: any position, its legal actions, and an engine's analysis."""

from __future__ import annotations

from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from engine.position import Position
from notation.errors import NotationError
from notation.registry import find_dialect
from service.boards.scene import make_scene
from service.pages import api_client, session
from service.pages.api_client import ApiRefused, get
from service.pages.board_view import BoardView
from service.pages.site import DEFAULT_VARIANT, pages

START = "start"
"""What stands for a game's first position, as in the API."""
LINES = 3
"""How many of the best lines are asked for."""


@pages.get("/analysis")
def show_analysis() -> Response | tuple[str, int]:
    """A position; with `action` the one behind it."""
    variant = request.args.get("variant", DEFAULT_VARIANT)
    written = find_dialect(variant)
    fen = read_fen(variant)
    if fen in ("", START):
        fen = written.write_fen(written.start({}))
    below = request.args.get("below", "first")
    # What cannot be read is shown as the start; who mistypes an action is left where they are.
    position, problem = written.start({}), None
    try:
        position = written.read_fen(fen)
        if token := request.args.get("action", "").strip():
            return redirect(find_path_after(variant, position, token, below), 303)
    except NotationError as error:
        problem = {"title": "Bad position or action", "detail": str(error)}
    shown = written.write_fen(position)
    legal = sorted((written.coordinate(a), written.san(position, a)) for a in position.legal())
    actions = [{"action": action, "san": san} for action, san in legal]
    view = BoardView(
        make_scene(variant, shown, request.args.get("last")), shown, below, None, actions
    )
    page = render_template("analysis.html", view=view, fen=fen, problem=problem)
    return page, 422 if problem else 200


def find_path_after(variant: str, position: Position, token: str, below: str) -> str:
    """The path of the position after an action; raises TokenError."""
    written = find_dialect(variant)
    action = written.resolve(position, token)
    position.play(action)
    fen, played = written.write_fen(position), written.coordinate(action)
    return url_for("pages.show_analysis", variant=variant, last=played, fen=fen, below=below)


def read_fen(variant: str) -> str:
    """The FEN of the form, unless it is left over from another game."""
    fen = request.args.get("fen", "").strip()
    shown, _, old = request.args.get("shown", "").partition(" ")
    return "" if shown and shown != variant and fen == old else fen


@pages.post("/analyses")
def ask() -> Response | tuple[str, int]:
    """Have a position or a whole game analysed, and show what is found."""
    session.check_csrf(request.form.get(session.FIELD))
    form = {name: request.form[name] for name in ("variant", "fen", "game") if name in request.form}
    try:
        made = api_client.post("/analyses", {**form, "lines": LINES})
    except ApiRefused as refused:
        shown = render_template("problem.html", problem=refused.problem)
        return shown, int(refused.problem["status"])
    if "game" in form:
        return redirect(url_for("pages.show_game", id=form["game"]), 303)
    return redirect(url_for("pages.show_findings", id=made["id"]), 303)


@pages.get("/analyses/<id:id>")
def show_findings(id: str) -> str:
    """A position with the lines that were found, and with what is found meanwhile."""
    shown = get(f"/analyses/{id}")
    found = shown["under_way"] or (shown["findings"] or [{"finding": None}])[-1]["finding"]
    below = request.args.get("below", "first")
    view = None
    if shown["fen"]:
        view = BoardView(make_scene(shown["variant"], shown["fen"]), shown["fen"], below)
    return render_template("findings.html", shown=shown, found=found, view=view)
