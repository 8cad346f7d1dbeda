"""A player's own page: how they sign in, where they are signed in, their programs' tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from flask import redirect, render_template, request, url_for
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response

from service.accounts.account import Way
from service.api.context import get_service
from service.api.errors import MissingToken
from service.errors import ServiceError
from service.languages.formats import format_moment
from service.languages.texts import mark
from service.pages import api_client, session
from service.pages.api_client import ApiRefused
from service.pages.signing_in import Shown, read_problem
from service.pages.site import pages
from service.player.authentication import Bearer

WAYS: Final = {
    Way.PASSWORD: mark("password"),
    Way.PASSKEY: mark("passkey"),
    Way.MAIL: mark("link by e-mail"),
    Way.IDENTITY: mark("another service"),
    Way.TOKEN: mark("token"),
    Way.GUEST: mark("guest"),
    Way.RECOVERY: mark("link from an admin"),
}
"""The ways to sign in, in words."""
LIFETIMES: Final = {"30": mark("30 days"), "365": mark("a year"), "": mark("until I revoke it")}
"""The lifetimes of tokens, by days."""
SCOPES: Final = {
    "play": mark("play my games"),
    "arbiter": mark("rule on any game"),
    "admin": mark("manage players and tokens"),
}
"""What a token may do, in words."""
DAY_S: Final = 24 * 3600


@dataclass(frozen=True, slots=True)
class Changed:
    """The result of a change.

    `way` is how the reader remains signed in, under a new session; `secret` is shown once; `said`
    is a sentence.
    """

    way: Way | None = None
    secret: str | None = None
    said: str | None = None


@pages.get("/account")
def show_account() -> Shown:
    """The reader's account; a stranger signs in first."""
    require_reader()
    return Response(
        render_account(None), mimetype="text/html", headers={"Cache-Control": "no-store"}
    )


def require_reader() -> Bearer:
    """The reader; raises MissingToken for a stranger."""
    who = session.find_bearer()
    if who is None:
        raise MissingToken
    return who


def render_account(problem: Mapping[str, Any] | None, changed: Changed | None = None) -> str:
    """The page of the reader's account, below a refusal or the result of a change."""
    who, accounts = require_reader(), get_service().accounts
    player = who.actor.player
    return render_template(
        "account.html",
        problem=problem,
        refused=(request.view_args or {}).get("what") if problem else None,
        changed=changed or Changed(),
        account=accounts.store.load(player),
        sessions=accounts.sessions.list_current(player),
        current=who.session,
        tokens=api_client.get(f"/players/{player}/tokens")["items"],
        ways=WAYS,
        scopes={name: said for name, said in SCOPES.items() if name in who.actor.scopes},
        lifetimes=LIFETIMES,
        mails=get_service().settings.sends_mail,
        identity_key=accounts.store.identity_key,
        all_scopes=SCOPES,
    )


@pages.get("/account/<what>")
def show_account_after_change(what: str) -> Response:
    """Lead to the account: a form leaves its own address in the browser."""
    if what not in CHANGES:
        raise NotFound
    return redirect(url_for("pages.show_account"))


@pages.post("/account/<what>")
def change_account(what: str) -> Shown:
    """Change something of the reader's account; a refusal is shown above it."""
    session.check_csrf(request.form.get(session.FIELD))
    who = require_reader()
    if what not in CHANGES:
        raise NotFound
    try:
        changed = CHANGES[what](who)
    except (ServiceError, ApiRefused) as error:
        problem = read_problem(error)
        return render_account(problem), int(problem["status"])
    if changed.secret is not None:
        shown = render_account(None, changed)
        return Response(shown, mimetype="text/html", headers={"Cache-Control": "no-store"})
    answer = redirect(url_for("pages.show_account"), 303)
    if changed.way is not None:
        session.sign_in(answer, who.actor.player, changed.way)
    return answer


def rename(who: Bearer) -> Changed:
    """Give the reader another name."""
    body = {"name": request.form.get("name", "").strip()}
    api_client.ask("PATCH", f"/players/{who.actor.player}", {}, body)
    return Changed()


