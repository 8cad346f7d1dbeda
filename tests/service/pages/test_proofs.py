"""What a session must not do: grant more than it has, or change anything for whoever finds it."""

from __future__ import annotations

import pytest
from redis.exceptions import RedisError

from service.accounts.proofs import FRESH
from service.accounts.visitor import Visitor
from service.composition.service import now
from service.pages.session import COOKIE
from service.player.commands import Principal
from service.player.repository import NewPlayer
from tests.service.api.client import Api, error
from tests.service.api.conftest import Configured
from tests.service.api.test_granting import issued
from tests.service.api.test_mail import MAILING
from tests.service.pages.test_account import BETTER, confirm, mailed, send
from tests.service.pages.test_session import csrf
from tests.service.pages.test_signing_in import GOOD, enter, leave, reader, register


def wait(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let so much time pass that nobody counts as having just signed in."""
    later = now() + FRESH + 1
    monkeypatch.setattr(api.service.accounts.proofs, "clock", lambda: later)
    monkeypatch.setattr(api.service.accounts.sessions, "clock", lambda: later)


def promote(api: Api, *scopes: str, ends: int | None = None) -> str:
    """Issue a token with these scopes to the player who is signed in; returns their id."""
    id = str(reader(api))
    api.service.players.issue(id, scopes, Principal(id, None), ends)
    api.service.bearers.forget()
    return id


def test_a_password_makes_no_lasting_admin_of_a_brief_one(api: Api) -> None:
    register(api)
    ends = now() + 60_000
    zoe = promote(api, "play", "admin", ends=ends)
    answer = send(api, "issue-token", **{"name": "x", "days": "30", "scope-admin": "yes"})
    assert answer.status_code == 403
    assert "expires at" in answer.text
    made = api.post(f"/players/{zoe}/tokens", {"scopes": ["admin"]}, X_CSRF_Token=csrf(api))
    assert made.status_code == 201
    path = f"/players/{api.player('Bea').id}/tokens"
    wish = {"scopes": ["play"], "expires_in": 3600}
    assert error(api.post(path, wish, X_CSRF_Token=csrf(api))) == (403, "exceeds-token")
    held = api.service.players.load(zoe).tokens.values()
    assert {token.expires for token in held} == {ends}
    # What her password alone gives her, she may grant without an expiry.
    assert send(api, "issue-token", **{"name": "x", "scope-play": "yes"}).status_code == 200
    held = api.service.players.load(zoe).tokens.values()
    assert {token.scopes for token in held if token.expires is None} == {("play",)}


def test_a_brief_admin_lets_nobody_in_who_is_more(api: Api, ada: NewPlayer) -> None:
    brief = issued(api, ada, 60, "play", "admin")
    chief = api.player("Chief", "admin")
    answer = api.post(f"/players/{chief.id}/sign-in-link", {}, brief)
    assert error(answer) == (403, "exceeds-token")
    assert api.post(f"/players/{api.player('Bea').id}/sign-in-link", {}, brief).status_code == 201
    # Nor may they let themselves in: whoever had borrowed that token would stay.
    answer = api.post(f"/players/{ada.id}/sign-in-link", {}, brief)
    assert error(answer) == (403, "exceeds-token")
    assert api.post(f"/players/{ada.id}/sign-in-link", {}, chief).status_code == 201
    assert api.post(f"/players/{chief.id}/sign-in-link", {}, chief).status_code == 201


def test_whoever_finds_an_old_session_gets_no_token_by_it(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(api)
    zoe = promote(api, "play", "admin")
    (token,) = api.service.players.load(zoe).tokens
    wait(api, monkeypatch)
    before = api.service.players.load(zoe).version
    own = csrf(api)
    path = f"/players/{zoe}"
    for answer in (
        api.post(f"{path}/tokens", {}, X_CSRF_Token=own),
        api.post(f"{path}/tokens/{token}/rotate", {}, X_CSRF_Token=own),
        api.post(f"/players/{api.player('Bea').id}/sign-in-link", {}, X_CSRF_Token=own),
        api.send("DELETE", path, headers={"X-CSRF-Token": own}),
    ):
        assert error(answer) == (403, "stale-session")
    fields = {"name": "bot", "scope-play": "yes"}
    assert send(api, "issue-token", **fields).status_code == 403
    assert send(api, "issue-token", **fields, password="wrong password").status_code == 401
    assert api.service.players.load(zoe).version == before


def test_who_gives_the_password_again_is_believed_for_a_while(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(api)
    wait(api, monkeypatch)
    fields = {"name": "bot", "scope-play": "yes"}
    assert send(api, "issue-token", **fields, password=GOOD).status_code == 200
    assert send(api, "issue-token", **fields).status_code == 200
    path = f"/players/{reader(api)}"
    answer = api.send("DELETE", path, headers={"X-CSRF-Token": csrf(api)})
    assert answer.status_code == 204


def test_a_token_of_a_program_asks_for_nothing_again(api: Api, ada: NewPlayer) -> None:
    assert api.post(f"/players/{ada.id}/tokens", {}, ada).status_code == 201
    assert api.send("DELETE", f"/players/{ada.id}", ada).status_code == 204


def test_a_player_with_tokens_alone_proves_them_too(
    api: Api, ada: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.http.post("/sign-in", data={"token": ada.token.secret})
    wait(api, monkeypatch)
    assert send(api, "password", login="Ada", new_password=GOOD).status_code == 403
    api.http.post("/sign-in", data={"token": ada.token.secret})
    assert send(api, "password", login="Ada", new_password=GOOD).status_code == 303


def test_who_came_as_a_guest_cannot_set_another_password(configured: Configured) -> None:
    api = configured(**MAILING)
    api.http.post("/guest")
    guest = str(reader(api))
    assert send(api, "address", address="mole@club.example").status_code == 303
    confirm(api, mailed(api))
    api.service.bearers.forget()
    assert "Keep my games" not in api.http.get("/").text
    answer = register(api, "Mallory")
    assert answer.status_code == 303
    assert reader(api) != guest
    assert api.service.accounts.store.load(guest).password is None


def test_of_two_who_keep_one_guest_the_first_does(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.http.post("/guest")
    guest, own = str(reader(api)), api.http.get_cookie(COOKIE)
    assert own is not None
    accounts = api.service.accounts
    hash_password = accounts.passwords.hash

    def hash_slowly(password: str, address: str) -> str:
        """Let another tab register while the password is hashed."""
        monkeypatch.setattr(accounts.passwords, "hash", hash_password)
        accounts.keep_guest(guest, "First", GOOD, Visitor(address, "Firefox"))
        return hash_password(password, address)

    monkeypatch.setattr(accounts.passwords, "hash", hash_slowly)
    assert register(api, "Second", BETTER).status_code == 403
    leave(api)
    assert enter(api, "Second", BETTER).status_code == 401
    assert enter(api, "First").status_code == 303
    assert reader(api) == guest
    leave(api)
    assert register(api, "Second", BETTER).status_code == 303


@pytest.mark.parametrize("name", ["zoe@club.example", "zoe\uff20club.example", "ZOE@CLUB.EXAMPLE"])
def test_nobody_signs_in_by_somebody_elses_address(api: Api, name: str) -> None:
    form = {"name": name, "new_password": BETTER}
    answer = api.http.post("/register", data=form, headers={"Accept": "text/html"})
    assert answer.status_code == 422
    assert "e-mail addresses" in answer.text
    register(api, "Mallory")
    assert send(api, "password", login=name, new_password=BETTER).status_code == 422


def test_an_address_is_its_owners_whoever_was_named_like_it_before(
    configured: Configured,
) -> None:
    api = configured(**MAILING)
    register(api)
    zoe = reader(api)
    send(api, "address", address="zoe@club.example")
    confirm(api, mailed(api))
    leave(api)
    register(api, "Mallory", BETTER)
    store = api.service.accounts.store
    store.store.hset("movelog:{accounts}:logins", "zoe@club.example", str(reader(api)))
    leave(api)
    assert enter(api, "zoe@club.example").status_code == 303
    assert reader(api) == zoe


def test_a_session_that_was_begun_before_proofs_were_noted_goes_on(api: Api) -> None:
    register(api)
    accounts, zoe = api.service.accounts, str(reader(api))
    (session,) = accounts.sessions.list_current(zoe)
    old = session.to_json().replace(',"proved_at":null', "")
    assert "proved_at" not in old
    accounts.store.put_part(zoe, f"session:{session.id}", old)
    api.service.bearers.forget()
    assert reader(api) == zoe


def test_a_program_that_has_a_token_ends_no_sessions_of_its_player(api: Api) -> None:
    register(api)
    zoe, own = str(reader(api)), api.http.get_cookie(COOKIE)
    assert own is not None
    made = api.service.players.issue(zoe, ["play"], Principal(zoe, None), now() + 60_000)
    leave(api)
    api.http.post("/sign-in", data={"token": made.secret})
    (other,) = [
        one.id for one in api.service.accounts.sessions.list_current(zoe) if one.token is None
    ]
    assert send(api, "end-session", session=other).status_code == 403
    assert send(api, "end-other-sessions").status_code == 403
    api.http.set_cookie(COOKIE, own.value)
    assert reader(api) == zoe


def test_sign_ins_that_are_only_begun_do_not_fill_the_store(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.accounts.guesses.MOST_BEGUN", 3)
    begun = [api.http.post("/sign-in/passkey/options", json={}) for _ in range(3)]
    assert {answer.status_code for answer in begun} == {200}
    before = len(api.snapshot())
    assert error(api.http.post("/sign-in/passkey/options", json={})) == (429, "too-many-tries")
    assert api.http.get("/sign-in/identity").status_code == 429
    assert len(api.snapshot()) == before
    elsewhere = {"REMOTE_ADDR": "198.51.100.7"}
    answer = api.http.post("/sign-in/passkey/options", json={}, environ_overrides=elsewhere)
    assert answer.status_code == 200


def test_an_erasure_that_was_cut_short_is_finished_by_the_next(
    api: Api, admin: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(api)
    zoe, accounts = str(reader(api)), api.service.accounts
    leave(api)

    def fail(player: str) -> None:
        raise RedisError("the store is away")

    with monkeypatch.context() as away:
        away.setattr(accounts, "erase", fail)
        assert api.send("DELETE", f"/players/{zoe}", admin).status_code == 503
    assert accounts.store.load(zoe).password is not None
    assert error(api.send("DELETE", f"/players/{zoe}", admin)) == (404, "not-found")
    assert accounts.store.load(zoe).password is None
    assert register(api).status_code == 303


def test_registrations_without_a_password_are_counted_too(
    api: Api, admin: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.accounts.guesses.MOST_BEGUN", 3)
    key = "a" * 16
    first = api.post("/players", {"name": "First"}, key=key)
    ada = (first.json or {})["token"]["secret"]
    assert api.http.post("/register", data={"name": "Second"}).status_code == 201
    leave(api)
    bearer = f"Bearer {ada}"
    assert api.post("/players", {"name": "Third"}, Authorization=bearer).status_code == 201
    before = set(api.snapshot())
    answer = api.post("/players", {"name": "Fourth"})
    assert error(answer) == (429, "too-many-tries")
    assert int(answer.headers["Retry-After"]) <= 900
    assert error(api.post("/players", {"name": "Fourth"}, Authorization=bearer)) == (
        429,
        "too-many-tries",
    )
    headers = {"Accept": "text/html"}
    refused = api.http.post("/register", data={"name": "Fourth"}, headers=headers)
    assert refused.status_code == 429
    assert "too many tries to sign in or register" in refused.text
    assert set(api.snapshot()) == before
    # Neither a repeated request nor an admin is refused.
    assert api.post("/players", {"name": "First"}, key=key).json == first.json
    assert api.post("/players", {"name": "Fourth"}, admin).status_code == 201


def test_one_network_registers_only_so_many(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.accounts.guesses.MOST_BEGUN", 2)
    assert register(api, "First").status_code == 303
    leave(api)
    assert api.http.post("/guest").status_code == 303
    leave(api)
    before = set(api.snapshot())
    headers = {"Accept": "text/html"}
    form = {"name": "Third", "new_password": GOOD}
    assert api.http.post("/register", data=form, headers=headers).status_code == 429
    assert api.http.post("/guest", headers=headers).status_code == 429
    assert set(api.snapshot()) == before
    elsewhere = {"REMOTE_ADDR": "198.51.100.7"}
    assert api.http.post("/register", data=form, environ_overrides=elsewhere).status_code == 303
