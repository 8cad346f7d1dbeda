"""The pages as one blueprint: what all of them share."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final

from flask import Blueprint, Flask, Response, g, render_template, request

from engine.registry import VARIANTS
from service.boards.svg import load_style
from service.pages import session
from service.pages.api_client import ApiRefused, get, get_reader
from service.pages.problem_pages import PAGE, render_problem_page
from service.player.names.shown import shown_name

pages = Blueprint(
    "pages",
    __name__,
    template_folder="templates",
    static_folder="static",
    static_url_path="/static",
)

VIEWS: Final = (
    *("account", "analysis_board", "annotations", "api_reference", "downloads", "explorer"),
    *("clocks", "game", "games", "imports", "mail", "merging", "players"),
    *("tournaments", "tournament_desk"),
    *("problem_texts", "tournament_names"),
)
DEFAULT_VARIANT: Final = next(iter(VARIANTS))
"""The game that a page shows where none is asked for."""
HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self';"
    " img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
}
"""Everything comes from this site, and nothing that is written in a page can run."""


@pages.get("/board.css")
def send_board_style() -> Response:
    """The style sheet of the boards."""
    return Response(load_style(), mimetype="text/css", headers={"Cache-Control": "no-cache"})


@pages.before_request
def know_reader() -> None:
    """Find out who reads, before anything is asked in their name."""
    if request.endpoint != "pages.static":
        get_reader()


@pages.context_processor
def list_shared_values() -> dict[str, Any]:
    """Return the values and functions that every template may use."""
    return {
        "reader": g.get("reader"),
        "signed_out": g.get("stale", False),
        "csrf": session.make_csrf_token(),
        "fresh_key": lambda: secrets.token_hex(16),
        "variants": get_variants,
    }


def get_variants() -> dict[str, Mapping[str, Any]]:
    """The games that can be played here, by name."""
    return {known["name"]: known for known in get("/variants")["items"]}


pages.add_app_template_filter(shown_name, "named")


@pages.app_template_filter("game")
def name_game(variant: str) -> str:
    """A game's name as a heading has it."""
    return variant.replace("-", " ").title()


@pages.app_template_filter("opening")
def describe_opening(opening: Mapping[str, Any]) -> str:
    """An opening's name, behind its code if it has one.

    >>> describe_opening({"name": "Northern Gate", "code": "N1"})
    'N1 Northern Gate'
    """
    return " ".join(filter(None, (opening["code"], opening["name"])))


@pages.app_template_filter("occasion")
def describe_occasion(game: Mapping[str, Any]) -> str:
    """Where and when a listed game was played, as far as its tags say.

    >>> describe_occasion({"tags": {"Event": "Club evening", "Date": "1999.12.??"}})
    'Club evening, 1999.12'
    >>> describe_occasion({"tags": {"Event": "?", "Date": "????.??.??"}})
    ''
    """
    event, date = (game["tags"].get(name, "") for name in ("Event", "Date"))
    return ", ".join(one for one in (event, date.replace(".??", "")) if one.strip("?"))


@pages.app_template_filter("day")
def format_day(moment: str | None) -> str:
    """The day and the minute of a time of the API."""
    return moment[:16].replace("T", " ") if moment else ""


@pages.app_template_filter("counted")
def format_count(number: int, one: str, several: str) -> str:
    """A number with what it counts.

    >>> format_count(1, "mistake", "mistakes"), format_count(0, "mistake", "mistakes")
    ('1 mistake', '0 mistakes')
    """
    return f"{number} {one if number == 1 else several}"


@pages.app_template_filter("flat")
def flatten_errors(errors: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield the API's messages with the path of the field that each is about.

    >>> list(flatten_errors({"players": {"first": {"name": ["Too long.", "Not a name."]}}}))
    [('players.first.name', 'Too long. Not a name.')]
    """
    if isinstance(errors, Mapping):
        for key, inner in errors.items():
            yield from flatten_errors(inner, f"{name}.{key}" if name else str(key))
    else:
        yield name, " ".join(errors) if isinstance(errors, list) else str(errors)


@pages.after_request
def finish(response: Response) -> Response:
    """Say what the page may do, and to whom it was shown."""
    response.headers.update(HEADERS)
    response.headers["Vary"] = "Cookie"
    response.headers.setdefault("Cache-Control", "private, no-cache")
    if g.get("stale"):
        session.sign_out(response)
    return response


@pages.errorhandler(ApiRefused)
def show_refusal(error: ApiRefused) -> tuple[str, int]:
    """Show the API's refusal as a page."""
    return render_template("problem.html", problem=error.problem), int(error.problem["status"])


def register_pages(app: Flask) -> None:
    """Serve the pages, and let their sessions into the API."""
    # The views put themselves on the blueprint when they are imported.
    for module in VIEWS:
        import_module(f"service.pages.{module}")
    app.before_request(session.authorize_api_request)
    app.register_blueprint(pages)

    @app.after_request
    def confine(response: Response) -> Response:
        shown = render_problem_page(response)
        if shown.mimetype == PAGE and shown.status_code >= 400:
            shown.headers.update(HEADERS)
        return shown
