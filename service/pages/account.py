"""Signing in and out, and taking part."""

from __future__ import annotations

import re
from typing import Final

from flask import redirect, render_template, request, url_for
from werkzeug.urls import iri_to_uri
from werkzeug.wrappers import Response

from service.pages import api_client, session
from service.pages.api_client import Refused
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


def onward() -> str:
    """Where the reader goes once signed in: as link or form say, if that is a path of this site."""
    asked = request.values.get("next", "")
    return asked if LOCAL.fullmatch(asked) else url_for("pages.home")


@pages.get("/sign-in")
def sign_in() -> str:
    """Where a token is given, or a name for a first one."""
    return render_template("sign_in.html", problem=None, next=onward())


@pages.post("/sign-in")
def signed_in() -> Response | tuple[str, int]:
    """Take a token that is good into the cookie."""
    session.check_origin()
    secret = request.form.get("token", "").strip()
    try:
        api_client.ask("GET", "/me", {}, headers={"Authorization": f"Bearer {secret}"})
    except (Refused, ValueError) as error:
        problem = getattr(error, "problem", {"code": "bad-token", "status": 401})
        shown = render_template("sign_in.html", problem=problem, next=onward())
        return shown, int(problem["status"])
    return session.sign_in(redirect(onward(), 303), secret)


@pages.post("/register")
def register() -> tuple[Response, int] | tuple[str, int]:
    """Make a player of this name, and show their token this once."""
    session.check_origin()
    name = request.form.get("name", "").strip()
    try:
        made = api_client.post("/players", {"name": name})
    except Refused as refused:
        problem = refused.problem
        shown = render_template("sign_in.html", problem=problem, next=onward(), name=name)
        return shown, int(problem["status"])
    shown = render_template("registered.html", made=made, next=onward())
    page = Response(shown, mimetype="text/html")
    page.headers["Cache-Control"] = "no-store"
    return session.sign_in(page, made["token"]["secret"]), 201


@pages.post("/sign-out")
def signed_out() -> Response:
    """Forget the token in this browser; it stays good elsewhere."""
    session.check(request.form.get(session.FIELD))
    return session.sign_out(redirect(url_for("pages.home"), 303))
