"""The cookie of a browser that is signed in, which scripts cannot read.

It holds a session (`service.accounts.sessions`), or in browsers that signed in before there were
sessions a token; it is SameSite and HttpOnly. To the API it is the bearer of the request, but a
change must also show the CSRF token of the page it came from, which no other site can read.
"""

from __future__ import annotations

import hmac
from typing import Final

from flask import request
from werkzeug.wrappers import Response

from service.accounts.account import Way
from service.accounts.visitor import Visitor
from service.api.context import address, get_service
from service.api.errors import BadCsrfToken
from service.ids import keyed_digest
from service.languages.texts import get_language
from service.pages.browser import name_browser
from service.pages.masking import mask, unmask
from service.player.authentication import Bearer
from service.player.errors import BadToken

COOKIE: Final = "movelog"
DEVICE: Final = "movelog-device"
"""The cookie by which a browser is known that has signed in before."""
FIELD: Final = "csrf"
HEADER: Final = "X-CSRF-Token"
SAFE: Final = ("GET", "HEAD", "OPTIONS")
PORTS: Final = {"http": 80, "https": 443}
LIFETIME: Final = 400 * 24 * 3600
"""Seconds the browser keeps the cookie (as long as browsers keep any)."""


def read_token() -> str | None:
    """The session or token in the request's cookie; what no header could bear is none."""
    own = read_cookie(COOKIE)
    return own if own and own.isascii() and own.isprintable() else None


def find_bearer() -> Bearer | None:
    """Who comes with the request's cookie; None for nobody, or where it is good no longer."""
    own = read_token()
    try:
        return None if own is None else get_service().bearers.authenticate(own)
    except BadToken:
        return None


def find_visitor() -> Visitor:
    """Who sends the request's form, as far as the browser tells."""
    agent = request.headers.get("User-Agent", "")
    return Visitor(address(), name_browser(agent), read_cookie(DEVICE), get_language())


def make_csrf_token() -> str:
    """The CSRF token that changes from this session's pages must send; empty without a session.

    It looks different in every answer, so that the lengths of compressed pages do not tell it.
    """
    return mask(find_csrf_secret())


def find_csrf_secret() -> str:
    """What the session's CSRF tokens stand for."""
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
    if not hmac.compare_digest(unmask(shown or ""), find_csrf_secret()):
        raise BadCsrfToken


def authorize_api_request() -> None:
    """Give a request to the API that has a cookie and no bearer token the cookie's token.

    Raises BadCsrfToken for a change without the CSRF token.
    """
    if "HTTP_AUTHORIZATION" in request.environ or not request.path.startswith("/api/"):
        return
    own = read_token()
    if own is None:
        return
    if request.method not in SAFE:
        check_csrf(request.headers.get(HEADER))
    request.environ["HTTP_AUTHORIZATION"] = f"Bearer {own}"


def sign_in(response: Response, player: str, way: Way, token: str | None = None) -> str:
    """Begin a session of a player, and put it into the browser's cookie in place of any other.

    `token` is the id of the token that somebody signs in with. Returns the session as the bearer of
    requests; raises SignInRefused.
    """
    accounts = get_service().accounts
    end_session()
    own = accounts.begin_session(player, way, find_visitor(), token)
    set_cookie(response, COOKIE, own, LIFETIME)
    set_cookie(response, DEVICE, accounts.guesses.make_device(player), LIFETIME)
    return own


def end_session() -> None:
    """End the session that the request's cookie holds, if it holds one."""
    who = find_bearer()
    if who is not None and who.session is not None:
        get_service().accounts.end_sessions(who.actor.player, who.session)


def sign_out(response: Response) -> Response:
    """Take the cookie away, also one from before there was TLS."""
    for name in dict.fromkeys((name_cookie(COOKIE), COOKIE)):
        response.delete_cookie(name, secure=request.is_secure, httponly=True, samesite="Lax")
    return response


def name_cookie(name: str) -> str:
    """A cookie's name as browsers have it: over TLS such that no other host can set it.

    Else the site of a neighbouring domain could put a session of its own into a browser here
    (RFC 6265bis, 4.1.3.2).
    """
    return f"__Host-{name}" if request.is_secure else name


def read_cookie(name: str) -> str | None:
    """A cookie of this site; one from before there was TLS only where there is no other."""
    return request.cookies.get(name_cookie(name), request.cookies.get(name))


def set_cookie(response: Response, name: str, value: str, seconds: int) -> None:
    """Set a cookie that no script and no other site can use."""
    response.set_cookie(
        name_cookie(name),
        value,
        max_age=seconds,
        secure=request.is_secure,
        httponly=True,
        samesite="Lax",
    )
