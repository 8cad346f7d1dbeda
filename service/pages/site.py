"""The pages as one blueprint, and what all of them share."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from datetime import datetime
from importlib import import_module
from typing import Any, Final
from unicodedata import bidirectional

from flask import Blueprint, Flask, Response, g, render_template, request

from engine.registry import VARIANTS
from service.languages.formats import format_day, format_moment
from service.languages.requests import VARIES, register_languages
from service.pages import session
from service.pages.api_client import ApiRefused, get, get_reader
from service.pages.problem_pages import PAGE, render_problem_page
from service.pages.static_files import DigestConverter, static_files
from service.player.names.name_policy import NOBODY
from service.player.names.shown import shown_name

pages = Blueprint(
    "pages",
    __name__,
    template_folder="templates",
)

VIEWS: Final = (
    *(
        "account",
        "addresses",
        "analysis_board",
        "annotations",
        "api_reference",
        "downloads",
        "explorer",
    ),
    *("sign_in_links", "passkeys", "identities"),
    *("clocks", "finding", "game", "games", "home", "imports", "languages", "listed", "lobby"),
    *("mail",),
    *("merging", "players", "puzzles", "rules", "signing_in", "tournaments", "tournament_desk"),
    *("problem_texts", "tournament_names", "tournament_results", "words"),
)
RIGHT_TO_LEFT: Final = ("R", "AL")
FIRST_STRONG: Final = "\u2068"
POP_ISOLATE: Final = "\u2069"
"""Characters that isolate a text's direction from the text around it (Unicode, UAX #9)."""
FRAMED: Final = "embed"
"""The blueprint of pages that other sites show in frames, which sets its own restrictions."""
DEFAULT_VARIANT: Final = next(iter(VARIANTS))
"""The game that a page shows if none is requested."""
HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self';"
    " img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
}
"""Headers by which everything comes from this site, and nothing inline in a page can run."""


@pages.before_request
def know_reader() -> None:
    """Identify the reader before any request is made in their name."""
    get_reader()


@pages.context_processor
def list_shared_values() -> dict[str, Any]:
    """Return the values and functions that every template may use."""
    return {
        "reader": g.get("reader"),
        "signed_out": g.get("stale", False),
        "csrf": session.make_csrf_token(),
        "is_guest": is_guest,
        "fresh_key": lambda: secrets.token_hex(16),
        "variants": get_variants,
    }


def is_guest() -> bool:
    """Whether the reader plays as a guest, who would lose everything with this browser's cookie."""
    who = session.find_bearer()
    return who is not None and who.guest


def get_variants() -> dict[str, Mapping[str, Any]]:
    """The games that can be played here, by name."""
    return {known["name"]: known for known in get("/variants")["items"]}


@pages.app_template_filter("named")
def name_player(player: Mapping[str, Any], unknown: str = NOBODY) -> str:
    """A player's name with its mark; one in right-to-left script is isolated from what follows.

    >>> name_player({"name": "Ann Lee", "mark": "K7QF"}), name_player({"name": None})
    ('Ann Lee #K7QF', '?')
    >>> name_player({"name": "\u05d0", "mark": None}) == "\u2068\u05d0\u2069"
    True
    """
    name = player.get("name")
    if name is None or not any(bidirectional(char) in RIGHT_TO_LEFT for char in name):
        return shown_name(player, unknown)
    return shown_name({**player, "name": f"{FIRST_STRONG}{name}{POP_ISOLATE}"})


@pages.app_template_filter("game")
def name_game(variant: str) -> str:
    """A game's name as in a heading."""
    return variant.replace("-", " ").title()


@pages.app_template_filter("opening")
def describe_opening(opening: Mapping[str, Any]) -> str:
    """An opening's name, after its code if it has one.

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
def format_time(moment: str | None) -> str:
    """The day and the minute of a time from the API."""
    return format_moment(datetime.fromisoformat(moment)) if moment else ""


@pages.app_template_filter("date")
def format_date(moment: str | None) -> str:
    """The day of a time from the API."""
    return format_day(datetime.fromisoformat(moment)) if moment else ""


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
    """Set headers that say what the page may do, and who has seen it; renew old cookies."""
    response.headers.update(HEADERS)
    response.vary.update(VARIES)
    response.headers.setdefault("Cache-Control", "private, no-cache")
    reader = g.get("reader")
    if g.get("stale"):
        session.sign_out(response)
    elif reader is not None:
        session.renew_cookies(response, reader["id"])
    return response


@pages.errorhandler(ApiRefused)
def show_refusal(error: ApiRefused) -> tuple[str, int]:
    """Show the API's refusal as a page."""
    return render_template("problem.html", problem=error.problem), int(error.problem["status"])


def name_visitor() -> None:
    """Count a page for the player who reads it, as the API counts a player's requests."""
    who = session.find_bearer() if request.blueprint == pages.name else None
    if who is not None:
        g.visitor = who.actor.player


def register_pages(app: Flask) -> None:
    """Serve the pages, and let their sessions into the API."""
    register_languages(app)
    # The views register themselves on the blueprint when they are imported.
    for module in VIEWS:
        import_module(f"service.pages.{module}")
    app.before_request(session.authorize_api_request)
    app.before_request(name_visitor)
    app.url_map.converters["digest"] = DigestConverter
    app.register_blueprint(static_files)
    app.register_blueprint(import_module("service.pages.embedding").embed)
    app.register_blueprint(pages)

    @app.after_request
    def confine(response: Response) -> Response:
        shown = render_problem_page(response)
        if shown.mimetype == PAGE and shown.status_code >= 400 and request.blueprint != FRAMED:
            shown.headers.update(HEADERS)
        return shown
