"""Signing in: the player's token in a cookie that scripts cannot read.

The cookie is SameSite and HttpOnly. To the API it is the bearer token of the request, but a change
must also show the CSRF token of the page it came from, which no other site can read.
"""

from __future__ import annotations

import hmac
from typing import Final

from flask import request
from werkzeug.wrappers import Response

from service.api.context import get_service
from service.api.errors import BadCsrfToken
from service.ids import keyed_digest

COOKIE: Final = "movelog"
FIELD: Final = "csrf"
HEADER: Final = "X-CSRF-Token"
SAFE: Final = ("GET", "HEAD", "OPTIONS")
PORTS: Final = {"http": 80, "https": 443}
LIFETIME: Final = 400 * 24 * 3600
"""Seconds the browser keeps the cookie (as long as browsers keep any)."""


def read_token() -> str | None:
    """The token in the request's cookie; what no header could bear is none."""
    own = request.cookies.get(COOKIE)
    return own if own and own.isascii() and own.isprintable() else None


def make_csrf_token() -> str:
    """The CSRF token that changes from this session's pages must send; empty without one."""
    own = read_token()
    return keyed_digest(get_service().secret, "csrf", own) if own else ""


def check_origin() -> None:
    """Raise BadCsrfToken for a form that another site's page has sent.

    Browsers that say where a form comes from are believed; others are asked for its Origin.
    """
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        own = site in ("same-origin", "none")
    else:
        origin = request.headers.get("Origin")
        own = origin is None or is_own(origin)
    if not own:
        raise BadCsrfToken


def is_own(origin: str) -> bool:
    """Whether an Origin is this site's, whichever of the two names the port that is implied."""
    scheme, _, place = origin.partition("://")
    implied = f":{PORTS.get(scheme, '')}"
    if scheme not in PORTS or (request.is_secure and scheme != "https"):
        return False
    return place.removesuffix(implied) == request.host.removesuffix(implied)


def check_csrf(shown: str | None) -> None:
    """Raise BadCsrfToken unless this is the session's CSRF token, from a page of this site."""
    check_origin()
    if not hmac.compare_digest((shown or "").encode(), make_csrf_token().encode()):
        raise BadCsrfToken


def authorize_api_request() -> None:
    """Give a request to the API that has a cookie and no bearer token the cookie's token.

    Raises BadCsrfToken for a change without the CSRF token.
    """
    if not request.path.startswith("/api/") or "Authorization" in request.headers:
        return
    own = read_token()
    if own is None:
        return
    if request.method not in SAFE:
        check_csrf(request.headers.get(HEADER))
    request.environ["HTTP_AUTHORIZATION"] = f"Bearer {own}"


def sign_in(response: Response, secret: str) -> Response:
    """Put a token into the browser's cookie."""
    response.set_cookie(
        COOKIE, secret, max_age=LIFETIME, secure=request.is_secure, httponly=True, samesite="Lax"
    )
    return response


def sign_out(response: Response) -> Response:
    """Take the cookie away."""
    response.delete_cookie(COOKIE, secure=request.is_secure, httponly=True, samesite="Lax")
    return response
