"""The analysis board: any position, its legal actions, and an engine's analysis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from engine.position import Position
from notation import reader
from notation.errors import NotationError
from notation.game import Move
from notation.registry import find_dialect
from service.boards.fields import describe_fields
from service.boards.registry import find_board
from service.boards.scene import make_scene
from service.languages.texts import gettext, mark
from service.pages import api_client, session
from service.pages.annotations import SIDES, find_form
from service.pages.api_client import ApiRefused, get
from service.pages.board_view import BoardView
from service.pages.line_trees import describe_game, describe_line
from service.pages.site import DEFAULT_VARIANT, pages
from service.pages.words import say_first_side

START = "start"
"""The name of a game's first position, as in the API."""
LONGEST_RECORD = 256 * 1024
"""The most characters of a pasted record."""
LINES = 3
"""How many of the best lines are requested."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is analysed: a position, or a game (as the API has it) at one of its positions.

    `first` is the position string of the first position, `main` are the actions of the game from
    there, and `ply` is how many of them lead to the position shown, whose string is `fen`.
    `record` are the actions of a pasted record.
    """

    variant: str
    first: str
    fen: str
    ply: int = 0
    last: str | None = None
    game: Mapping[str, Any] | None = None
    record: Sequence[Mapping[str, Any]] = ()

    @property
    def main(self) -> list[dict[str, Any]]:
        """The actions of the game or the record, with their annotations."""
        if self.game is None:
            return [dict(one) for one in self.record]
        position = find_dialect(self.variant).read_fen(self.first)
        return describe_game(find_dialect(self.variant), position, self.game["actions"])


@pages.get("/analysis")
def show_analysis() -> Response | tuple[str, int]:
    """A position, or a game at one; with `action`, the position after it."""
    if id := request.args.get("game"):
        return render_analysis(read_game(id))
    variant = request.args.get("variant", DEFAULT_VARIANT)
    written = find_dialect(variant)
    fen = read_fen(variant)
    if fen in ("", START):
        fen = written.write_fen(written.start({}))
    # An unreadable position is shown as the start; after a mistyped action the position stays.
    position, problem = written.start({}), None
    try:
        position = written.read_fen(fen)
        if token := request.args.get("action", "").strip():
            return redirect(find_path_after(variant, position, token, choose_below()), 303)
    except NotationError as error:
        problem = {"title": mark("Bad position or action"), "detail": str(error)}
    shown = written.write_fen(position)
    subject = Subject(variant, shown, shown, last=request.args.get("last"))
    return render_analysis(subject, fen, problem)


def read_game(id: str) -> Subject:
    """A game to be analysed, at the requested or its last action; raises ApiRefused."""
    overview = get(f"/games/{id}/overview", ply=request.args.get("ply"))
    game, position = overview["game"], overview["position"]
    first = get(f"/games/{id}/positions", limit=1)["items"][0]["fen"]
    return Subject(
        game["variant"], first, position["fen"], position["ply"], position["action"], game
    )


@pages.post("/analysis")
def show_record() -> tuple[str, int]:
    """A record that was pasted, with its variations; nothing of it is kept."""
    session.check_csrf(request.form.get(session.FIELD))
    text = request.form.get("record", "")
    try:
        game = reader.read_game(text, limit=LONGEST_RECORD)
    except NotationError as error:
        first = find_start(DEFAULT_VARIANT)
        problem = {"title": gettext("Bad record"), "detail": str(error)}
        return render_analysis(Subject(DEFAULT_VARIANT, first, first), None, problem)
    written = find_dialect(game.variant)
    position = written.start(game.tags)
    first = written.write_fen(position)
    line = describe_line(written, position, game.moves)
    return render_analysis(Subject(game.variant, first, first, record=line))


def render_analysis(
    subject: Subject, fen: str | None = None, problem: Mapping[str, Any] | None = None
) -> tuple[str, int]:
    """The page; `fen` is the requested position, `problem` says why it cannot be shown."""
    written, below = find_dialect(subject.variant), choose_below()
    position = written.read_fen(subject.fen)
    legal = sorted((written.coordinate(a), written.san(position, a)) for a in position.legal())
    actions = [{"action": action, "san": san} for action, san in legal]
    scene = make_scene(subject.variant, subject.fen, subject.last)
    view = BoardView(scene, subject.fen, below, None, actions)
    line, unplayable = read_line(subject)
    problem = problem or unplayable
    page = render_template(
        "analysis.html",
        view=view,
        fen=subject.fen if fen is None else fen,
        problem=problem,
        game=subject.game,
        ply=subject.ply,
        keeps=may_keep(subject.game),
        record=request.form.get("record") if problem else None,
        told=describe_subject(subject, below, line),
    )
    return page, 422 if problem else 200


def describe_subject(
    subject: Subject, below: str, line: Sequence[Mapping[str, str]]
) -> dict[str, Any]:
    """The initial data for the page's scripts."""
    return {
        "variant": subject.variant,
        "side": say_first_side(subject.variant),
        "fen": subject.first,
        "start": find_start(subject.variant),
        "main": subject.main,
        "ply": subject.ply,
        "line": line,
        "below": below,
        "fields": describe_fields(find_board(subject.variant).fields),
        "game": subject.game and subject.game["id"],
        "version": subject.game and subject.game["version"],
    }


def read_line(subject: Subject) -> tuple[list[dict[str, Any]], dict[str, str] | None]:
    """The line that the page begins with, as far as it is legal, and what is wrong with it."""
    written = find_dialect(subject.variant)
    position = written.read_fen(subject.fen)
    line: list[dict[str, Any]] = []
    for token in request.args.get("line", "").split():
        try:
            action = written.resolve(position, token)
        except NotationError as error:
            return line, {"title": mark("Bad position or action"), "detail": str(error)}
        line += describe_line(written, position, [Move(action)])
    return line, None


def find_start(variant: str) -> str:
    """The position string of a game's first position."""
    written = find_dialect(variant)
    return written.write_fen(written.start({}))


def may_keep(game: Mapping[str, Any] | None) -> bool:
    """Whether the reader may write variations beside the actions of a game."""
    if game is None or not game["actions"]:
        return False
    form = find_form(game, 1)
    return form is not None and "variations" in form["fields"]


def choose_below() -> str:
    """The side nearest the reader."""
    asked = request.args.get("below", SIDES[0])
    return asked if asked in SIDES else SIDES[0]


def find_path_after(variant: str, position: Position, token: str, below: str) -> str:
    """The path of the position after an action; raises TokenError."""
    written = find_dialect(variant)
    action = written.resolve(position, token)
    position.play(action)
    fen, played = written.write_fen(position), written.coordinate(action)
    return url_for("pages.show_analysis", variant=variant, last=played, fen=fen, below=below)


def read_fen(variant: str) -> str:
    """The FEN in the form, unless it is left over from another game."""
    fen = request.args.get("fen", "").strip()
    shown, _, old = request.args.get("shown", "").partition(" ")
    return "" if shown and shown != variant and fen == old else fen


@pages.get("/analyses")
def show_board_after_refusal() -> Response:
    """Lead to the analysis board: a refused form leaves its own address in the browser."""
    return redirect(url_for("pages.show_analysis"))


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
        # Where the analysis appears, at the position that was being viewed.
        ply = request.form.get("ply", type=int)
        path = url_for("pages.show_game", id=form["game"], ply=ply, _anchor="evaluation")
        return redirect(path, 303)
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
