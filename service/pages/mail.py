"""What a player is notified of by e-mail, and the pages that links in mails lead to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import render_template, request
from werkzeug.wrappers import Response

from service.languages.texts import get_language, mark
from service.pages import api_client, session
from service.pages.api_client import ApiRefused, get
from service.pages.site import pages

EVENTS: Final = {
    "your-turn": mark("It is my turn"),
    "draw-offered": mark("I am offered a draw"),
    "clock-low": mark("My clock is running low"),
}
"""What a player can be notified of, in words."""
PACES: Final = {
    "immediately": mark("At once, one e-mail for each event"),
    "daily": mark("Once a day, one e-mail for all games waiting for me"),
}
FORGET: Final = "forget"
"""The value of the button that removes the address."""


@pages.get("/mail")
def show_mail() -> str:
    """The reader's own address and choices."""
    return render_mail(None)


@pages.post("/mail")
def change_mail() -> tuple[str, int] | str:
    """Set or remove the reader's address and choices; a refusal is shown above the form."""
    session.check_csrf(request.form.get(session.FIELD))
    wish = None if request.form.get("do") == FORGET else read_wish()
    try:
        if wish is None:
            api_client.ask("DELETE", "/me/mail", {})
        else:
            api_client.ask("PUT", "/me/mail", {}, wish)
    except ApiRefused as refused:
        return render_mail(refused.problem, wish), int(refused.problem["status"])
    return render_mail(None)


def read_wish() -> dict[str, Any]:
    """The address and the choices in the form, as the API names them."""
    return {
        "address": request.form.get("address", "").strip(),
        "events": [name for name in EVENTS if request.form.get(name)],
        "pace": request.form.get("pace", "immediately"),
        "language": request.form.get("language", get_language()),
    }


@pages.get("/mail/confirm/<token>")
def show_confirmation(token: str) -> str:
    """The button that confirms an address: a mail program that looks at links confirms nothing."""
    return render_template("mail_link.html", purpose="confirm", done=False)


@pages.post("/mail/confirm/<token>")
def confirm_address(token: str) -> str:
    """Confirm an address; the browser that opens the link need not be signed in."""
    session.check_origin()
    api_client.ask("POST", "/mail/confirm", {}, {"token": token})
    return render_template("mail_link.html", purpose="confirm", done=True)


@pages.get("/mail/stop/<token>")
def show_stop(token: str) -> str:
    """The button that stops all mail, without signing in."""
    return render_template("mail_link.html", purpose="stop", done=False)


@pages.post("/mail/stop/<token>")
def stop_mail(token: str) -> str | Response:
    """Stop all mail: from the button, or by a mail program at one click (RFC 8058).

    Neither has a cookie to show, so the signed link alone counts.
    """
    api_client.ask("POST", "/mail/stop", {}, {"token": token})
    return render_template("mail_link.html", purpose="stop", done=True)


def render_mail(problem: Any, wish: Mapping[str, Any] | None = None) -> str:
    """The reader's own page, below a refusal if there was one; `wish` is what was refused."""
    known = get("/me/mail")
    return render_template(
        "mail.html",
        known=known,
        filled=wish or known,
        problem=problem,
        events=EVENTS,
        paces=PACES,
        forget=FORGET,
    )
