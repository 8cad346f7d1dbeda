"""The language switch at the foot of every page."""

from __future__ import annotations

from typing import Final

from flask import redirect, request
from werkzeug.wrappers import Response

from service.languages.catalogue import LANGUAGES
from service.languages.requests import COOKIE
from service.pages import session
from service.pages.signing_in import find_next_path
from service.pages.site import pages

YEAR: Final = 365 * 24 * 3600


@pages.post("/language")
def choose_language() -> Response:
    """Keep the form's language in a cookie, and show the page again where it was chosen."""
    session.check_origin()
    answer = redirect(find_next_path(), 303)
    language = request.form.get("language", "")
    if language in LANGUAGES:
        answer.set_cookie(
            COOKIE, language, max_age=YEAR, secure=request.is_secure, httponly=True, samesite="Lax"
        )
    return answer
