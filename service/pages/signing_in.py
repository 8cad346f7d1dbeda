"""Signing in and out, registering, and playing as a guest."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from flask import redirect, render_template, request, url_for
from werkzeug.urls import iri_to_uri
from werkzeug.wrappers import Response

from service.accounts.account import Way
from service.accounts.errors import RegistrationClosed
from service.api.context import address, get_service
from service.api.problems import describe_error
from service.errors import ServiceError
from service.pages import api_client, session
from service.pages.api_client import ApiRefused, get_reader
from service.pages.games import begin_new_game
from service.pages.site import pages
from service.player.errors import BadToken
from service.player.tokens import is_session

LOCAL: Final = re.compile(r"(?:/(?!/)[!-.0-\[\]-~]*)+")
"""A path of this site, with its query: without `//` and backslashes, which lead elsewhere."""
Shown = Response | tuple[str, int]


@pages.app_template_global("sign_in_path")
def sign_in_path() -> str:
    """The address of the sign-in page that leads back to the page shown."""
    if request.method != "GET" or request.path in ("/", "/sign-in", "/register"):
        return url_for("pages.show_sign_in")
    return url_for("pages.show_sign_in", next=find_own_path())


@pages.app_template_global("here")
def find_own_path() -> str:
    """The path and query of the page shown; those of the home page after a form."""
    return iri_to_uri(request.full_path.removesuffix("?")) if request.method == "GET" else "/"


def find_next_path() -> str:
    """The path to go to after signing in: that in the link or form if it is on this site."""
    asked = request.values.get("next", "")
    return asked if LOCAL.fullmatch(asked) else url_for("pages.show_home")


@pages.get("/sign-in")
def show_sign_in() -> str:
    """The forms to sign in, and to register."""
    return render_sign_in(None)


@pages.get("/register")
def show_registration() -> str:
    """The form to register, and for a guest to keep their games."""
    return render_registration(None)


def render_sign_in(problem: Mapping[str, Any] | None) -> str:
    """The page for signing in, below a refusal if there was one."""
    return render_template(
        "sign_in.html",
        problem=problem,
        next=find_next_path(),
        login=request.form.get("login", ""),
        address=request.form.get("address", ""),
        mails=get_service().settings.sends_mail,
    )


def render_registration(problem: Mapping[str, Any] | None) -> str:
    """The page for registering, below a refusal if there was one."""
    return render_template(
        "register.html",
        problem=problem,
        next=find_next_path(),
        name=request.form.get("name", "").strip(),
        called=request.form.get("called", "").strip(),
    )


def read_problem(error: ServiceError | ApiRefused) -> Mapping[str, Any]:
    """A refusal as a problem in the form of the API."""
    if isinstance(error, ApiRefused):
        return error.problem
    found: Mapping[str, Any] = describe_error(error).get_json()
    return found


@pages.post("/sign-in")
def sign_in() -> Shown:
    """Sign in with a name and a password, or with a token."""
    session.check_origin()
    try:
        if "login" in request.form:
            return sign_in_with_password()
        return sign_in_with_token()
    except (ServiceError, ApiRefused) as error:
        problem = read_problem(error)
        return render_sign_in(problem), int(problem["status"])


def sign_in_with_password() -> Response:
    """Begin a session for a name and a password; raises what `Accounts.sign_in` raises."""
    form, accounts = request.form, get_service().accounts
    player = accounts.sign_in(form["login"], form.get("password", ""), session.find_visitor())
    answer = redirect(find_next_path(), 303)
    session.sign_in(answer, player, Way.PASSWORD)
    return answer


def sign_in_with_token() -> Response:
    """Begin a session with the rights of a token; raises BadToken, ApiRefused."""
    secret = request.form.get("token", "").strip()
    if is_session(secret) or not secret.isprintable():
        raise BadToken
    who = api_client.ask("GET", "/me", {}, headers={"Authorization": f"Bearer {secret}"})
    answer = redirect(find_next_path(), 303)
    session.sign_in(answer, who["id"], Way.TOKEN, who["token"])
    return answer


@pages.post("/register")
def register() -> Shown:
    """Register a player with a password, or without one, and show their token once."""
    session.check_origin()
    name, password = request.form.get("name", "").strip(), request.form.get("new_password", "")
    try:
        if password:
            return register_with_password(name, password)
        return register_with_token(name)
    except (ServiceError, ApiRefused) as error:
        problem = read_problem(error)
        return render_registration(problem), int(problem["status"])


def register_with_password(name: str, password: str) -> Response:
    """Register a player, or let a guest keep their games."""
    accounts, visitor, guest = get_service().accounts, session.find_visitor(), find_guest()
    if guest is not None:
        accounts.keep_guest(guest, name, password, visitor)
        player = guest
    else:
        check_registration_is_open()
        player = accounts.register(name, password, visitor)
    answer = redirect(find_next_path(), 303)
    session.sign_in(answer, player, Way.PASSWORD)
    return answer


def register_with_token(name: str) -> Shown:
    """Register a player with a token, or give one to a guest, and show it once."""
    guest = find_guest()
    if guest is None:
        made = api_client.post("/players", {"name": name})
    else:
        named = api_client.ask("PATCH", f"/players/{guest}", {}, {"name": name})
        made = {**named, "token": api_client.post(f"/players/{guest}/tokens", {})}
    shown = render_template("registered.html", made=made, next=find_next_path())
    page = Response(shown, 201, mimetype="text/html")
    page.headers["Cache-Control"] = "no-store"
    session.sign_in(page, made["id"], Way.TOKEN, made["token"]["id"])
    return page


@pages.get("/guest")
def show_guest_form() -> Response:
    """Lead to the form: a refused one leaves its own address in the browser."""
    known = session.find_bearer() is not None
    return redirect(url_for("pages.show_new_game" if known else "pages.show_registration"))


@pages.post("/guest")
def play_as_guest() -> Shown:
    """Register a guest, under a name if one is given, and sign them in.

    With the fields of a new game it is created, too. A reader who has signed in since the page was
    shown stays who they are.
    """
    session.check_origin()
    if session.find_bearer() is not None:
        return lead_on()
    try:
        check_registration_is_open()
        get_service().accounts.guesses.begin(address())
        guest = get_service().accounts.register_guest(request.form.get("called", "").strip())
    except ServiceError as error:
        problem = read_problem(error)
        return render_registration(problem), int(problem["status"])
    session.begin_session(guest, Way.GUEST)
    get_reader()
    answer = lead_on()
    session.set_new_cookies(answer, guest)
    return answer


def lead_on() -> Response:
    """Begin the new game in the form if there is one, else lead to the next page."""
    if "variant" in request.form:
        return begin_new_game()
    return redirect(find_next_path(), 303)


def check_registration_is_open() -> None:
    """Raise RegistrationClosed if only admins may register players."""
    if not get_service().settings.open_registration:
        raise RegistrationClosed


def find_guest() -> str | None:
    """The id of the reader, if they are a guest."""
    who = session.find_bearer()
    return who.actor.player if who is not None and who.guest else None


@pages.post("/sign-out")
def sign_out() -> Response:
    """End the session, and take it out of this browser."""
    session.check_csrf(request.form.get(session.FIELD))
    session.end_session()
    return session.sign_out(redirect(url_for("pages.show_home"), 303))
