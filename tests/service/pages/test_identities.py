"""Signing in through an OpenID Connect provider, and what a bad one or an attacker could send."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from joserfc.jwk import RSAKey
from werkzeug.test import TestResponse

from service.accounts.errors import IdentityInUse, IdentityRefused, IdentityUnavailable
from service.accounts.store import Index
from service.environment import BadSetting
from service.pages.identities import COOKIE
from service.settings import read_settings
from tests.service.accounts.oidc_provider import OidcProvider, running_provider
from tests.service.api.client import Api, error
from tests.service.api.conftest import Configured
from tests.service.pages.test_account import send
from tests.service.pages.test_session import csrf
from tests.service.pages.test_signing_in import GOOD, leave, reader, register


@pytest.fixture(scope="module")
def running() -> Iterator[OidcProvider]:
    with running_provider() as provider:
        yield provider


@pytest.fixture
def provider(running: OidcProvider) -> OidcProvider:
    """The provider in its initial state."""
    running.user, running.claims, running.signs_with = ("u-1", "Ada King"), {}, running.key
    running.document["issuer"] = running.issuer
    return running


@pytest.fixture
def api(configured: Configured, provider: OidcProvider) -> Api:
    return configured(**provider.environment)


def depart(api: Api, next: str = "/players") -> str:
    """Go to the provider and sign in there; returns the path to which it sends the browser back."""
    answer = api.http.get(f"/sign-in/identity?next={next}")
    assert answer.status_code == 303
    back = requests.get(answer.headers["Location"], allow_redirects=False, timeout=60)
    assert back.headers["Location"].startswith("http://localhost/sign-in/identity/return?")
    return back.headers["Location"].removeprefix("http://localhost")


def come(api: Api, next: str = "/players") -> TestResponse:
    return api.http.get(depart(api, next), headers={"Accept": "text/html"})


def enlist(api: Api, name: str = "Ada") -> TestResponse:
    form = {"name": name, "next": "/players"}
    return api.http.post("/sign-in/identity/register", data=form, headers={"Accept": "text/html"})


def test_a_newcomer_registers_and_signs_in_again(api: Api) -> None:
    assert "Sign in with Chess Club" in api.http.get("/sign-in").text
    page = come(api)
    assert page.status_code == 200
    assert 'value="Ada King"' in page.text
    assert reader(api) is None
    answer = enlist(api)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/players")
    ada = reader(api)
    assert "u-1" not in str(api.service.players.read(str(ada)))
    leave(api)
    answer = come(api, "/ratings")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/ratings")
    assert reader(api) == ada
    assert "Ada King" in api.http.get("/account").text


def test_a_player_connects_the_provider_and_removes_it(api: Api) -> None:
    register(api)
    zoe = reader(api)
    assert "You are Zoë" in come(api).text
    form = {"csrf": csrf(api)}
    assert error(api.http.post("/sign-in/identity/connect"))[0] == 403
    answer = api.http.post("/sign-in/identity/connect", data=form)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/account")
    leave(api)
    come(api)
    assert reader(api) == zoe
    store = api.service.accounts.store
    (own,) = store.load(str(zoe)).identities
    key = store.identity_key(own.issuer, own.subject)
    assert send(api, "remove-identity", identity=key).status_code == 303
    assert store.load(str(zoe)).identities == ()
    leave(api)
    assert "You are new here" in come(api).text


def test_an_identity_is_one_players(api: Api) -> None:
    come(api)
    enlist(api)
    ada = reader(api)
    leave(api)
    register(api)
    with pytest.raises(IdentityRefused):
        api.service.accounts.identities.connect(str(reader(api)), "another browser")
    come(api)
    assert reader(api) == ada
    identities = api.service.accounts.identities
    identities.store.put_once(
        f"found:{identities._digest('b')}",
        f'{{"issuer": "{identities.provider.issuer}", "subject": "u-1", "label": "x"}}',  # type: ignore[union-attr]
        60,
    )
    with pytest.raises(IdentityInUse):
        identities.connect(api.player("Eve").id, "b")


def test_a_form_that_is_sent_twice_registers_one_player(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    come(api)
    identities = api.service.accounts.identities
    find_new, before = identities.find_new, len(api.get("/players").json["items"])  # type: ignore[index]

    def find_late(browser: str) -> Any:
        """Complete the first form after the second one's lookup."""
        monkeypatch.setattr(identities, "find_new", find_new)
        found = find_new(browser)
        assert enlist(api, "First").status_code == 303
        return found

    monkeypatch.setattr(identities, "find_new", find_late)
    assert enlist(api, "Second").status_code in (401, 409)
    api.project()
    names = [one["name"] for one in api.get("/players").json["items"]]  # type: ignore[index]
    assert len(names) == before + 1
    assert "Second" not in names


