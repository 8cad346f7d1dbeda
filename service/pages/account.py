"""Signing in and out, and registering."""

from __future__ import annotations

import re
from typing import Final

from flask import redirect, render_template, request, url_for
from werkzeug.urls import iri_to_uri
from werkzeug.wrappers import Response

from service.pages import api_client, session
from service.pages.api_client import ApiRefused
from service.pages.site import pages

LOCAL: Final = re.compile(r"(?:/(?!/)[!-.0-\[\]-~]*)+")
"""A path of this site, with its query: without `//` and backslashes, which lead elsewhere."""


@pages.app_template_global("sign_in_path")
def sign_in_path() -> str:
    """The address of the sign-in that leads back to the page shown."""
    here = iri_to_uri(request.full_path.removesuffix("?"))
    if request.method != "GET" or request.path in ("/", "/sign-in"):
        return url_for("pages.sign_in")
    return url_for("pages.sign_in", next=here)


def find_next_path() -> str:
    """The path to go to after signing in, from the link or form if it is on this site."""
    asked = request.values.get("next", "")
    return asked if LOCAL.fullmatch(asked) else url_for("pages.show_home")


@pages.get("/sign-in")
def sign_in() -> str:
    """The forms to sign in with a token, and to register."""
    return render_template("sign_in.html", problem=None, next=find_next_path())


@pages.post("/sign-in")
def accept_token() -> Response | tuple[str, int]:
    """Put a valid token into the cookie."""
    session.check_origin()
    secret = request.form.get("token", "").strip()
    try:
        api_client.ask("GET", "/me", {}, headers={"Authorization": f"Bearer {secret}"})
    except (ApiRefused, ValueError) as error:
        problem = getattr(error, "problem", {"code": "bad-token", "status": 401})
        shown = render_template("sign_in.html", problem=problem, next=find_next_path())
        return shown, int(problem["status"])
    return session.sign_in(redirect(find_next_path(), 303), secret)


@pages.post("/register")
def register() -> tuple[Response, int] | tuple[str, int]:
    """Register a player, and show their token once."""
    session.check_origin()
    name = request.form.get("name", "").strip()
    try:
        made = api_client.post("/players", {"name": name})
    except ApiRefused as refused:
        problem = refused.problem
        shown = render_template("sign_in.html", problem=problem, next=find_next_path(), name=name)
        return shown, int(problem["status"])
    shown = render_template("registered.html", made=made, next=find_next_path())
    page = Response(shown, mimetype="text/html")
    page.headers["Cache-Control"] = "no-store"
    return session.sign_in(page, made["token"]["secret"]), 201


@pages.post("/sign-out")
def forget_token() -> Response:
    """Remove the token from this browser; it stays valid elsewhere."""
    session.check_csrf(request.form.get(session.FIELD))
    return session.sign_out(redirect(url_for("pages.show_home"), 303))