def choose_password(who: Bearer) -> Changed:
    """Set the name and password that the reader signs in with, and end all other sessions."""
    check_may_change(who)
    login, chosen = request.form.get("login", "").strip(), request.form.get("new_password", "")
    accounts = get_service().accounts
    accounts.choose_password(who.actor.player, login, chosen, session.find_visitor())
    accounts.end_other_sessions(who)
    return Changed(Way.PASSWORD)


def remove_password(who: Bearer) -> Changed:
    """No longer let the reader sign in by name and password."""
    check_may_change(who)
    get_service().accounts.remove_password(who.actor.player)
    return Changed()


def add_address(who: Bearer) -> Changed:
    """Send a link to an address, by which the reader can sign in once it is confirmed."""
    check_may_change(who)
    asked = request.form.get("address", "").strip()
    get_service().accounts.addresses.add(who.actor.player, asked, session.find_visitor())
    return Changed()


def remove_address(who: Bearer) -> Changed:
    """No longer let the reader sign in by e-mail."""
    check_may_change(who)
    get_service().accounts.remove_address(who.actor.player)
    return Changed()


def remove_passkey(who: Bearer) -> Changed:
    """No longer let the reader sign in with a passkey."""
    check_may_change(who)
    get_service().accounts.remove_passkey(who.actor.player, request.form.get("passkey", ""))
    return Changed()


def remove_identity(who: Bearer) -> Changed:
    """No longer let the reader sign in by another service."""
    check_may_change(who)
    get_service().accounts.remove_identity(who.actor.player, request.form.get("identity", ""))
    return Changed()


def end_session(who: Bearer) -> Changed:
    """End one session of the reader; raises LesserSession if the reader has fewer rights."""
    get_service().accounts.proofs.check_covers(who)
    get_service().accounts.end_sessions(who.actor.player, request.form.get("session", ""))
    return Changed()


def end_other_sessions(who: Bearer) -> Changed:
    """End all the reader's sessions but this one; raises LesserSession as `end_session` does."""
    get_service().accounts.proofs.check_covers(who)
    get_service().accounts.end_other_sessions(who)
    return Changed()


def issue_token(who: Bearer) -> Changed:
    """Make a token for a program."""
    proofs = get_service().accounts.proofs
    proofs.prove(who, request.form.get("password", ""), session.find_visitor())
    days = request.form.get("days", "")
    body = {
        "name": request.form.get("name", "").strip(),
        "scopes": [name for name in SCOPES if request.form.get(f"scope-{name}")],
        "expires_in": int(days) * DAY_S if days in LIFETIMES and days else None,
    }
    made = api_client.post(f"/players/{who.actor.player}/tokens", body)
    return Changed(secret=made["secret"])


def revoke_token(who: Bearer) -> Changed:
    """Revoke a token."""
    token = request.form.get("token", "")
    if token.isalnum() and token.isascii():
        api_client.ask("DELETE", f"/players/{who.actor.player}/tokens/{token}", {})
    return Changed()


def check_may_change(who: Bearer, password: object = None) -> None:
    """Raise unless the reader may change how they sign in (`Proofs.check_may_change`).

    The password is that in the form, unless `password` is given.
    """
    own = str(password or request.form.get("password", ""))
    get_service().accounts.proofs.check_may_change(who, own, session.find_visitor())


@pages.app_template_filter("moment")
def format_time(at: int) -> str:
    """The day and the minute of a time in milliseconds since 1970 UTC.

    >>> format_time(1_800_000_000_000)
    '2027-01-15 08:00'
    """
    return format_moment(datetime.fromtimestamp(at / 1000, UTC))


CHANGES: Final[Mapping[str, Callable[[Bearer], Changed]]] = {
    "name": rename,
    "password": choose_password,
    "remove-password": remove_password,
    "address": add_address,
    "remove-address": remove_address,
    "remove-passkey": remove_passkey,
    "remove-identity": remove_identity,
    "end-session": end_session,
    "end-other-sessions": end_other_sessions,
    "issue-token": issue_token,
    "revoke-token": revoke_token,
}
"""What can be changed, by the last part of the form's address."""
