"""Signing in and out, and taking part."""

from __future__ import annotations

from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from service.pages import session, source
from service.pages.site import pages
from service.pages.source import Refused


@pages.get("/sign-in")
def sign_in() -> str:
    """Where a token is given, or a name for a first one."""
    return render_template("sign_in.html", problem=None)


@pages.post("/sign-in")
def signed_in() -> Response | tuple[str, int]:
    """Take a token that is good into the cookie."""
    session.check_origin()
    secret = request.form.get("token", "").strip()
    try:
        source.ask("GET", "/me", {}, headers={"Authorization": f"Bearer {secret}"})
    except (Refused, ValueError) as error:
        problem = getattr(error, "problem", {"detail": "That is no token.", "status": 401})
        return render_template("sign_in.html", problem=problem), int(problem["status"])
    return session.sign_in(redirect(url_for("pages.home"), 303), secret)


@pages.post("/register")
def register() -> tuple[Response, int] | tuple[str, int]:
    """Make a player of this name, and show their token this once."""
    session.check_origin()
    try:
        made = source.post("/players", {"name": request.form.get("name", "").strip()})
    except Refused as refused:
        problem = refused.problem
        return render_template("sign_in.html", problem=problem), int(problem["status"])
    page = Response(render_template("registered.html", made=made), mimetype="text/html")
    page.headers["Cache-Control"] = "no-store"
    return session.sign_in(page, made["token"]["secret"]), 201


@pages.post("/sign-out")
def signed_out() -> Response:
    """Forget the token in this browser; it stays good elsewhere."""
    session.check(request.form.get(session.FIELD))
    return session.sign_out(redirect(url_for("pages.home"), 303))
