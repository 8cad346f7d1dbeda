"""Passkeys: what the browser's script requests and sends, as JSON."""

from __future__ import annotations

from typing import Any, Final

from flask import Response, jsonify, request

from service.accounts.account import Way
from service.accounts.errors import PasskeyRefused
from service.accounts.site import Site, find_site
from service.api.context import address, get_service
from service.api.errors import MalformedJson
from service.api.request_data import parse_json
from service.pages import session
from service.pages.account import check_may_change, require_reader
from service.pages.signing_in import find_next_path
from service.pages.site import pages

LARGEST: Final = 64 * 1024
"""The most bytes that the script may send: many times what a browser makes of a passkey."""


@pages.app_template_global("offers_passkeys")
def offers_passkeys() -> bool:
    """Whether browsers support passkeys at the address by which the page was requested."""
    return find_own_site() is not None


def find_own_site() -> Site | None:
    """The service's site: its public address, or that of the request."""
    return find_site(get_service().settings.public_url or request.host_url.rstrip("/"))


def require_site() -> Site:
    """The service's site; raises PasskeyRefused if passkeys are not possible."""
    site = find_own_site()
    if site is None:
        raise PasskeyRefused
    return site


@pages.post("/account/passkeys/options")
def begin_adding_passkey() -> Response:
    """What the browser needs to make a passkey of the reader."""
    session.check_csrf(request.headers.get(session.HEADER))
    who, sent = require_reader(), read_json()
    check_may_change(who, sent.get("password"))
    get_service().accounts.guesses.begin(address())
    player = who.actor.player
    name = get_service().players.names([player])[player]
    return jsonify(get_service().accounts.passkeys.begin_adding(require_site(), player, name))


@pages.post("/account/passkeys")
def add_passkey() -> Response:
    """Let the reader sign in with the passkey that the browser has made."""
    session.check_csrf(request.headers.get(session.HEADER))
    who, sent = require_reader(), read_json()
    name = str(sent.get("name") or session.find_visitor().browser)
    passkeys = get_service().accounts.passkeys
    passkeys.add(require_site(), who.actor.player, sent.get("credential"), name)
    answer = jsonify({"next": "/account"})
    session.sign_in(answer, who.actor.player, Way.PASSKEY)
    return answer


@pages.post("/sign-in/passkey/options")
def begin_passkey_sign_in() -> Response:
    """What the browser needs to ask for a passkey of this site; raises TooManyTries."""
    session.check_origin()
    get_service().accounts.guesses.begin(address())
    return jsonify(get_service().accounts.passkeys.begin_signing_in(require_site()))


@pages.post("/sign-in/passkey")
def sign_in_with_passkey() -> Response:
    """Sign in with a passkey; raises PasskeyRefused."""
    session.check_origin()
    passkeys = get_service().accounts.passkeys
    player = passkeys.sign_in(require_site(), read_json().get("credential"))
    answer = jsonify({"next": find_next_path()})
    session.sign_in(answer, player, Way.PASSKEY)
    return answer


def read_json() -> dict[str, Any]:
    """The object sent by the script; raises PasskeyRefused, RequestEntityTooLarge."""
    request.max_content_length = LARGEST
    try:
        return parse_json(request.get_data())
    except MalformedJson as error:
        raise PasskeyRefused from error
