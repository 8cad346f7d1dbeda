"""Signing in, and what a cookie alone cannot do."""

from __future__ import annotations

import json
import re
from html import escape

import pytest
from werkzeug.test import TestResponse

from service.pages.session import COOKIE, DEVICE, LIFETIME, RENEWED
from service.player.commands import Principal
from service.player.repository import NewPlayer
from tests.service.api.client import Api, error

GAME = {"variant": "katruji", "side": "first"}


def sign_in(api: Api, player: NewPlayer, **headers: str) -> TestResponse:
    return api.http.post("/sign-in", data={"token": player.token.secret}, headers=headers)


def csrf(api: Api) -> str:
    """The CSRF token in the session's pages."""
    found = re.search(r'name="csrf-token" content="([0-9a-f]{128})"', api.http.get("/").text)
    assert found
    return found[1]


def test_a_good_token_goes_into_a_cookie_that_no_script_and_no_other_site_can_use(
    api: Api, ada: NewPlayer
) -> None:
    answer = sign_in(api, ada)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith(f"{COOKIE}=mls_{ada.id}_")
    assert ada.token.secret not in str(answer.headers)
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Ada" in api.http.get("/").text


@pytest.mark.parametrize(
    ("asked", "to"),
    [
        ("/games/abc?ply=3&below=second", "/games/abc?ply=3&below=second"),
        *((bad, "/") for bad in ("", "//elsewhere.example", "/\\elsewhere.example", "games")),
        *((bad, "/") for bad in ("https://elsewhere.example", "/a//b", "/a\tb", "/a b", "/ä")),
    ],
)
def test_signing_in_leads_back_to_a_page_of_this_site_alone(
    api: Api, ada: NewPlayer, asked: str, to: str
) -> None:
    form = {"token": ada.token.secret, "next": asked}
    assert api.http.post("/sign-in", data=form).headers["Location"] == to
    page = api.http.post("/register", data={"name": "Zoë", "next": asked}).text
    assert (f'href="{escape(to)}">Continue' in page) == (to != "/")


def test_a_page_leads_to_a_sign_in_that_leads_back(api: Api) -> None:
    page = api.http.get("/analysis?variant=kerak").text
    link = "/sign-in?next=/analysis?variant%3Dkerak"
    assert f'href="{link}"' in page
    assert 'name="next" value="/analysis?variant=kerak"' in api.http.get(link).text


def test_over_tls_the_cookie_stays_there(api: Api, ada: NewPlayer) -> None:
    answer = api.http.post(
        "/sign-in", data={"token": ada.token.secret}, base_url="https://localhost"
    )
    assert "Secure" in answer.headers["Set-Cookie"]


def test_over_tls_no_neighbouring_site_can_put_its_session_into_a_browser(
    api: Api, ada: NewPlayer, brahim: NewPlayer
) -> None:
    """A page at evil.club.example may set cookies for club.example, but none with this name."""
    tls = {"base_url": "https://localhost"}
    sign_in(api, brahim)
    planted = api.http.get_cookie(COOKIE)
    assert planted is not None
    api.http.delete_cookie(COOKIE)
    answer = api.http.post("/sign-in", data={"token": ada.token.secret}, **tls)
    assert answer.headers["Set-Cookie"].startswith(f"__Host-{COOKIE}=mls_{ada.id}_")
    assert "Path=/" in answer.headers["Set-Cookie"]
    assert "Domain=" not in answer.headers["Set-Cookie"]
    api.http.set_cookie(COOKIE, planted.value)
    page = api.http.get("/", **tls).text
    assert "Ada" in page
    # Signing out also removes a cookie from before TLS was used.
    (own,) = re.findall(r'name="csrf-token" content="([0-9a-f]{128})"', page)
    api.http.post("/sign-out", data={"csrf": own}, **tls)
    assert api.http.get_cookie(COOKIE) is None
    # Planted in a browser in which nobody is signed in, it signs nobody in.
    api.http.set_cookie(COOKIE, planted.value)
    assert "Brahim" in api.http.get("/").text
    assert "Sign in" in api.http.get("/", **tls).text
    assert error(api.http.get("/api/v1/me", **tls)) == (401, "missing-token")


@pytest.mark.parametrize("token", ["", "mlg_nonsense", "with\nline"])
def test_a_bad_token_is_refused(api: Api, token: str) -> None:
    answer = api.http.post("/sign-in", data={"token": token})
    assert answer.status_code == 401
    assert "Set-Cookie" not in answer.headers


def test_registering_shows_the_token_once_and_signs_in(api: Api) -> None:
    answer = api.http.post("/register", data={"name": "Zoë <b>"})
    assert answer.status_code == 201
    assert answer.headers["Cache-Control"] == "no-store"
    assert re.search(r"mlg_\w+", answer.text)
    assert "Zoë &lt;b&gt;" in api.http.get("/").text
    assert api.http.post("/register", data={"name": ""}).status_code == 422


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://elsewhere.example"}, {"Sec-Fetch-Site": "cross-site"}]
)
@pytest.mark.parametrize("path", ["/sign-in", "/register", "/guest"])
def test_another_sites_form_signs_nobody_in(
    api: Api, ada: NewPlayer, path: str, headers: dict[str, str]
) -> None:
    form = {"token": ada.token.secret, "name": "Mallory", "called": "Mallory"}
    answer = api.http.post(path, data=form, headers=headers)
    assert error(answer) == (403, "bad-csrf-token")
    assert "Set-Cookie" not in answer.headers


