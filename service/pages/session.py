"""The cookie of a browser that is signed in, which scripts cannot read.

It holds a session (`service.accounts.sessions`) or, in browsers that signed in without TLS before
there were sessions, a token; it is SameSite and HttpOnly. To the API it is the request's bearer
token, but a change must also send the CSRF token of the page it came from, which no other site can
read.
"""

from __future__ import annotations

import hmac
from typing import Final

from flask import g, request
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
from service.player.tokens import is_session

COOKIE: Final = "movelog"
DEVICE: Final = "movelog-device"
"""The cookie by which a browser that has signed in before is recognised."""
RENEWED: Final = "movelog-renewed"
"""The cookie that a browser keeps until the others are to be set again."""
FIELD: Final = "csrf"
HEADER: Final = "X-CSRF-Token"
SAFE: Final = ("GET", "HEAD", "OPTIONS")
PORTS: Final = {"http": 80, "https": 443}
LIFETIME: Final = 400 * 24 * 3600
"""Seconds for which the browser keeps the cookie (as long as browsers keep any)."""
RENEWAL: Final = 30 * 24 * 3600
"""Seconds after which a browser that is still used is given its cookies again."""


def read_token() -> str | None:
    """The session that the request began, or the session or token in its cookie.

    None if no header could hold it.
    """
    own = g.get("new_session") or read_cookie(COOKIE)
    return own if own and own.isascii() and own.isprintable() else None


def find_bearer() -> Bearer | None:
    """The bearer of the request's cookie; None without one, or if it is no longer valid."""
    own = read_token()
    try:
        return None if own is None else get_service().bearers.authenticate(own)
    except BadToken:
        return None


def find_visitor() -> Visitor:
    """The sender of the request's form, as far as the browser states it."""
    agent = request.headers.get("User-Agent", "")
    return Visitor(address(), name_browser(agent), read_cookie(DEVICE), get_language())


def make_csrf_token() -> str:
    """The CSRF token that changes from this session's pages must send; empty without a session.

    It looks different in every answer, so that the lengths of compressed pages do not reveal it.
    """
    return mask(find_csrf_secret())


def find_csrf_secret() -> str:
    """The secret that the session's CSRF tokens mask."""
    own = read_token()
    return keyed_digest(get_service().secret, "csrf", own) if own else ""


def check_origin() -> None:
    """Raise BadCsrfToken for a form sent by another site's page.

    Browsers that say where a form comes from are believed; for others its Origin is checked.
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
    """Whether an Origin is this site's, whether or not either of them names the default port."""
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
    """Give an API request with a cookie but no bearer token the cookie's token.

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


def sign_in(response: Response, player: str, way: Way, token: str | None = None) -> None:
    """Begin a session of a player, and put it into the browser's cookie in place of any other.

    `token` is the id of the token used to sign in. Raises SignInRefused.
    """
    begin_session(player, way, token)
    set_new_cookies(response, player)


def begin_session(player: str, way: Way, token: str | None = None) -> None:
    """Begin a session of a player, as whom the rest of the request is made; ends any other.

    The response to the request has yet to get its cookies. Raises SignInRefused.
    """
    end_session()
    g.new_session = get_service().accounts.begin_session(player, way, find_visitor(), token)
    g.stale = False
    g.pop("reader", None)


def set_new_cookies(response: Response, player: str) -> None:
    """Set the cookies of the session of a player that the request began."""
    set_cookies(response, g.new_session, get_service().accounts.guesses.make_device(player))


def renew_cookies(response: Response, player: str) -> None:
    """Set the cookies of a player's session again if that was not done within RENEWAL.

    Otherwise they would end LIFETIME after signing in, however often the session is used. A
    response that sets cookies, such as those of a new session, is left alone.
    """
    if read_cookie(RENEWED) is not None or "Set-Cookie" in response.headers:
        return
    own, device = read_token(), read_cookie(DEVICE)
    if own is None or not is_session(own):
        return
    known = get_service().accounts.guesses.knows_device(player, device)
    set_cookies(response, own, device if known else None)


def set_cookies(response: Response, own: str, device: str | None) -> None:
    """Set the cookies of a session, and of the browser as a device that is known, if it is."""
    set_cookie(response, COOKIE, own, LIFETIME)
    if device is not None:
        set_cookie(response, DEVICE, device, LIFETIME)
    set_cookie(response, RENEWED, "1", RENEWAL)


def end_session() -> None:
    """End the session in the request's cookie, if it holds one."""
    who = find_bearer()
    if who is not None and who.session is not None:
        get_service().accounts.end_sessions(who.actor.player, who.session)


def sign_out(response: Response) -> Response:
    """Remove the cookie, and also one from before TLS was used."""
    for name in dict.fromkeys((name_cookie(COOKIE), COOKIE)):
        response.delete_cookie(name, secure=request.is_secure, httponly=True, samesite="Lax")
    return response


def name_cookie(name: str) -> str:
    """A cookie's name for browsers: over TLS one that no other host can set.

    Otherwise the site of a neighbouring domain could put its own session into a browser here
    (RFC 6265bis, 4.1.3.2).
    """
    return f"__Host-{name}" if request.is_secure else name


def read_cookie(name: str) -> str | None:
    """A cookie of this site; over TLS none from before TLS was used, which others can set too."""
    return request.cookies.get(name_cookie(name))


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