def test_an_identity_is_free_again_if_its_registration_was_killed(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    come(api)
    accounts = api.service.accounts
    claims, store = accounts.identities.claims, accounts.store

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as killed:
        killed.setattr(accounts.players, "register_person", die)
        killed.setattr(claims, "release", lambda *_: None)
        with pytest.raises(KeyboardInterrupt):
            enlist(api)
    assert "You are new here" in come(api).text, "not signed in as somebody who does not exist"
    assert enlist(api).status_code == 409
    # Ten minutes later.
    provider = str(accounts.identities.provider.issuer)  # type: ignore[union-attr]
    claims.settle(str(store.find_player(Index.IDENTITIES, store.identity_key(provider, "u-1"))))
    assert enlist(api).status_code == 303
    ada = reader(api)
    assert ada is not None
    leave(api)
    come(api)
    assert reader(api) == ada


def refused(answer: TestResponse) -> None:
    """Fail unless nobody was signed in and the page has the one message for all such cases."""
    assert answer.status_code == 401
    assert "The other service did not sign you in" in answer.text
    assert all("movelog=" not in one for one in answer.headers.getlist("Set-Cookie"))


def test_an_answer_is_good_once_and_in_one_browser(api: Api) -> None:
    come(api)
    enlist(api)
    leave(api)
    headers = {"Accept": "text/html"}
    path = depart(api)
    assert api.http.get(path, headers=headers).status_code == 303
    leave(api)
    refused(api.http.get(path, headers=headers))
    path = depart(api)
    api.http.set_cookie(COOKIE, "f" * 64)
    refused(api.http.get(path, headers=headers))
    path = depart(api)
    api.http.delete_cookie(COOKIE)
    refused(api.http.get(path, headers=headers))


def test_an_answer_to_nothing_is_refused(api: Api) -> None:
    headers = {"Accept": "text/html"}
    path = depart(api)
    state = parse_qs(urlsplit(path).query)["state"][0]
    for query in ("", "state=x&code=y", "error=access_denied&state=x", f"state={state}&iss=x"):
        refused(api.http.get(f"/sign-in/identity/return?{query}", headers=headers))
    refused(api.http.get(path.replace("code=", "code=x"), headers=headers))


@pytest.mark.parametrize(
    "claims",
    [
        *({"nonce": "another"}, {"nonce": None}, {"iss": "https://evil.example"}, {"iss": None}),
        *({"aud": "another"}, {"aud": None}, {"aud": ["movelog", "another"]}),
        *({"exp": 1_000_000_000}, {"exp": None}, {"iat": None}, {"sub": None}, {"sub": 7}),
        *({"sub": "x" * 256}, {"sub": ""}),
    ],
    ids=str,
)
def test_an_id_token_that_does_not_fit_is_refused(
    api: Api, provider: OidcProvider, claims: dict[str, Any]
) -> None:
    provider.claims = claims
    refused(come(api))


def test_an_id_token_that_somebody_else_has_signed_is_refused(
    api: Api, provider: OidcProvider
) -> None:
    provider.signs_with = RSAKey.generate_key(2048, {"kid": "k1"})
    refused(come(api))


def test_a_provider_that_cannot_be_reached_or_is_another_is_told(
    api: Api, configured: Configured, provider: OidcProvider
) -> None:
    provider.document["issuer"] = "https://evil.example"
    headers = {"Accept": "text/html"}
    answer = api.http.get("/sign-in/identity", headers=headers)
    assert answer.status_code == 503
    assert "cannot be reached" in answer.text
    gone = configured(MOVELOG_OIDC_ISSUER="http://127.0.0.1:9", MOVELOG_OIDC_CLIENT_ID="movelog")
    with pytest.raises(IdentityUnavailable):
        gone.service.accounts.identities.begin("http://localhost/", "/")
    assert gone.http.get("/sign-in").status_code == 200


def test_without_a_provider_there_is_no_button(configured: Configured) -> None:
    api = configured()
    assert "/sign-in/identity" not in api.http.get("/sign-in").text
    refused(api.http.get("/sign-in/identity", headers={"Accept": "text/html"}))


def test_a_newcomers_name_is_checked(api: Api) -> None:
    come(api)
    answer = enlist(api, "admin")
    assert answer.status_code == 422
    assert "Looks like" in answer.text or "looks like" in answer.text
    assert reader(api) is None
    assert enlist(api, "Ada").status_code == 303
    leave(api)
    refused(enlist(api, "Ada again"))


@pytest.mark.parametrize(
    "wrong", ["id.example", "http://id.example", "https://", "ftp://x", "https://x?y"]
)
def test_a_provider_is_configured_by_a_safe_address(wrong: str) -> None:
    with pytest.raises(BadSetting, match="OIDC_ISSUER"):
        read_settings({"MOVELOG_OIDC_ISSUER": wrong, "MOVELOG_OIDC_CLIENT_ID": "x"})
    with pytest.raises(BadSetting, match="OIDC_CLIENT_ID"):
        read_settings({"MOVELOG_OIDC_ISSUER": "https://id.example"})


def test_who_connects_after_a_while_gives_the_password(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(api)
    come(api)
    accounts = api.service.accounts
    now = accounts.clock() + 24 * 3600 * 1000
    monkeypatch.setattr(accounts.proofs, "clock", lambda: now)
    form = {"csrf": csrf(api)}
    answer = api.http.post("/sign-in/identity/connect", data=form, headers={"Accept": "text/html"})
    assert answer.status_code == 403
    form["password"] = GOOD
    assert api.http.post("/sign-in/identity/connect", data=form).status_code == 303