def test_signing_out_takes_the_cookie_away(api: Api, ada: NewPlayer) -> None:
    sign_in(api, ada)
    assert error(api.http.post("/sign-out")) == (403, "bad-csrf-token")
    answer = api.http.post("/sign-out", data={"csrf": csrf(api)})
    assert answer.headers["Set-Cookie"].startswith(f"{COOKIE}=;")
    assert "Sign in" in api.http.get("/").text


def test_to_the_api_the_cookie_is_the_bearer_token_for_reading(api: Api, ada: NewPlayer) -> None:
    sign_in(api, ada)
    answer = api.get("/me")
    assert answer.json is not None
    assert answer.json["name"] == "Ada"


def test_a_change_needs_the_csrf_token_too(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    sign_in(api, ada)
    before = api.snapshot()
    assert error(api.post("/games", GAME)) == (403, "bad-csrf-token")
    assert error(api.post("/games", GAME, X_CSRF_Token="0" * 128)) == (403, "bad-csrf-token")
    own = csrf(api)
    foreign = {"X-CSRF-Token": own, "Origin": "https://elsewhere.example"}
    refused = api.send("POST", "/games", raw=b"{}", headers=foreign)
    assert error(refused) == (403, "bad-csrf-token")
    assert api.snapshot() == before
    assert api.post("/games", GAME, X_CSRF_Token=own).status_code == 201
    api.http.delete_cookie(COOKIE)
    sign_in(api, brahim)
    assert error(api.post("/games", GAME, X_CSRF_Token=own)) == (403, "bad-csrf-token")


def test_a_bearer_token_of_ones_own_needs_none(api: Api, ada: NewPlayer, brahim: NewPlayer) -> None:
    sign_in(api, ada)
    made = api.post("/games", GAME, by=brahim)
    assert made.status_code == 201
    assert json.loads(made.data)["creator"] == brahim.id


@pytest.mark.parametrize("path", ["/games/new", "/analyses"])
def test_forms_of_pages_need_it_as_well(api: Api, ada: NewPlayer, path: str) -> None:
    sign_in(api, ada)
    form = {"variant": "katruji", "side": "first", "mode": "challenge"}
    assert error(api.http.post(path, data=form)) == (403, "bad-csrf-token")


def test_a_token_that_is_good_no_more_is_forgotten(api: Api, ada: NewPlayer) -> None:
    sign_in(api, ada)
    api.service.players.revoke(ada.id, ada.token.token.id, Principal(ada.id, None))
    answer = api.http.get("/")
    assert answer.status_code == 200
    assert "Sign in" in answer.text
    assert answer.headers["Set-Cookie"].startswith(f"{COOKIE}=;")


def test_a_session_that_is_used_keeps_its_cookie(api: Api, ada: NewPlayer) -> None:
    sign_in(api, ada)
    own = api.http.get_cookie(COOKIE)
    assert own is not None
    assert "Set-Cookie" not in api.http.get("/").headers
    # As when a month has passed.
    api.http.delete_cookie(RENEWED)
    assert "Set-Cookie" not in api.get("/me").headers
    answer = api.http.get("/")
    assert answer.headers["Cache-Control"] == "private, no-cache"
    renewed = answer.headers.getlist("Set-Cookie")
    assert [one.partition("=")[0] for one in renewed] == [COOKIE, DEVICE, RENEWED]
    assert renewed[0].startswith(f"{COOKIE}={own.value}; ")
    assert f"Max-Age={LIFETIME};" in renewed[0]
    assert "Set-Cookie" not in api.http.get("/").headers
    # What somebody else's browser says of itself is not repeated.
    api.http.delete_cookie(RENEWED)
    api.http.set_cookie(DEVICE, "x")
    renewed = api.http.get("/").headers.getlist("Set-Cookie")
    assert [one.partition("=")[0] for one in renewed] == [COOKIE, RENEWED]


def test_a_cookie_that_no_header_could_bear_is_none(api: Api) -> None:
    answer = api.http.get("/", headers={"Cookie": f'{COOKIE}="a\\012b"'})
    assert answer.status_code == 200
    assert "Sign in" in answer.text


WITHOUT_SESSION = (
    *("/sign-in", "/register", "/guest", "/mail/confirm/<token>", "/sign-in/link"),
    *("/sign-in/link/<token>", "/language"),
    *("/sign-in/passkey", "/sign-in/passkey/options", "/sign-in/identity/register"),
)
"""Forms that need no session: only their Origin is checked."""
STOP = "/mail/stop/<token>"
"""Mail programs send this by themselves: only the signed link counts."""


def test_no_page_changes_anything_for_another_site(api: Api, ada: NewPlayer) -> None:
    sign_in(api, ada)
    own = {"csrf": csrf(api), "token": ada.token.secret}
    rules = [r for r in api.app.url_map.iter_rules() if r.endpoint.startswith("pages.")]
    changing = {rule.rule for rule in rules if "POST" in (rule.methods or ())}
    assert {*WITHOUT_SESSION, STOP, "/sign-out", "/games/new"} <= changing
    before = api.snapshot()
    assert api.http.post(STOP, data=own).status_code == 422
    for rule in sorted(changing - {STOP}):
        path = re.sub("<int:[a-z]+>", "1", re.sub("<id:[a-z]+>", "a" * 16, rule))
        foreign = {"Origin": "https://other.example"}
        assert api.http.post(path, data=own, headers=foreign).status_code == 403, rule
        if rule not in WITHOUT_SESSION:
            assert api.http.post(path, data={"csrf": "0" * 128}).status_code == 403, rule
    assert api.snapshot() == before
