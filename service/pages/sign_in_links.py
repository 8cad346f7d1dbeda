"""Signing in by a link: requesting one by e-mail, and following it."""

from __future__ import annotations

from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from service.accounts.account import Way
from service.accounts.links import Purpose
from service.api.context import get_service
from service.errors import ServiceError
from service.pages import session
from service.pages.account import require_reader
from service.pages.signing_in import Shown, read_problem, render_sign_in
from service.pages.site import pages

WAYS = {Purpose.SIGN_IN: Way.MAIL, Purpose.RECOVER: Way.RECOVERY}


@pages.get("/sign-in/link")
def show_link_form() -> Response:
    """Lead to the form: it leaves its own address in the browser."""
    return redirect(url_for("pages.show_sign_in"))


@pages.post("/sign-in/link")
def ask_for_link() -> Shown:
    """Send a link; the page is the same whether or not anybody has the address."""
    session.check_origin()
    asked = request.form.get("address", "").strip()
    try:
        get_service().accounts.addresses.ask_for_link(asked, session.find_visitor())
    except ServiceError as error:
        problem = read_problem(error)
        return render_sign_in(problem), int(problem["status"])
    return render_template("link_sent.html", address=asked), 202


@pages.get("/sign-in/link/<token>")
def show_link(token: str) -> str:
    """The button that signs in: a mail program that looks at links uses none up.

    Raises BadSignInLink.
    """
    link = get_service().accounts.links.read(token, *WAYS)
    player = link.player or ""
    name = get_service().players.names([player])[player]
    return render_template("sign_in_link.html", purpose="sign-in", name=name)


@pages.post("/sign-in/link/<token>")
def follow_link(token: str) -> Shown:
    """Sign in by a link, which is used up; raises BadSignInLink."""
    session.check_origin()
    player, purpose = get_service().accounts.addresses.follow(token)
    answer = redirect(url_for("pages.show_account"), 303)
    session.sign_in(answer, player, WAYS[purpose])
    return answer


@pages.get("/account/address/<token>")
def show_address_link(token: str) -> str:
    """The button that confirms an address to sign in with, for the player who asked for it.

    Raises MissingToken, BadSignInLink and AnothersLink.
    """
    player = require_reader().actor.player
    get_service().accounts.addresses.check_own(token, player)
    name = get_service().players.names([player])[player]
    return render_template("sign_in_link.html", purpose="confirm", name=name)


@pages.post("/account/address/<token>")
def confirm_sign_in_address(token: str) -> str:
    """Confirm an address; raises MissingToken, BadSignInLink, AnothersLink and AddressInUse."""
    session.check_csrf(request.form.get(session.FIELD))
    player = require_reader().actor.player
    get_service().accounts.addresses.confirm(token, player)
    name = get_service().players.names([player])[player]
    return render_template("sign_in_link.html", purpose="confirmed", name=name)
