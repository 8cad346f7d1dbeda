"""The language of a request: what the reader has chosen, else what their browser asks for."""

from __future__ import annotations

from typing import Final

from flask import Flask, Response, request
from flask_babel import Babel

from service.languages.catalogue import LANGUAGES, SOURCE
from service.languages.texts import choose_form, get_language, gettext, pgettext, set_language

COOKIE: Final = "language"
"""The cookie that holds what the reader has chosen."""
VARIES: Final = ("Accept-Language", "Cookie")
TOLD: Final = ("HTTP_ACCEPT_LANGUAGE", "HTTP_COOKIE")
"""The parts of a request's environment that say which language to use."""


def choose_language() -> str:
    """The language of the cookie, else the best of `Accept-Language`, else English."""
    if request.environ.keys().isdisjoint(TOLD):
        return SOURCE
    own = request.cookies.get(COOKIE, "")
    if own in LANGUAGES:
        return own
    # Regions have no separate texts: a preference for Austrian German is one for German.
    asked = (tag.lower().partition("-")[0] for tag, quality in request.accept_languages if quality)
    return next((language for language in asked if language in LANGUAGES), SOURCE)


def register_languages(app: Flask) -> None:
    """Answer each request in its language; to be registered before handlers that may refuse it."""
    Babel(app, locale_selector=get_language)
    app.jinja_env.install_gettext_callables(  # type: ignore[attr-defined]
        gettext, choose_form, newstyle=True, pgettext=pgettext
    )
    app.jinja_env.globals |= {"language": get_language, "languages": LANGUAGES}
    app.before_request(begin_request)
    app.after_request(name_language)
    app.teardown_request(end_request)


def begin_request() -> None:
    """Write texts in the language of the request."""
    set_language(choose_language())


def name_language(response: Response) -> Response:
    """Say in the headers which language a page or a problem is in, and what that depends on."""
    if response.mimetype in ("text/html", "application/problem+json"):
        response.headers["Content-Language"] = get_language()
        response.vary.update(VARIES)
    return response


def end_request(error: BaseException | None) -> None:
    """Reset the language, so that nothing outside a request is in it."""
    set_language(SOURCE)
