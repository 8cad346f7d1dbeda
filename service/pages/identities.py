"""Signing in by the operator's OpenID Connect provider."""

from __future__ import annotations

from typing import Final

from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from service.accounts.account import Way
from service.accounts.errors import IdentityRefused
from service.accounts.identities import LASTS_S
from service.accounts.provider_answers import ProviderIdentity
from service.api.context import address, get_service
from service.errors import ServiceError
from service.pages import session
from service.pages.account import check_may_change, require_reader
from service.pages.signing_in import (
    Shown,
    check_registration_is_open,
    find_next_path,
    read_problem,
)
from service.pages.site import pages

COOKIE: Final = "movelog-identity"
"""The cookie that binds a sign-in to the browser that began it."""


@pages.app_template_global("identity_provider")
def name_provider() -> str | None:
    """The label of the button to the operator's provider; None without one."""
    provider = get_service().accounts.identities.provider
    return None if provider is None else provider.name


def find_return_url() -> str:
    """The URL to which the provider sends browsers back."""
    root = get_service().settings.public_url or request.host_url.rstrip("/")
    return root + url_for("pages.return_from_provider")


@pages.get("/sign-in/identity")
def go_to_provider() -> Response:
    """Send the browser to the provider.

    Raises IdentityRefused, IdentityUnavailable and TooManyTries.
    """
    get_service().accounts.guesses.begin(address())
    identities = get_service().accounts.identities
    url, browser = identities.begin(find_return_url(), find_next_path())
    answer = redirect(url, 303)
    session.set_cookie(answer, COOKIE, browser, LASTS_S)
    return answer


@pages.get("/sign-in/identity/return")
def return_from_provider() -> Shown:
    """Sign in a person who comes back; a new one says here who they are.

    Raises IdentityRefused and IdentityUnavailable.
    """
    asked, identities = request.args, get_service().accounts.identities
    provider = identities.provider
    if "error" in asked:
        raise IdentityRefused("you did not sign in there")
    if provider is not None and asked.get("iss", provider.issuer) != provider.issuer:
        raise IdentityRefused("another service has answered")
    browser = request.cookies.get(session.name_cookie(COOKIE), "")
    returned = identities.finish(
        find_return_url(), asked.get("state", ""), asked.get("code", ""), browser
    )
    if returned.player is None:
        return render_newcomer(returned.identity, returned.next, None), 200
    answer = redirect(returned.next, 303)
    session.sign_in(answer, returned.player, Way.IDENTITY)
    return answer


@pages.post("/sign-in/identity/register")
def register_identity() -> Shown:
    """Register the person back from the provider as a new player."""
    session.check_origin()
    accounts, browser = get_service().accounts, request.cookies.get(session.name_cookie(COOKIE), "")
    found = accounts.identities.find_new(browser)
    try:
        check_registration_is_open()
        name = request.form.get("name", "").strip() or found.label
        player = accounts.register_identity(name, browser)
    except ServiceError as error:
        problem = read_problem(error)
        return render_newcomer(found, find_next_path(), problem), int(problem["status"])
    answer = redirect(find_next_path(), 303)
    session.sign_in(answer, player, Way.IDENTITY)
    return answer


@pages.post("/sign-in/identity/connect")
def connect_identity() -> Shown:
    """Let the reader sign in by the identity that the provider returned."""
    session.check_csrf(request.form.get(session.FIELD))
    who, identities = require_reader(), get_service().accounts.identities
    browser = request.cookies.get(session.name_cookie(COOKIE), "")
    found = identities.find_new(browser)
    try:
        check_may_change(who)
        identities.connect(who.actor.player, browser)
    except ServiceError as error:
        problem = read_problem(error)
        return render_newcomer(found, find_next_path(), problem), int(problem["status"])
    answer = redirect(url_for("pages.show_account"), 303)
    session.sign_in(answer, who.actor.player, Way.IDENTITY)
    return answer


def render_newcomer(found: ProviderIdentity, next: str, problem: object) -> str:
    """The page on which somebody says who they are here."""
    name = request.form.get("name", found.label)
    return render_template("identity.html", found=found, next=next, problem=problem, name=name)
